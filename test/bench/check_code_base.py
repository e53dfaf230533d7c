#!/usr/bin/env python3
"""Times `warpwright check` of a code base against `nvcc -c` of the same files with the same flags, all processors at work.

The code base is made here: --units translation units, by turns one of the example kernels' files and four kernels of the
measured access patterns (test/analysis/simt/Inputs/cases.cu), each unit different by its text. Timed are: a check of all with
cold caches; one with warm caches; one after one file was changed; nvcc -c of all, as many at once as there are processors.
Where the machine has other work, --sample N measures the check and nvcc on N units spread evenly instead of all and prints
what that makes for all: say so beside the numbers.

Bars: all cold at most half of nvcc; one file changed at most 3 s. Exits with 1 where one is missed, 2 where a program failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "kernels"
CASES = ROOT / "test" / "analysis" / "simt" / "Inputs" / "cases.cu"
ALL_BAR = 0.5
CHANGED_BAR_SECONDS = 3
KERNELS_A_UNIT = 4


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="warpwright")
    parser.add_argument("--units", type=int, default=200)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def case_groups():
    """The head of the file with `KERNELS_A_UNIT` kernels after it, again and again."""
    text = CASES.read_text()
    head, rest = text[:text.index('extern "C"')], text[text.index('extern "C"'):text.index("int main()")]
    kernels = re.split(r'(?m)^(?=extern "C")', rest)[1:]
    return [head + "".join(kernels[i:i + KERNELS_A_UNIT]) for i in range(0, len(kernels), KERNELS_A_UNIT)]


def write_code_base(folder, count):
    examples, groups = sorted(EXAMPLES.glob("*.cu")), case_groups()
    commands = []
    for number in range(count):
        turn = number // 2
        text = groups[turn % len(groups)] if number % 2 else examples[turn % len(examples)].read_text()
        name = f"unit{number:03}.cu"
        (folder / name).write_text(f"{text}\n// unit {number}\n")
        commands.append({"directory": str(folder), "file": name,
                         "arguments": ["nvcc", "-std=c++17", "-arch=sm_90", f"-I{ROOT / 'include'}", f"-I{EXAMPLES}", "-c", name,
                                       "-o", name + ".o"]})
    return commands


def measure(name, work):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    work()
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    print(f"{name:32} {seconds:8.1f} s wall {processor:8.1f} s processor", flush=True)
    return seconds, processor


def main():
    arguments = parse_arguments()
    tool = shutil.which(arguments.tool) or sys.exit(2)
    tool = os.path.abspath(tool)
    with tempfile.TemporaryDirectory(prefix="warpwright-code-base-") as name:
        folder = pathlib.Path(name)
        commands = write_code_base(folder, arguments.units)
        step = len(commands) // arguments.sample if arguments.sample else 1
        commands = commands[::step]
        (folder / "compile_commands.json").write_text(json.dumps(commands))

        def check():
            done = subprocess.run([tool, "check", "-p", name, "-j", str(arguments.jobs), "--cache-dir", f"{name}/cache", "--output",
                                   f"{name}/report.txt"], cwd=folder)
            if done.returncode > 1:
                print(f"check exited with {done.returncode}", file=sys.stderr)
                sys.exit(2)

        def compile_all():
            with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
                for done in pool.map(lambda command: subprocess.run(command["arguments"], cwd=folder), commands):
                    if done.returncode:
                        sys.exit(2)

        print(f"{len(commands)} of {arguments.units} units, {arguments.jobs} at once; load before: {os.getloadavg()[0]:.1f}")
        cold, cold_processor = measure("check of all, cold caches", check)
        measure("check of all, warm caches", check)
        with open(folder / commands[0]["file"], "a") as file:
            file.write("// changed\n")
        changed, _ = measure("check, one file changed", check)
        nvcc, nvcc_processor = measure("nvcc -c of all", compile_all)
    print(f"check / nvcc: {cold / nvcc:.2f} by the clock, {cold_processor / nvcc_processor:.2f} by processor time "
          f"(bar {ALL_BAR}); one file changed {changed:.1f} s (bar {CHANGED_BAR_SECONDS} s)")
    sys.exit(cold > ALL_BAR * nvcc or changed > CHANGED_BAR_SECONDS)


if __name__ == "__main__":
    main()
