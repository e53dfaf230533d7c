"""Jobs for the runner, written by hand: what tests and benches on a device share."""
import hashlib
import json
import os
import subprocess
import tempfile


def compile_cubin(source, output, *flags, nvcc="nvcc", architecture="sm_90"):
    subprocess.run([nvcc, f"-arch={architecture}", "-cubin", *flags, source, "-o", output], check=True)
    return output


def code(path):
    with open(path, "rb") as stream:
        return {"cubin": os.path.abspath(path), "sha256": hashlib.sha256(stream.read()).hexdigest()}


def buffer(name, count, role="in", type="float32", init=None):
    document = {"name": name, "type": type, "count": count, "role": role}
    if role != "out":
        document["init"] = init or {"distribution": "uniform", "first": -1, "second": 1}
    return document


def argument(name, value):
    """A string is a buffer, an integer an int."""
    return {"name": name, "buffer": value} if isinstance(value, str) else {"name": name, "type": "int32", "value": value}


def launch(symbol, grid, block, arguments, **more):
    return {"launch": {"symbol": symbol, "grid": list(grid), "block": list(block),
                       "arguments": [argument(f"p{i}", value) for i, value in enumerate(arguments)], **more}}


def job(name, original, candidate, shapes, tolerance, **more):
    """Shapes are (name, buffers, original steps, candidate's plan)."""
    document = {"schema": "warpwright/job/1", "name": name, "original": code(original), "candidate": code(candidate),
                "shapes": [{"name": label, "buffers": buffers, "original": {"steps": steps}, "candidate": plan}
                           for label, buffers, steps, plan in shapes],
                "seeds": [1, 2, 3, 4, 5], "tolerance": tolerance}
    document.update(more)
    return document


def run(runner, document, options=()):
    """The result and the exit code. A result is there even for a declined candidate."""
    with tempfile.TemporaryDirectory() as folder:
        path, output = os.path.join(folder, "job.json"), os.path.join(folder, "result.json")
        with open(path, "w") as stream:
            json.dump(document, stream)
        finished = subprocess.run([runner, path, "--output", output, *options], stderr=subprocess.PIPE, text=True)
        if not os.path.exists(output):
            return {"verdict": "none", "reason": finished.stderr, "shapes": [], "notes": []}, finished.returncode
        with open(output) as stream:
            return json.load(stream), finished.returncode
