"""one-name.py LIST ROOT: ids, sources, tests and pages agree."""
import json
import pathlib
import sys

listed = json.load(open(sys.argv[1]))
root = pathlib.Path(sys.argv[2])
wrong = []
for kind, sources in (("findings", "analysis/findings"), ("rewriters", "rewriters")):
    ids = [row["id"] for row in listed[kind]]
    if ids != sorted(ids):
        wrong.append(f"{kind} are not sorted")
    places = {
        "source": {path.stem for path in (root / sources).glob("*.cpp") if path.stem.islower()},
        "page": {path.stem for path in (root / "docs" / kind).glob("*.md")},
        "test": {path.name for path in (root / "test" / kind).iterdir() if path.is_dir() and path.name not in ("Inputs", "mended", "well-written")},
    }
    for what, names in places.items():
        wrong += [f"{kind}: '{name}' has no {what}" for name in sorted(set(ids) - names)]
        wrong += [f"{kind}: the {what} '{name}' belongs to nothing" for name in sorted(names - set(ids))]
    for row in listed[kind]:
        page = root / "docs" / kind / (row["id"] + ".md")
        if page.exists() and not page.read_text().startswith("# " + row["id"] + "\n"):
            wrong.append(f"{page} does not begin with its id")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
