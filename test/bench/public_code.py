#!/usr/bin/env python3
"""Does the tool read the CUDA code that people publish, and do its rewrites of it compile?

Takes the .cu files of the given folders in path order, asks `nvcc -c` which of them it accepts, runs the tool on those,
and prints how many it analysed, what stopped the others, crashes, hangs, the ratio of processor time to nvcc's, and the
tool's peak memory. With --rewrites, every kernel of them counts as annotated and every candidate is taken; the sources
that come out are kept below that folder and compiled by nvcc.

Every answer is appended to a file at once and taken from there on the next run, so that a sweep can be stopped and taken
up again; delete the tool's file after a change of the tool.

Exit code: 0 when at least --bar percent were analysed, nothing crashed or hung and every rewritten source compiles, 1
otherwise, 2 when no file was run.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

# Folders that projects keep their headers in, beside the sources or above them.
INCLUDE_FOLDERS = ("include", "inc", "Common", "common", "src", "src/include")
NOT_RUN = (126, 127)  # a shell's words for a program that it cannot start: no answer about the file
GROUPED = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")
ANALYSE = "warpwright analyze {file} --output /dev/null -- {flags}"
REWRITE = ("warpwright optimize {file} --annotate-everything --choose-any --format json --output {evidence} "
           "--output-dir {output} -- {flags}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--pattern", default="", help="only files whose path matches this regular expression")
    parser.add_argument("--limit", type=int, default=400, help="stop after so many files that nvcc accepts")
    parser.add_argument("--sample", type=int, default=0, help="take so many files, spread evenly, instead of all")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--nvcc-flags", default="-std=c++17 -arch=sm_90 --expt-relaxed-constexpr --extended-lambda",
                        help="for nvcc and for {flags}")
    parser.add_argument("--nvcc-retry-flags", default="-rdc=true -Xcompiler -fopenmp",
                        help="added for nvcc where it refuses a file without them")
    parser.add_argument("--fast-check", action="store_true",
                        help="nvcc compiles without optimising: as good an answer and sooner, but no time ratio")
    parser.add_argument("--only-failures", action="store_true",
                        help="ask nvcc only about the files that the tool does not analyse")
    parser.add_argument("--tool", default=ANALYSE, help="the tool's command; {file} and {flags} are replaced")
    parser.add_argument("--tool-flags", default=None, help="{flags} for the tool, if other than nvcc's")
    parser.add_argument("--rewrites", type=pathlib.Path, metavar="DIR", help="rewrite, too, and keep the sources there")
    parser.add_argument("--rewriter", default=REWRITE, help="the command that rewrites; {evidence} and {output}, too")
    parser.add_argument("--answers", type=pathlib.Path, required=True, metavar="FILE", help="nvcc's answers")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE", help="the tool's answers")
    parser.add_argument("--time-limit", type=float, default=60,
                        help="processor seconds after which a run counts as hung; ten times that by the clock, since "
                        "the machine may be busy")
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
        self.lock = threading.Lock()
        if path and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def get(self, command, limit, state=""):
        """`state` stands for what the command reads beside its words."""
        key = shlex.join(command) + (" # " + state if state else "")
        with self.lock:
            known = self.known.get(key)
        if known:
            return known
        entry = {"key": key, **measure(command, limit)}
        if entry["code"] in NOT_RUN:
            sys.exit(f"{command[0]} could not be run: {entry['error']}")
        with self.lock:
            self.known[key] = entry
            if self.path:
                with self.path.open("a") as stream:
                    stream.write(json.dumps(entry) + "\n")
        return entry


class PeakMemory:
    """The largest memory of one process, without the compilers that it starts: wait4() gives the largest of them all."""

    def __init__(self, pid):
        self.status = pathlib.Path(f"/proc/{pid}/status")
        self.kilobytes = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.ended.wait(0.02):
            try:
                match = re.search(r"VmHWM:\s+(\d+)", self.status.read_text())
            except OSError:
                return
            if match:
                self.kilobytes = max(self.kilobytes, int(match.group(1)))

    def stop(self):
        self.ended.set()
        self.thread.join()
        return self.kilobytes / 1024


def measure(command, limit):
    """Runs a command in its own process group; the processor time is that of all its processes, the memory its own. The
    limit holds for each of them."""

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))

    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, preexec_fn=bound)
        hung = threading.Event()

        def stop():
            hung.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(10 * limit, stop)
        timer.start()
        memory = PeakMemory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        peak = memory.stop()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
    hangs = hung.is_set() or process.returncode == -signal.SIGXCPU
    return {"code": process.returncode, "hung": hangs, "error": first_error(text), "wall": time.monotonic() - start,
            "cpu": usage.ru_utime + usage.ru_stime, "peak_mb": peak}


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if "error" in line or "fault:" in line:
            return line[:400]
    return lines[-1][:400] if lines else ""


def cause(error):
    """An error's words without its place and without the names that it speaks of."""
    return GROUPED.sub("'_'", re.sub(r"^.*?(error|fault)\s*:\s*", "", error))[:110]


