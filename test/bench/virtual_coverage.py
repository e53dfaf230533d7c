#!/usr/bin/env python3
"""virtual_coverage.py BUILD-DIRECTORY FOLDER ...: what of the kernels in public code the virtual device does not cover,
by how many kernels it keeps from running. Needs the target virtual-coverage. Takes every .cu file of the folders that
parses; prints figures and judges nothing."""
import argparse
import collections
import concurrent.futures
import pathlib
import re
import subprocess

import public_code


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--pattern", default="", help="only files whose path matches this regular expression")
    parser.add_argument("--sample", type=int, default=0, help="take so many files, spread evenly, instead of all")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds for a file")
    return parser.parse_args()


def main():
    given = arguments()
    tool = given.build / "test" / "bench" / "virtual-coverage"

    def visit(entry):
        root, file = entry
        command = [tool, file, "-std=c++17", *public_code.include_flags(root, file)]
        try:
            return file, subprocess.run(command, capture_output=True, text=True, timeout=given.time_limit)
        except subprocess.TimeoutExpired:
            return file, None

    reasons, examples = collections.Counter(), {}
    kernels = files = refused = hung = 0
    crashed = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for file, done in pool.map(visit, public_code.source_files(given)):
            if done is None:
                hung += 1
            elif done.returncode == 1 and ": error:" in done.stderr and not done.stdout:
                refused += 1
            elif done.returncode != 0:
                crashed.append((file, done.stderr[-200:]))
            else:
                files += 1
            for line in (done.stdout if done else "").splitlines():
                symbol, _, reason = line.partition("\t")
                kernels += 1
                if reason != "covered":
                    reason = re.sub(r"\s+", " ", reason)
                    reasons[reason] += 1
                    examples.setdefault(reason, f"{file.parent.name}/{file.name}")
    undecided = sum(reasons.values())
    print(f"{files} files, {refused} that do not parse, {hung} too slow, {len(crashed)} broken; {kernels} kernels, "
          f"{kernels - undecided} covered")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}  ({examples[reason]})")
    for file, error in crashed:
        print(f"broken: {file}: {error}")


main()
