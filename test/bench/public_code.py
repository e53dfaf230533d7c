#!/usr/bin/env python3
"""Does the tool read the CUDA code that people publish?

Takes the .cu files of the given folders in path order, asks `nvcc -c` which of them it accepts, runs the tool on those,
and prints how many it analysed, what stopped the others, crashes, hangs, the ratio of processor time to nvcc's, and the
tool's peak memory. Every answer is appended to a file at once and taken from there on the next run, so that a sweep can
be stopped and taken up again; delete the tool's file after a change of the tool.

Exit code: 0 when at least --bar percent were analysed and nothing crashed or hung, 1 otherwise, 2 when no file was run.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

INCLUDE_FOLDERS = ("include", "inc", "Common", "common")
GROUPED = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--pattern", default="", help="only files whose path matches this regular expression")
    parser.add_argument("--limit", type=int, default=400, help="stop after so many files that nvcc accepts")
    parser.add_argument("--sample", type=int, default=0, help="take so many files, spread evenly, instead of all")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvcc-flags", default="-std=c++17 -arch=sm_90 --expt-relaxed-constexpr --extended-lambda",
                        help="for nvcc and for {flags}")
    parser.add_argument("--nvcc-retry-flags", default="-rdc=true -Xcompiler -fopenmp",
                        help="added for nvcc where it refuses a file without them")
    parser.add_argument("--fast-check", action="store_true",
                        help="nvcc compiles without optimising: as good an answer and sooner, but no time ratio")
    parser.add_argument("--only-failures", action="store_true",
                        help="ask nvcc only about the files that the tool does not analyse")
    parser.add_argument("--tool", default="warpwright analyze {file} --output /dev/null -- {flags}",
                        help="the tool's command; {file} and {flags} are replaced")
    parser.add_argument("--tool-flags", default=None, help="{flags} for the tool, if other than nvcc's")
    parser.add_argument("--answers", type=pathlib.Path, required=True, metavar="FILE", help="nvcc's answers")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="the tool's answers")
    parser.add_argument("--time-limit", type=float, default=120, help="seconds after which a run counts as hung")
    parser.add_argument("--bar", type=float, default=99, help="percent of accepted files to be analysed")
    return parser.parse_args()


def source_files(arguments):
    found = []
    for folder in arguments.folders:
        paths = sorted(p for p in folder.rglob("*.cu") if p.is_file() and re.search(arguments.pattern, str(p)))
        found += [(folder.resolve(), path.resolve()) for path in paths]
    if arguments.sample and arguments.sample < len(found):
        step = len(found) / arguments.sample
        found = [found[int(i * step)] for i in range(arguments.sample)]
    return found


def include_flags(root, file):
    """Every folder from the file's own up to the root, each with the include folders in it."""
    flags = []
    for folder in [file.parent, *file.parent.parents]:
        flags += ["-I" + str(folder)]
        flags += ["-I" + str(folder / name) for name in INCLUDE_FOLDERS if (folder / name).is_dir()]
        if folder == root or root not in folder.parents:
            break
    return flags


class Answers:
    """One JSON object a line, keyed by command; the last line for a key counts."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        if path and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def get(self, command, limit):
        key = shlex.join(command)
        if key not in self.known:
            self.known[key] = {"key": key, **measure(command, limit)}
            if self.path:
                with self.path.open("a") as stream:
                    stream.write(json.dumps(self.known[key]) + "\n")
        return self.known[key]


def measure(command, limit):
    """Runs a command in its own process group; the resources are those of all its processes."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        hung = threading.Event()

        def stop():
            hung.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    return {"code": process.returncode, "hung": hung.is_set(), "error": first_error(text), "wall": time.monotonic() - start,
            "cpu": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024}


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if "error" in line or "fault:" in line:
            return line[:400]
    return lines[-1][:400] if lines else ""


def cause(error):
    """An error's words without its place and without the names that it speaks of."""
    return GROUPED.sub("'_'", re.sub(r"^.*?(error|fault)\s*:\s*", "", error))[:110]


