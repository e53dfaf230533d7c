#!/usr/bin/env python3
"""public_programs.py --build BUILD-DIRECTORY [--list FILE [--root FOLDER]] [FOLDERS]: runs whole CUDA programs on the virtual device.

Each folder is one program: its sources (.cu .cpp .cc .c, not those of folders below) are compiled by Clang, device code into
an image for the virtual device, and run by the target `warpwright-program`. FILE names programs one a line: the folder, then
`@GLOB` for what to compile instead of all, `-D...` and `-I...` for the compilers, `=TEXT` for what the program says when its
checks are done and only timing follows, `?TEXT` for what it says where its results are right and it does not call them so, then the arguments of the program; without a list it gets none. Folders are below the
root. Programs run with the rights of `nobody` where this is started by root, save with --trusted.

A program that says PASS (or ok, success, correct, verified) and nothing of failure, and ends with 0, is right. Prints one line
a program and the counts: right, undecided (what the virtual device lacks), at fault (a kernel does what no kernel may, which is to
be looked at; what is wrong is run again with all checks, which may tell it), wrong, not built, silent (checks nothing), slow.
Exits with 1 where one was wrong, 2 where nothing was run.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

CUDA = os.environ.get("CUDA_PATH", "/usr/local/cuda")
GOOD = re.compile(r"\b(pass(ed)?|ok|results match|success(ful(ly)?)?|correct|verified|valid)\b", re.I)
BAD = re.compile(r"\b(fail(ed|ure|s)?|error[s]?\s*(:|=)\s*[1-9]\d*|mismatch|incorrect|invalid|wrong)\b", re.I)
FAULT = re.compile(r"\S*: error: thread .*\[[a-z-]+\]")
UNDECIDED = 86
COMMON = ["Common", "common", "include"]


class Program:
    def __init__(self, line, root=""):
        words = shlex.split(line)
        self.folder, self.globs, self.flags, self.arguments = os.path.join(root, words[0]), [], [], []
        self.end = self.right = None
        for word in words[1:]:
            if word.startswith("@"):
                self.globs.append(word[1:])
            elif word.startswith("=") and not self.arguments:
                self.end = word[1:]
            elif word.startswith("?") and not self.arguments:
                self.right = word[1:]
            elif word.startswith(("-D", "-I")) and not self.arguments:
                self.flags.append(word if not word.startswith("-I") else "-I" + os.path.join(self.folder, word[2:]))
            else:
                self.arguments.append(word)
        self.name = "/".join(os.path.normpath(self.folder).split("/")[-2:]) + (" " + " ".join(self.globs) if self.globs else "")

    def sources(self):
        patterns = self.globs or ["*.cu", "*.cpp", "*.cc", "*.c"]
        found = sorted(path for pattern in patterns for path in glob.glob(os.path.join(self.folder, pattern)))
        texts = [open(path, errors="replace").read() for path in found]
        included = {name for text in texts for name in re.findall(r'#\s*include\s*"([^"]+)"', text)}
        return [path for path in found if os.path.basename(path) not in included]

    def includes(self):
        """The program's folder, and folders of headers in it and above it."""
        flags, above = ["-I" + self.folder, *self.flags], os.path.abspath(self.folder)
        for _ in range(5):
            flags += ["-I" + os.path.join(above, each) for each in COMMON if os.path.isdir(os.path.join(above, each))]
            above = os.path.dirname(above)
        return flags


