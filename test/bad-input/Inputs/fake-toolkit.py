"""fake-toolkit.py FOLDER NVCC [DEVICES]: a toolkit whose nvcc is fake-nvcc, with the headers and libraries of NVCC's; asked for the devices of
this machine, it answers DEVICES."""
import os
import shutil
import sys

folder, nvcc = sys.argv[1:3]
os.makedirs(os.path.join(folder, "bin"))
shutil.copy(os.path.join(os.path.dirname(__file__), "fake-nvcc"), os.path.join(folder, "bin", "nvcc"))
root = os.path.dirname(os.path.realpath(nvcc))
while not os.path.exists(os.path.join(root, "include", "cuda.h")):
    root = os.path.dirname(root)
for name in ("include", "nvvm"):
    os.symlink(os.path.join(root, name), os.path.join(folder, name))
if len(sys.argv) > 3:
    query = os.path.join(folder, "bin", "__nvcc_device_query")
    with open(query, "w") as file:
        file.write(f"#!/bin/sh\necho {sys.argv[3]}\n")
    os.chmod(query, 0o755)
