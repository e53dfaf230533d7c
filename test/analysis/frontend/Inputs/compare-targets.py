"""compare-targets.py NVCC NVCC_ARGUMENTS SOURCE: asks both what a command line compiles for and compares the images."""
import re
import subprocess
import sys

nvcc, ours, source = sys.argv[1:]
open(source, "w").write("__global__ void kernel() {}\n")

COMMANDS = """
-c
-arch=sm_90 -c
-arch=sm_90a -c
-arch compute_90 -c
-arch=compute_103a -c
-arch=sm_103f -fatbin
-arch=lto_90 -c
-arch=sm_90 -dlto -dc
-arch=sm_90a -dlto -dc
-arch=all-major -c
-arch=all -c
-arch=all -code=sm_90 -c
-arch=native -code=sm_90 -c
-arch compute_80 -code sm_90,sm_86 -c
-arch compute_80 -code=sm_80 -code=sm_86 -c
-arch compute_90 -code sm_80 -c
-arch sm_90 -code sm_90 -c
-code=sm_90 -c
-arch=sm_80 -gencode arch=compute_90,code=sm_90 -c
-arch=sm_75 -gencode arch=compute_75,code=sm_75 -c
-arch=sm_80 -arch=sm_90 -c
-gencode arch=compute_80,code=sm_80 -code sm_80 -c
-gencode arch=compute_90,code=[sm_90,compute_90] -c
-gencode=arch=compute_90,code="sm_90,compute_90" -c
--generate-code=code=sm_80,arch=compute_80 -c
-gencode arch=compute_90,code=[sm_90 -c
-gencode arch=compute_90,code=sm_90,, -c
-gencode arch=compute_90,code= -c
-gencode arch=compute_90 -c
-gencode code=sm_90 -c
-gencode arch=compute_90,cod=sm_90 -c
-gencode arch=compute_80,code=sm_80,sm_86 -c
-gencode arch=compute_80,code=lto_80 -c
-gencode arch=compute_80,code=lto_80 -dc
-gencode arch=lto_80,code=sm_80 -c
-gencode arch=compute_90a,code=sm_90 -c
-gencode arch=compute_90,code=sm_90a -c
-gencode arch=compute_100f,code=sm_103 -c
-gencode arch=compute_100,code=sm_103f -c
-gencode arch=compute_100f,code=sm_110a -c
-gencode arch=compute_100f,code=sm_110f -c
-gencode arch=compute_103f,code=sm_100f -c
-gencode arch=compute_100a,code=sm_103a -c
-gencode arch=compute_100a,code=sm_103f -c
-gencode arch=compute_80,code=compute_90 -c
-arch=sm_99 -c
-arch= -c
""".strip().splitlines()


def images_of_nvcc(arguments):
    run = subprocess.run([nvcc, "--dryrun", *arguments, source], capture_output=True, text=True)
    if run.returncode != 0:
        return "refused"
    prefixes = {"elf": "sm_", "ptx": "compute_", "nvvm": "lto_"}
    return sorted(prefixes[kind] + name for kind, name in re.findall(r"kind=(\w+),sm=(\w+),", run.stdout + run.stderr))


def images_of_ours(arguments):
    run = subprocess.run([ours, "targets", *arguments, source], capture_output=True, text=True)
    if run.returncode != 0:
        return "refused"
    return sorted(line.split("code=")[1] for line in run.stdout.splitlines())


different = 0
for command in COMMANDS:
    theirs, mine = images_of_nvcc(command.split()), images_of_ours(command.split())
    if theirs != mine:
        different += 1
        print("%s\n  nvcc: %s\n  ours: %s" % (command, theirs, mine))
sys.exit(1 if different else 0)
