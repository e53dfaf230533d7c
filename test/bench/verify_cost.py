#!/usr/bin/env python3
"""verify_cost.py BUILD-DIRECTORY: processor seconds that verifying costs for each example kernel: the first candidate, which pays
for parsing and for the runs of the original, and one more of the same. Prints figures and judges nothing; run it on an idle machine."""
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MORE = 4


def cost(tool, source, kernel, candidates, folder):
    plans = os.path.join(folder, "plans.json")
    plan = [{"kernel": kernel, "name": str(i), "steps": [{"launch": kernel}]} for i in range(candidates)]
    with open(plans, "w") as file:
        json.dump({"schema": "warpwright/launch-plan/1", "plans": plan}, file)
    command = [tool, "verify", source, source, "--plans", plans, "--format", "json", "--", "-arch=sm_90", "-I" + os.path.join(root, "include")]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode not in (0, 1, 2):
        sys.exit(run.stderr)
    verdict = json.loads(run.stdout)["verdicts"][0]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, verdict


def main():
    tool = os.path.join(sys.argv[1], "clang_plugin", "warpwright")
    firsts, others = [], []
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(glob.glob(os.path.join(root, "examples", "kernels", "*.cu"))):
            kernel = os.path.basename(source)[:-3]
            first, wall, verdict = cost(tool, source, kernel, 1, folder)
            several, several_wall, _ = cost(tool, source, kernel, 1 + MORE, folder)
            firsts.append(first)
            others.append((several - first) / MORE)
            print(f"{kernel:15} {verdict['verdict']:9} {verdict['runs']:3} runs: {first:5.1f} s ({wall:.1f} s of wall clock), one more "
                  f"{others[-1]:5.2f} s ({(several_wall - wall) / MORE:.2f} s)")
    print(f"mean: {sum(firsts) / len(firsts):.1f} s, one more {sum(others) / len(others):.2f} s")


main()
