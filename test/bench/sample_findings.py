#!/usr/bin/env python3
"""Draws findings from public code for a person to judge, by a seed.

Takes the .cu files of the given folders (each is a project), draws --files of them, as evenly over the projects as they
last, runs `warpwright analyze` on them, and draws --count of the warnings: findings of a confidence of at least
--confidence, each place of each rule once, at most --per-file of one source file or header. With --host, findings of host
code are drawn, else those of kernels. Prints a table of project, place, rule and message. The same seed, tool and sources
draw the same findings. Files that the tool does not read are counted, not hidden.

Every answer is kept in --answers and taken from there, as long as the tool's file is the same. Programs of strangers are
compiled, never run; still, run it as a user who may write nothing but --answers and the temporary folder.

Exit code: 0; 2 when fewer than --count warnings were found.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from public_code import include_flags

FLAGS = ["-std=c++17", "-arch=sm_90", "--expt-relaxed-constexpr", "--extended-lambda"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--confidence", type=float, default=0.5)
    parser.add_argument("--per-file", type=int, default=2, help="what one file may give to the sample")
    parser.add_argument("--host", action="store_true")
    parser.add_argument("--no-ptxas", action="store_true", help="twice as fast, and without what only ptxas tells")
    parser.add_argument("--tool", default="warpwright")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--answers", type=pathlib.Path, required=True)
    parser.add_argument("--time-limit", type=float, default=120, help="seconds a file")
    return parser.parse_args()


def draw_files(folders, count, generator):
    """In turns, one of each project that has files left."""
    queues = []
    for folder in folders:
        paths = sorted(path.resolve() for path in folder.rglob("*.cu") if path.is_file())
        generator.shuffle(paths)
        queues.append((folder.resolve(), paths))
    drawn = []
    while len(drawn) < count and any(paths for _, paths in queues):
        drawn += [(folder, paths.pop()) for folder, paths in queues if paths]
    return drawn[:count]


def analyse(arguments, root, path):
    """The tool's document of one file, or why there is none."""
    stamp = os.stat(arguments.tool)
    kept = (arguments.answers / f"{stamp.st_mtime_ns}_{stamp.st_size}{'_no_ptxas' if arguments.no_ptxas else ''}" /
            (str(path).replace("/", "_") + ".json"))
    if kept.exists():
        return json.loads(kept.read_text())
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "facts.json")
        command = [arguments.tool, "analyze", str(path), "--format", "json", "--output", report,
                   *(["--no-ptxas"] if arguments.no_ptxas else []), "--", *FLAGS, *include_flags(root, path)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=arguments.time_limit)
            answer = {"code": done.returncode}
        except subprocess.TimeoutExpired:
            answer = {"code": None}
        if answer["code"] == 0:
            document = json.load(open(report))
            for kind in ("kernels", "host"):
                answer[kind] = [dict(finding, function=function["name"])
                                for function in document[kind] for finding in function["findings"]]
            answer["count"] = len(document["kernels"])
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(answer))
    return answer


def draw_findings(places, arguments, generator):
    """A random order, of which each file gives its first ones."""
    keys, taken = sorted(places), collections.Counter()
    generator.shuffle(keys)
    drawn = []
    for key in keys:
        if taken[key[1]] < arguments.per_file and len(drawn) < arguments.count:
            taken[key[1]] += 1
            drawn.append(key)
    return sorted(drawn)


def main():
    arguments = parse_arguments()
    arguments.tool = os.path.abspath(arguments.tool)
    generator = random.Random(arguments.seed)
    files = draw_files(arguments.folders, arguments.files, generator)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        answers = list(pool.map(lambda entry: analyse(arguments, *entry), files))
    codes = collections.Counter(answer["code"] for answer in answers)
    places = {}
    for (root, path), answer in zip(files, answers):
        for finding in answer.get("host" if arguments.host else "kernels", []):
            if finding["confidence"] >= arguments.confidence:
                places.setdefault((root.name, os.path.join(path.parent, finding["file"]), finding["line"], finding["column"],
                                   finding["id"]), finding)
    print(f"{len(files)} files, {codes[0]} read, {sum(answer.get('count', 0) for answer in answers)} kernels, "
          f"{len(places)} warnings in {len({key[1] for key in places})} files: "
          f"{dict(collections.Counter(key[4] for key in places))}")
    drawn = draw_findings(places, arguments, generator)
    for number, key in enumerate(drawn, 1):
        finding = places[key]
        print(f"{number}\t{key[0]}\t{key[1]}:{key[2]}:{key[3]}\t{key[4]}\t{finding['function']}\t{finding['confidence']}\t{finding['message']}")
    sys.exit(0 if len(drawn) >= arguments.count else 2)


if __name__ == "__main__":
    main()
