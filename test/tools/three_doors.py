#!/usr/bin/env python3
"""One expectation file through the three doors: `warpwright analyze`, the Clang plugin, the clang-tidy module.

What a file expects stands in its comments, one finding each:

    code // finding: <id>[: words of the message]
    // finding@+1: <id>[: words of the message]

A comment `// rule: <id>` begins a section in which that rule alone is looked at.

All three have to find exactly that, at the same line and column and with the same message, of the rules named by
`--rules`, or of all. What a rule finds with numbers of ptxas alone is not compared. With `--fix`, each finding has to come
with a change at every door that shows changes: the SARIF of `warpwright check`, the plugin's fix-its, clang-tidy's. The changes of
each are applied to a copy, in which all three have to find nothing more, and which nvcc has to compile.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from apply_fixes import apply, choose, fixes_of

EXPECTED = re.compile(r"//\s*finding(?:@([+-]\d+))?:\s*([a-z0-9-]+)(?::\s*(.*?))?\s*$")
SECTION = re.compile(r"^// rule: ([a-z0-9-]+)$")
DIAGNOSTIC = re.compile(r"^(.+?):(\d+):(\d+): (?:warning|error): (.*) \[(?:-Wwarpwright|cuda)-([a-z0-9-]+)\]$")
FIX_IT = re.compile(r'^fix-it:"(.*)":\{(\d+):(\d+)-(\d+):(\d+)\}:"(.*)"$')
ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
OTHER = re.compile(r"^(?:.*: )?(?:warning|error|fatal error): .*$")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwright", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--tidy-module", required=True)
    parser.add_argument("--cuda", required=True, help="the toolkit")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--rules", help="a list with commas; all others are not looked at")
    parser.add_argument("--same", action="store_true", help="expect nothing of comments: the doors have to agree")
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    parser.add_argument("file")
    return parser.parse_args()


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Doors:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rules = set(arguments.rules.split(",")) if arguments.rules else None
        self.includes = ["-I" + path for path in arguments.includes]
        self.clang = ["-x", "cuda", "--cuda-gpu-arch=" + arguments.arch, "--cuda-path=" + arguments.cuda,
                      "-Wno-unknown-cuda-version"] + self.includes

    def analyze(self, file):
        code, output, errors = run([self.arguments.warpwright, "analyze", "--no-ptxas", "--format", "json", file, "--",
                                    "-arch=" + self.arguments.arch] + self.includes)
        if code != 0:
            raise SystemExit("analyze ended with %d:\n%s" % (code, errors))
        document = json.loads(output)
        found = []
        for function in document["kernels"] + document["host"]:
            found += function["findings"]
        return self.chosen(((f["file"], f["line"], f["column"], f["id"], f["message"]) for f in found), file)

    def plugin(self, file):
        code, _, errors = run(["clang++"] + self.clang + ["--cuda-device-only", "-fsyntax-only",
                                                          "-fplugin=" + self.arguments.plugin,
                                                          "-fplugin-arg-warpwright-min-confidence=0", file])
        return self.diagnostics("the plugin", code, errors, file)

    def tidy(self, file, *options):
        config = "{CheckOptions: {Architecture: %s, MinConfidence: '0'}}" % self.arguments.arch
        code, output, errors = run(["clang-tidy", "-load", self.arguments.tidy_module, "-checks=-*,cuda-*", "--quiet",
                                    "--config=" + config, *options, file, "--"] + self.clang)
        return self.diagnostics("clang-tidy", code, output + errors, file)

    def fixed_by_check(self, file):
        """The text with the changes of `warpwright check`."""
        code, output, errors = run([self.arguments.warpwright, "check", "--cache-dir", "none", "--format", "sarif", file, "--",
                                    "-arch=" + self.arguments.arch] + self.includes)
        if code not in (0, 1):
            raise SystemExit("check ended with %d:\n%s%s" % (code, output, errors))
        sections = sections_of(file)
        line = lambda result: result["locations"][0]["physicalLocation"]["region"]["startLine"]
        return apply_all(file, fixes_of(json.loads(output), lambda result: result["ruleId"] == sections[line(result) - 1]))

    def fixed_by_plugin(self, file):
        """The text with the fix-its of the plugin, those of each warning as one."""
        code, _, errors = run(["clang++"] + self.clang + ["--cuda-device-only", "-fsyntax-only", "-fdiagnostics-parseable-fixits",
                                                          "-fplugin=" + self.arguments.plugin,
                                                          "-fplugin-arg-warpwright-min-confidence=0", file])
        if code != 0:
            raise SystemExit("the plugin ended with %d:\n%s" % (code, errors))
        content, sections, fixes, wanted = open(file, "rb").read(), sections_of(file), [], False
        starts = [0] + [match.end() for match in re.finditer(rb"\n", content)]
        for text in errors.splitlines():
            if match := DIAGNOSTIC.match(text):
                wanted = match[5] == sections[int(match[2]) - 1]
                fixes.append([])
            elif (match := FIX_IT.match(text)) and wanted:
                line, column, end_line, end_column = (int(match[i]) for i in range(2, 6))
                fixes[-1].append((match[1], starts[line - 1] + column - 1, starts[end_line - 1] + end_column - 1,
                                  unescape(match[6].encode())))
        return apply_all(file, fixes)

    def fixed_by_tidy(self, file):
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, os.path.basename(file))
            shutil.copy(file, copy)
            self.tidy(copy, "--fix-notes")
            with open(copy, "rb") as changed:
                return changed.read()

    def diagnostics(self, door, code, text, file):
        found = []
        for line in text.splitlines():
            match = DIAGNOSTIC.match(line)
            if match:
                found.append((match[1], int(match[2]), int(match[3]), match[5], match[4]))
            elif OTHER.match(line):
                raise SystemExit("%s says: %s" % (door, line))
        if code != 0:
            raise SystemExit("%s ended with %d:\n%s" % (door, code, text))
        return self.chosen(found, file)

    def chosen(self, found, file):
        """Each once, as templates have one for each instantiation; of the file itself."""
        sections = sections_of(file)
        return sorted({(line, column, rule, message) for path, line, column, rule, message in found
                       if os.path.basename(path) == os.path.basename(file) and (not self.rules or rule in self.rules)
                       and sections[line - 1] in (rule, None)})

    def all(self, file):
        doors = {"analyze": self.analyze, "the plugin": self.plugin, "clang-tidy": self.tidy}
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(doors, pool.map(lambda door: door(file), doors.values())))


def sections_of(file):
    """The rule of each line's section; None outside of any."""
    rules, rule = [], None
    with open(file) as lines:
        for line in lines:
            match = SECTION.match(line.rstrip())
            rule = match[1] if match else rule
            rules.append(rule)
    return rules


