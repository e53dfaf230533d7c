#!/usr/bin/env python3
"""Times `warpwright analyze` against `nvcc -c` of the same files with the same flags.

Each file is timed `--repetitions` times in turn, the programs interleaved, so that a change of the machine's load meets all
of them alike. Precompiled headers are made beforehand and are in a folder of the script's own; nothing else is cached. Prints
medians and ratios a file and over all, and the peak memory of `analyze`. Exits with 1 where a bar is missed, with 2 where a file
could not be timed.

Bars: facts and findings take at most 0.2 of nvcc's time (median over the files), with ptxas 0.6; 600 MB.
"""
import argparse
import dataclasses
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FACTS_BAR = 0.2
PTXAS_BAR = 0.6
MEMORY_BAR_MB = 600
ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Sample:
    seconds: float
    peak_mb: float  # of the largest process


def run(command, folder):
    """One run of a program; os.wait4 gives the peak of that child alone (and of what it waited for)."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            output.seek(0)
            message = output.read().decode(errors="replace").strip().splitlines()[-1:]
            raise RuntimeError(f"{command[0]} exits with {child.returncode}: {' '.join(message)}")
    return Sample(seconds, usage.ru_maxrss / 1024)


def time_file(file, options, folder):
    flags = [f"-arch={options.arch}", f"-I{ROOT / 'include'}", *options.flags]
    analyze = [options.warpwright, "analyze", str(file), "--format", "json", "--cache-dir", str(folder / "cache")]
    programs = {
        "nvcc": [options.nvcc, "-c", str(file), "-o", str(folder / "out.o"), *flags],
        "facts": [*analyze, "--no-ptxas", "--", *flags],
        "ptxas": [*analyze, "--", *flags],
    }
    run(programs["facts"], folder)  # makes the precompiled header, and warms the disk cache
    samples = {name: [] for name in programs}
    for _ in range(options.repetitions):
        for name, command in programs.items():
            samples[name].append(run(command, folder))
    return samples


def median_seconds(samples):
    return statistics.median(sample.seconds for sample in samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="default: examples/kernels/*.cu")
    parser.add_argument("--ground-truth", type=pathlib.Path, help="a folder of more .cu files")
    parser.add_argument("--warpwright", default=str(ROOT / "build/release/clang_plugin/warpwright"))
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--flag", dest="flags", action="append", default=[], help="one more flag for both, repeatable")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    for name in ("warpwright", "nvcc"):  # programs run in a folder of the script's own
        found = shutil.which(getattr(options, name))
        if not found:
            parser.error(f"no program '{getattr(options, name)}'")
        setattr(options, name, os.path.abspath(found))
    files = options.files or sorted((ROOT / "examples/kernels").glob("*.cu"))
    if options.ground_truth:
        files += sorted(options.ground_truth.glob("*.cu"))
    if not files or options.repetitions < 1:
        parser.error("no file to time")

    print(f"{'file':28} {'nvcc':>8} {'facts':>8} {'ptxas':>8} {'facts/nvcc':>11} {'ptxas/nvcc':>11} {'memory':>8}")
    facts, ptxas, peaks, failed = [], [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                samples = time_file(file.resolve(), options, pathlib.Path(folder))
            except (RuntimeError, OSError) as error:
                print(f"{file.name:28} not timed: {error}")
                failed += 1
                continue
            nvcc, alone, joint = (median_seconds(samples[name]) for name in ("nvcc", "facts", "ptxas"))
            peak = max(sample.peak_mb for sample in samples["facts"] + samples["ptxas"])
            facts.append(alone / nvcc)
            ptxas.append(joint / nvcc)
            peaks.append(peak)
            print(f"{file.name:28} {nvcc:7.2f}s {alone:7.2f}s {joint:7.2f}s {alone / nvcc:11.2f} {joint / nvcc:11.2f}"
                  f" {peak:5.0f} MB", flush=True)
    if not facts:
        return 2
    missed = [text for text, value, bar in (
        (f"facts and findings {statistics.median(facts):.2f} of nvcc's time", statistics.median(facts), FACTS_BAR),
        (f"with ptxas {statistics.median(ptxas):.2f} of nvcc's time", statistics.median(ptxas), PTXAS_BAR),
        (f"{max(peaks):.0f} MB", max(peaks), MEMORY_BAR_MB)) if not report(text, value, bar)]
    return 2 if failed else 1 if missed else 0


def report(text, value, bar):
    print(f"{'within' if value <= bar else 'MISSED'} {bar:g}: median {text}" if bar < 1 else
          f"{'within' if value <= bar else 'MISSED'} {bar:g} MB: peak {text}")
    return value <= bar


if __name__ == "__main__":
    sys.exit(main())
