"""one-type.py SOURCE: names each type that two files define; exit code 1 when there is one."""
import collections
import pathlib
import re
import sys

FOLDERS = ("analysis", "clang_plugin", "feedback", "rewriters")
OPENS = re.compile(r"(?:inline )?namespace\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\} // namespace")
DEFINES = re.compile(r"(?:struct|class|enum|enum class) (\w+)(?: final)?\s*(?::[^;]*)?\{")


def types_of(path):
    """Only what stands at the start of a line: a nested type has its outer one's name before it."""
    spaces = []
    for line in path.read_text().splitlines():
        if match := OPENS.match(line):
            spaces.append(match.group(1))
        elif CLOSES.match(line) and spaces:
            spaces.pop()
        elif (match := DEFINES.match(line)) and "" not in spaces:
            yield "::".join([*spaces, match.group(1)])


source = pathlib.Path(sys.argv[1])
places = collections.defaultdict(set)
for folder in FOLDERS:
    for path in sorted((source / folder).rglob("*")):
        if path.suffix in (".h", ".cpp"):
            for name in types_of(path):
                places[name].add(str(path.relative_to(source)))
# A header's class whose nested types are written out in its source has one definition.
twice = {name: files for name, files in places.items() if len({file.rsplit(".", 1)[0] for file in files}) > 1}
for name, files in sorted(twice.items()):
    print(f"{name}: {', '.join(sorted(files))}")
sys.exit(1 if twice else 0)