def call(command, seconds, **options):
    """None where it takes more than so many seconds of processor time, or ten times as many by the clock: the machine may be busy."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    try:
        made = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=10 * seconds, preexec_fn=limit, **options)
    except subprocess.TimeoutExpired:
        return None
    return None if made.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else made


def call_until(command, seconds, end, **options):
    """As call(), but what has said `end` has done its part."""
    if end is None:
        return call(command, seconds, **options)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(["stdbuf", "-oL", *command], stdout=subprocess.PIPE, stderr=errors, text=True, errors="replace",
                                   preexec_fn=limit, **options)
        output = ""
        for line in process.stdout:
            output += line
            if end in line:
                process.kill()
                break
        code = process.wait()
        errors.seek(0)
        if code == -signal.SIGXCPU:
            return None
        return subprocess.CompletedProcess(command, 0 if end in output else code, output, errors.read())


def reason_of(run):
    lines = [line for line in run.stderr.splitlines() if "error" in line or "undecided" in line or "undefined" in line]
    return (lines or run.stderr.splitlines() or ["?"])[0].strip()[:150]


def build(runner, program, work):
    """The shared object, or why there is none."""
    header, objects = os.path.join(work, "first.h"), []
    call([runner, "--header", header], 60)
    for i, source in enumerate(program.sources()):
        built, image = os.path.join(work, f"{i}.o"), os.path.join(work, f"{i}.img")
        host = ["clang++-22" if not source.endswith(".c") else "clang-22", "-O1", "-w", "-fPIC", "-c", source, "-o", built,
                *program.includes()]
        if source.endswith(".cu"):
            made = call([runner, "--image", source, image, *program.includes()], 300)
            if made is None or made.returncode != 0:
                return None, "device: " + ("too slow" if made is None else reason_of(made))
            host += ["-x", "cuda", "--cuda-host-only", f"--cuda-path={CUDA}", "--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version",
                     "-isystem", f"{CUDA}/include/cccl", "-include", header, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", image]
        else:
            host += ["-isystem", f"{CUDA}/include"]
        made = call(host, 300)
        if made is None or made.returncode != 0:
            return None, "host: " + ("too slow" if made is None else reason_of(made))
        objects.append(built)
    target = os.path.join(work, "program.so")
    made = call(["clang++-22", "-shared", "-Wl,-Bsymbolic", *objects, "-o", target, "-lm", "-lpthread"], 120)
    if made is None or made.returncode != 0:
        return None, "link: " + reason_of(made)
    return target, None


def judge(run, right=None):
    if run is None:
        return "slow", ""
    text = run.stdout + run.stderr
    if run.returncode == UNDECIDED:
        return "undecided", reason_of(run)
    if fault := FAULT.search(run.stderr):
        return "at fault", fault[0][:150]
    if run.returncode < 0 or run.returncode >= 128:
        return "wrong", f"ended by signal {-run.returncode}"
    if BAD.search(text):
        return "wrong", BAD.search(text)[0] + ": " + (run.stderr.strip().splitlines() or [""])[0][:120]
    if run.returncode != 0:
        return "wrong", f"exit code {run.returncode}: {reason_of(run)}"
    said = right in text if right else GOOD.search(text)
    return ("right", "") if said else ("wrong", f"does not say {right}") if right else ("silent", "")


def try_program(runner, program, seconds, trusted):
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o777)
        target, problem = build(runner, program, work)
        if problem:
            return "not built", problem
        command = [target, *program.arguments]
        before = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", f"HOME={work}"]
        if os.geteuid() != 0 or trusted:
            before = []
        verdict, reason = judge(call_until([*before, runner, *command], seconds, program.end, cwd=program.folder), program.right)
        if verdict == "wrong":
            checked = judge(call_until([*before, runner, "--check", *command], seconds, program.end, cwd=program.folder))
            if checked[0] == "at fault":
                return checked
        return verdict, reason


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--list")
    parser.add_argument("--root", default="", help="where the folders of the list are")
    parser.add_argument("--seconds", type=int, default=120, help="of processor time for a program")
    parser.add_argument("--trusted", action="store_true")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    runner = os.path.join(os.path.abspath(options.build), "feedback/evaluators/virtual/runtime/warpwright-program")
    programs, counts = [Program(shlex.quote(os.path.abspath(folder))) for folder in options.folders], collections.Counter()
    if options.list:
        lines = [line for line in open(options.list).read().splitlines() if line.strip() and not line.startswith("#")]
        programs += [Program(line, options.root) for line in lines]
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        tried = pool.map(lambda one: try_program(runner, one, options.seconds, options.trusted), programs)
        for program, (verdict, reason) in zip(programs, tried):
            counts[verdict] += 1
            print(f"{verdict:10} {program.name}  {reason}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "nothing was run")
    sys.exit(2 if not counts else 1 if counts["wrong"] else 0)


main()
