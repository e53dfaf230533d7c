"""compare-acceptance.py NVCC NVCC_ARGUMENTS FOLDER: a command that nvcc accepts is understood, one that it refuses is
refused."""
import os
import shlex
import subprocess
import sys

nvcc, ours, folder = sys.argv[1:]
ours = os.path.abspath(ours)
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
open("a.cu", "w").write("__global__ void kernel() {}\n")
open("self.rsp", "w").write("-optf self.rsp")

COMMANDS = r"""
-Ifoo -I bar -I=baz --include-path q,r -c a.cu
-isystem=/p -isystem /q -c a.cu
-isystem/r -c a.cu
-include foo.h -include=bar.h,baz.h -c a.cu
-O3 -c a.cu
-O -c a.cu
-O=2 -c a.cu
-optimize 2 -c a.cu
-Os -c a.cu
-std c++14 -c a.cu
-std=gnu++17 -c a.cu
-std= -c a.cu
-xcu a.cu -c
-x=cu a.cu -c
-x cu noext -c
-rdc -c a.cu
-rdc true -c a.cu
-rdc=1 -c a.cu
-use_fast_math=true -c a.cu
--use-fast-math -c a.cu
-maxrregcount=64 -c a.cu
-maxrregcount64 -c a.cu
-maxrregcount a -c a.cu
-maxrregcount=0x20 -c a.cu
-maxrregcount= -c a.cu
-maxrregcount=-5 -c a.cu
-dc -rdc=false a.cu
-dc -dw a.cu
-MD -E a.cu
-MF d.d -c a.cu
-MFd.d -MD -c a.cu
-MD -MF=d.d -MT=x.o -MP -c a.cu
-ox.o -c a.cu
-o=x.o -c a.cu
-o x.o -c a.cu a.cu
-c=true a.cu
-c -c a.cu
-c a.cu -I
-I -c a.cu
-I= -c a.cu
-Ia,,b -c a.cu
-foo -c a.cu
-foo -c a.cu -forward-unknown-to-host-compiler
-foo -c a.cu -forward-unknown-opts
-foo -c a.cu --forward-unknown-to-host-linker
--forward-unknown-to-host-compiler --foo -foo=a,b -c a.cu
-forward-unknown-to-host-compiler -iquote q -c a.cu
-forward-unknown-to-host-compiler -Ofast -c a.cu
-forward-unknown-to-host-compiler -std=gnu++17 -c a.cu
-forward-unknown-to-host-compiler -Werror -c a.cu
-Werror=all-warnings,reorder -c a.cu
-Werror foo -c a.cu
-Wall -c a.cu
-t4 -c a.cu
-t4x -c a.cu
-m 64 -c a.cu
-m64 -c a.cu
-m32 -c a.cu
-lfoo -L/x -l bar -lx,y -c a.cu
-efoo -c a.cu
-e k,l -c a.cu
--arch=sm_90 -c a.cu
--Ifoo -c a.cu
-gpu-architecture=sm_90 -c a.cu
-define-macro X -c a.cu
-Ofc=foo -c a.cu
-dopt -c a.cu
-jtd x -c a.cu
-cudart=foo -c a.cu
-no-align-double -c a.cu
--no-align-double -c a.cu
-diag-suppress foo -c a.cu
-diag-suppress=177 -diag-suppress 20012,30 -c a.cu
-default-stream=foo -c a.cu
-optf missing.rsp -c a.cu
@missing.rsp -c a.cu
-c a.xyz
-c a.CU
-c a.cuh
-c a.C
-cubin -arch=sm_90 a.cu
-cubin -arch=compute_90 a.cu
-cubin -gencode arch=compute_90a,code=[sm_90a,compute_90a] a.cu
-cubin -gencode arch=compute_75,code=sm_75 -gencode arch=compute_75,code=sm_75 a.cu
-ptx -gencode arch=compute_90,code=sm_90 a.cu
-ptx -arch=sm_90 -gencode arch=compute_80,code=sm_80 a.cu
-Xcudafe --diag_suppress=177 -Xcicc=-O3 -Xfatbin -compress-all --cudafe-options=x -c a.cu
-Xcudafe -c a.cu
-ewp -dc a.cu
-ewp -rdc=true -c a.cu
-ltoir a.cu
-jtd 200 -c a.cu
""".strip().splitlines()

different = 0
for command in COMMANDS:
    words = shlex.split(command)
    theirs = subprocess.run([nvcc, "--dryrun", *words], capture_output=True).returncode == 0
    mine = subprocess.run([ours, "clang", *words], capture_output=True).returncode == 0
    if theirs != mine:
        different += 1
        print("%s\n  nvcc accepts: %s, ours: %s" % (command, theirs, mine))
sys.exit(1 if different else 0)
