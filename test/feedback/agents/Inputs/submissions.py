"""Submissions for flip.cu, made from its text."""
import difflib
import json
import os

here = os.path.dirname(os.path.abspath(__file__))
original = open(os.path.join(here, "flip.cu")).read()
begin = original.index("KERNEL_OPTIMIZE")
end = original.index("__global__ void sum") - 2
kernel = original[begin:end]


def reason(finding="bank-conflict", claims=()):
    return {"finding": finding, "what": "rows of the tile are longer", "why": "a column lies in 32 banks then",
            "expected_gain": "one wavefront instead of 32", "risk": "a little more shared memory",
            "check": "bank conflicts are gone", "claims": list(claims)}


def submission(change, title, reasons=None, **more):
    return {"schema": "warpwright/submission/1", "kernel": "flip", "title": title,
            "author": {"kind": "agent", "name": "script"}, "change": change,
            "reasons": [reason()] if reasons is None else reasons, **more}


def edited(*pairs):
    text = kernel
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def whole(title, *pairs, reasons=None, before="", **more):
    """The kernel with pieces replaced, as a whole definition."""
    return submission({"kernel": before + edited(*pairs)}, title, reasons, **more)


def diff(changed, name="flip.cu"):
    return "".join(difflib.unified_diff(original.splitlines(True), changed.splitlines(True), "a/" + name, "b/" + name))


def patch(title, *pairs, reasons=None, **more):
    """The same as a patch of the file; pieces may lie anywhere in it."""
    text = original
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return submission({"patch": diff(text)}, title, reasons, **more)


padded = ("tile[32][32]", "tile[32][33]")