class Sweep:
    def __init__(self, arguments):
        self.arguments = arguments
        self.nvcc = Answers(arguments.answers)
        self.tool = Answers(arguments.results)
        self.rows = []
        self.rejected = 0

    def run(self):
        files = source_files(self.arguments)
        for number, (root, file) in enumerate(files, 1):
            if len(self.rows) >= self.arguments.limit:
                break
            self.visit(root, file)
            if sys.stderr.isatty():
                print(f"\r{number}/{len(files)}", end="", file=sys.stderr)

    def visit(self, root, file):
        includes = include_flags(root, file)
        asked = None if self.arguments.only_failures else self.ask_nvcc(file, includes)
        if asked and asked["code"] != 0:
            self.rejected += 1
            return
        answer = self.ask_tool(file, includes)
        if asked is None and answer["code"] != 0 and self.ask_nvcc(file, includes)["code"] != 0:
            self.rejected += 1
            return
        self.rows.append((file, answer, asked))

    def ask_tool(self, file, includes):
        words = self.arguments.nvcc_flags if self.arguments.tool_flags is None else self.arguments.tool_flags
        command = []
        for word in shlex.split(self.arguments.tool):
            command += shlex.split(words) + includes if word == "{flags}" else [word.replace("{file}", str(file))]
        return self.tool.get(command, self.arguments.time_limit)

    def ask_nvcc(self, file, includes):
        """Kernels that launch kernels and code for OpenMP need flags that other files do without."""
        quick = ["-Xcicc", "-O0", "-Xptxas", "-O0", "-Xcompiler", "-O0"] if self.arguments.fast_check else []
        for more in ([], shlex.split(self.arguments.nvcc_retry_flags)):
            flags = shlex.split(self.arguments.nvcc_flags) + more
            command = [self.arguments.nvcc, "-c", *quick, *flags, *includes, "-o", "/dev/null", str(file)]
            answer = self.nvcc.get(command, 4 * self.arguments.time_limit)
            if answer["code"] == 0:
                break
        return answer

    def report(self):
        good = [row for row in self.rows if row[1]["code"] == 0]
        hangs = [row for row in self.rows if row[1]["hung"]]
        crashes = [row for row in self.rows if not row[1]["hung"] and (row[1]["code"] < 0 or row[1]["code"] == 4)]
        failures = [row for row in self.rows if row[1]["code"] != 0]
        percent = 100 * len(good) / len(self.rows) if self.rows else 0
        accepted = "not refused" if self.arguments.only_failures else "accepted"
        print(f"{accepted} by nvcc {len(self.rows)} (refused {self.rejected}), analysed {len(good)} ({percent:.1f} %), "
              f"crashes {len(crashes)}, hangs {len(hangs)}")
        ratios = [answer["cpu"] / asked["cpu"] for _, answer, asked in good if asked and asked["cpu"]]
        if ratios and not self.arguments.fast_check:
            print(f"processor time against nvcc -c: median {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
        if good:
            file, answer, _ = max(good, key=lambda row: row[1]["peak_mb"])
            print(f"peak memory {answer['peak_mb']:.0f} MB ({file.name}), median "
                  f"{statistics.median(row[1]['peak_mb'] for row in good):.0f} MB; processor time: median "
                  f"{statistics.median(row[1]['cpu'] for row in good):.2f} s")
        self.print_failures(failures)
        if not self.rows:
            return 2
        return 0 if percent >= self.arguments.bar and not crashes and not hangs else 1

    @staticmethod
    def print_failures(failures):
        groups = collections.defaultdict(list)
        for file, answer, _ in failures:
            name = "hung" if answer["hung"] else cause(answer["error"])
            groups[name if answer["code"] >= 0 or answer["hung"] else f"killed by signal {-answer['code']}"].append(
                (file, answer))
        for name, rows in sorted(groups.items(), key=lambda group: -len(group[1])):
            print(f"\n{len(rows)} x {name}")
            for file, answer in rows:
                print(f"    {file}\n        {answer['error']}")


def main():
    arguments = parse_arguments()
    sweep = Sweep(arguments)
    sweep.run()
    return sweep.report()


if __name__ == "__main__":
    sys.exit(main())