def crashed(answer):
    return not answer["hung"] and (answer["code"] < 0 or answer["code"] == 4)


@dataclasses.dataclass
class Row:
    """What became of one file; None: was not asked."""

    file: pathlib.Path
    nvcc: dict = None
    tool: dict = None
    rewriting: dict = None
    rewriters: tuple = ()
    compiled: dict = None


class Sweep:
    def __init__(self, arguments):
        self.arguments = arguments
        self.nvcc = Answers(arguments.answers)
        self.tool = Answers(arguments.results)
        self.rows = []
        self.rejected = 0

    def run(self):
        files = source_files(self.arguments)
        step = 4 * self.arguments.jobs
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            for start in range(0, len(files), step):
                for row in pool.map(lambda entry: self.visit(*entry), files[start:start + step]):
                    self.take(row)
                if len(self.rows) >= self.arguments.limit:
                    break
                if sys.stderr.isatty():
                    print(f"\r{start + step}/{len(files)}", end="", file=sys.stderr)

    def take(self, row):
        if len(self.rows) >= self.arguments.limit:
            return
        if row.tool is None:
            self.rejected += 1
        else:
            self.rows.append(row)

    def visit(self, root, file):
        includes = include_flags(root, file)
        row = Row(file)
        if not self.arguments.only_failures:
            row.nvcc = self.ask_nvcc(file, includes)
            if row.nvcc["code"] != 0:
                return row
        answer = self.ask_tool(file, includes)
        if row.nvcc is None and answer["code"] != 0 and self.ask_nvcc(file, includes)["code"] != 0:
            return row
        row.tool = answer
        if self.arguments.rewrites and answer["code"] == 0:
            self.rewrite(row, root, includes)
        return row

    def ask_tool(self, file, includes):
        command = self.tool_command(self.arguments.tool, includes, {"{file}": file})
        return self.tool.get(command, self.arguments.time_limit)

    def tool_command(self, template, includes, places):
        words = self.arguments.nvcc_flags if self.arguments.tool_flags is None else self.arguments.tool_flags
        command = []
        for word in shlex.split(template):
            if word == "{flags}":
                command += shlex.split(words) + includes
                continue
            for name, value in places.items():
                word = word.replace(name, str(value))
            command.append(word)
        return command

    def ask_nvcc(self, file, includes, state=""):
        """Kernels that launch kernels and code for OpenMP need flags that other files do without."""
        quick = ["-Xcicc", "-O0", "-Xptxas", "-O0", "-Xcompiler", "-O0"] if self.arguments.fast_check else []
        for more in ([], shlex.split(self.arguments.nvcc_retry_flags)):
            flags = shlex.split(self.arguments.nvcc_flags) + more
            command = [self.arguments.nvcc, "-c", *quick, *flags, *includes, "-o", "/dev/null", str(file)]
            answer = self.nvcc.get(command, 4 * self.arguments.time_limit, state)
            if answer["code"] == 0:
                break
        return answer

    def rewrite(self, row, root, includes):
        """The source that comes out is compiled as the tool's compiler launcher would, from a folder of its own: files
        that it includes must not be found beside it."""
        output = self.arguments.rewrites.resolve() / root.name / row.file.relative_to(root)
        output.mkdir(parents=True, exist_ok=True)
        evidence = output / "evidence.json"
        places = {"{file}": row.file, "{evidence}": evidence, "{output}": output}
        row.rewriting = self.tool.get(self.tool_command(self.arguments.rewriter, includes, places),
                                      self.arguments.time_limit)
        source = output / row.file.name
        if row.rewriting["code"] != 0 or not source.exists():
            return
        row.rewriters = chosen_rewriters(evidence)
        state = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
        row.compiled = self.ask_nvcc(source, ["-Xcompiler", "-iquote," + str(row.file.parent), *includes], state)
        # The tool reads the device's half only, so that it may analyse what nvcc refuses for the host's.
        if row.compiled["code"] != 0 and row.nvcc is None and self.ask_nvcc(row.file, includes)["code"] != 0:
            row.compiled = None

    def report(self):
        good = [row for row in self.rows if row.tool["code"] == 0]
        bad = [(row.file, row.tool) for row in self.rows if row.tool["code"] != 0]
        hangs = sum(row.tool["hung"] for row in self.rows)
        crashes = sum(crashed(row.tool) for row in self.rows)
        percent = 100 * len(good) / len(self.rows) if self.rows else 0
        accepted = "not refused" if self.arguments.only_failures else "accepted"
        print(f"{accepted} by nvcc {len(self.rows)} (refused {self.rejected}), analysed {len(good)} ({percent:.1f} %), "
              f"crashes {crashes}, hangs {hangs}")
        self.print_costs(good)
        print_failures("not analysed", bad)
        fine = percent >= self.arguments.bar and not crashes and not hangs
        if self.arguments.rewrites:
            fine &= self.report_rewrites()
        if not self.rows:
            return 2
        return 0 if fine else 1

    def print_costs(self, good):
        ratios = [row.tool["cpu"] / row.nvcc["cpu"] for row in good if row.nvcc and row.nvcc["cpu"]]
        if ratios and not self.arguments.fast_check:
            print(f"processor time against nvcc -c: median {statistics.median(ratios):.2f}, largest {max(ratios):.2f}")
        if not good:
            return
        largest = max(good, key=lambda row: row.tool["peak_mb"])
        slowest = max(good, key=lambda row: row.tool["cpu"])
        for name, unit, row in (("peak_mb", "MB of memory", largest), ("cpu", "s of processor time", slowest)):
            median = statistics.median(row.tool[name] for row in good)
            print(f"{unit}: median {median:.1f}, largest {row.tool[name]:.1f} ({row.file.parent.name}/{row.file.name})")

    def report_rewrites(self):
        tried = [row for row in self.rows if row.rewriting]
        failed = [(row.file, row.rewriting) for row in tried if row.rewriting["code"] != 0]
        rewritten = [row for row in tried if row.compiled]
        broken = [(row.file, row.compiled) for row in rewritten if row.compiled["code"] != 0]
        crashes = sum(crashed(row.rewriting) for row in tried)
        hangs = sum(row.rewriting["hung"] for row in tried)
        print(f"\nall kernels annotated: {len(tried)} files, rewritten {len(rewritten)}, of which nvcc compiles "
              f"{len(rewritten) - len(broken)}; crashes {crashes}, hangs {hangs}")
        names = collections.Counter(name for row in rewritten for name in row.rewriters)
        for name, files in names.most_common():
            print(f"    {name}: {files} files")
        if tried:
            largest = max(tried, key=lambda row: row.rewriting["peak_mb"])
            print(f"    peak memory {largest.rewriting['peak_mb']:.0f} MB ({largest.file.name})")
        print_failures("rewriting failed", failed)
        print_failures("rewritten and refused", broken)
        return not failed and not broken


def chosen_rewriters(evidence):
    document = json.loads(evidence.read_text())
    return tuple(sorted({candidate["rewriter"] for kernel in document["kernels"]
                         for candidate in kernel["candidates"] if candidate["chosen"]}))


def print_failures(title, failures):
    groups = collections.defaultdict(list)
    for file, answer in failures:
        name = "hung" if answer["hung"] else cause(answer["error"])
        groups[name if answer["code"] >= 0 or answer["hung"] else f"killed by signal {-answer['code']}"].append(
            (file, answer))
    for name, rows in sorted(groups.items(), key=lambda group: -len(group[1])):
        print(f"\n{title}: {len(rows)} x {name}")
        for file, answer in rows:
            print(f"    {file}\n        {answer['error']}")


def main():
    arguments = parse_arguments()
    sweep = Sweep(arguments)
    sweep.run()
    return sweep.report()


if __name__ == "__main__":
    sys.exit(main())
