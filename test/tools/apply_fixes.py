#!/usr/bin/env python3
"""Applies the first fix of each result of a SARIF report to the files that it names: apply_fixes.py REPORT [ROOT].

Relative addresses start at ROOT. A fix is made as a whole or not at all: the same change is made once, and a fix that
overlaps one before it is left out. Prints how many were made; exits with 1 where there was none.
"""
import json
import os
import sys
import urllib.parse


def fixes_of(report, wanted=lambda result: True):
    """Each first fix, as changes (file, begin, end, bytes)."""
    for run in report["runs"]:
        for result in filter(wanted, run["results"]):
            for fix in result.get("fixes", [])[:1]:
                changes = []
                for change in fix["artifactChanges"]:
                    for replacement in change["replacements"]:
                        region = replacement["deletedRegion"]
                        begin = region["byteOffset"]
                        text = replacement.get("insertedContent", {}).get("text", "")
                        changes.append((urllib.parse.unquote(change["artifactLocation"]["uri"]), begin,
                                        begin + region["byteLength"], text.encode()))
                yield changes


def overlap(left, right):
    return left[0] == right[0] and left[1] < right[2] and right[1] < left[2]


def choose(fixes):
    """The changes to make, in the order of the fixes, and how many fixes they are of."""
    chosen, count = [], 0
    for changes in fixes:
        fresh = [change for change in changes if change not in chosen]
        if not fresh or any(overlap(change, known) for change in fresh for known in chosen):
            continue
        chosen += fresh
        count += 1
    return chosen, count


def apply(content, changes):
    """From the back to the front; insertions at one place stay in their order."""
    for _, begin, end, text in sorted(reversed(changes), key=lambda change: change[1:3], reverse=True):
        content = content[:begin] + text + content[end:]
    return content


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        chosen, count = choose(fixes_of(json.load(file)))
    for name in sorted({change[0] for change in chosen}):
        path = os.path.join(sys.argv[2] if len(sys.argv) == 3 else ".", name)
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(apply(content, [change for change in chosen if change[0] == name]))
    print(count, "fixes")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
