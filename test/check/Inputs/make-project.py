"""make-project.py FOLDER INPUTS INCLUDE: a git repository with two files, and their compile database."""
import json
import os
import shutil
import subprocess
import sys

folder, inputs, include = map(os.path.abspath, sys.argv[1:])
os.makedirs(folder)
for name in ("square.cu", "plain.cu", "tile.h"):
    shutil.copy(os.path.join(inputs, name), folder)
commands = [{"directory": folder, "file": name,
             "arguments": ["nvcc", "-arch=sm_90", "-I" + include, "-c", name, "-o", name + ".o"]}
            for name in ("square.cu", "plain.cu")]
with open(os.path.join(folder, "compile_commands.json"), "w") as file:
    json.dump(commands, file)
git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "start"]):
    subprocess.run(git + arguments, cwd=folder, check=True)
