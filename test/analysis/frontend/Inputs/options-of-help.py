"""Reads `nvcc --help` from standard input and prints its options as `--long -short`, or its architectures, sorted."""
import re
import sys

text = sys.stdin.read()
if sys.argv[1] == "options":
    found = ["%s %s" % match for match in re.findall(r"^(--[\w-]+)\b.*?\s\(?(--?[\w-]+)\)?\s*$", text, re.MULTILINE)]
else:
    found = set(re.findall(r"'sm_(\w+)'", text))
if not found:
    sys.exit("nothing found: the form of the help text has changed")
print("\n".join(sorted(found)))