def expected_of(file):
    expected = []
    with open(file) as lines:
        for number, line in enumerate(lines, 1):
            match = EXPECTED.search(line)
            if match:
                expected.append((number + int(match[1] or 0), match[2], match[3] or ""))
    return expected


def compare(door, found, expected, file):
    """Prints what is missing and what was not expected; true where nothing is."""
    rest, good = list(found), True
    for line, rule, words in expected:
        match = next((f for f in rest if f[0] == line and f[2] == rule and words in f[3]), None)
        if match:
            rest.remove(match)
            continue
        good = False
        print("%s:%d: %s does not find %s: %s" % (file, line, door, rule, words))
    for line, column, rule, message in rest:
        good = False
        print("%s:%d:%d: %s finds, but nobody expects: %s [%s]" % (file, line, column, door, message, rule))
    return good


def agree(results, file):
    first = results["analyze"]
    good = True
    for door, found in results.items():
        for entry in sorted(set(first) ^ set(found)):
            good = False
            print("%s:%d:%d: %s alone finds: %s [%s]" % (file, entry[0], entry[1],
                                                         "analyze" if entry in first else door, entry[3], entry[2]))
    return good


def unescape(text):
    """A C string's bytes."""
    names = {b"n": b"\n", b"t": b"\t"}
    return ESCAPE.sub(lambda match: bytes([int(match[1], 8)]) if len(match[1]) == 3 else names.get(match[1], match[1]), text)


def apply_all(file, fixes):
    with open(file, "rb") as original:
        return apply(original.read(), choose(fixes)[0])


def is_silent(door, text, doors, arguments):
    """Whether all doors find nothing in the text, and nvcc compiles it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(arguments.file))
        with open(copy, "wb") as file:
            file.write(text)
        found = doors.all(copy)
        good = all([compare("%s, after the change of %s," % (other, door), entries, [], copy) for other, entries in found.items()])
        code, _, errors = run(["nvcc", "-arch=" + arguments.arch, "-c", "-o", os.devnull, copy] + doors.includes)
        if code != 0:
            print("nvcc does not compile what %s changed:\n%s" % (door, errors))
        return good and code == 0


def fixed_is_silent(doors, arguments):
    """Of each door; doors mostly make the same text, which is looked at once."""
    fixers = {"check": doors.fixed_by_check, "the plugin": doors.fixed_by_plugin, "clang-tidy": doors.fixed_by_tidy}
    with ThreadPoolExecutor(2) as pool:
        texts = dict(zip(fixers, pool.map(lambda fixer: fixer(arguments.file), fixers.values())))
    by_text = {}
    for door, text in texts.items():
        by_text.setdefault(text, []).append(door)
    return all([is_silent(" and ".join(names), text, doors, arguments) for text, names in by_text.items()])


def main():
    arguments = parse_arguments()
    doors = Doors(arguments)
    results = doors.all(arguments.file)
    good = agree(results, arguments.file)
    if not arguments.same:
        good &= all([compare(door, found, expected_of(arguments.file), arguments.file)
                     for door, found in results.items()])
    if good and arguments.fix:
        good = fixed_is_silent(doors, arguments)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
