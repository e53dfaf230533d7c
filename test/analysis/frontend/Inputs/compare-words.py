"""compare-words.py NVCC CLANG NVCC_ARGUMENTS FOLDER: preprocesses one line of macros with nvcc, and with Clang under the
arguments that are made of nvcc's, and compares what comes out. It sees to quotes, backslashes, commas and order."""
import os
import subprocess
import sys

nvcc, clang, ours, folder = sys.argv[1:]
ours = os.path.abspath(ours)
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
MACROS = ("A B C _OPENMP __cplusplus __CUDACC_RDC__ __CUDACC_DEBUG__ __CUDACC_EXTENDED_LAMBDA__ "
          "__CUDACC_RELAXED_CONSTEXPR__ CUDA_API_PER_THREAD_DEFAULT_STREAM __cpp_exceptions FROM_HEADER")
open("line.cu", "w").write("MARK %s\n" % MACROS)
os.makedirs("one", exist_ok=True)
os.makedirs("two", exist_ok=True)
open("one/header.h", "w").write("#define FROM_HEADER one\n")
open("two/header.h", "w").write("#define FROM_HEADER two\n")
open("options.rsp", "w").write('-DA="x y" -DB=\\\\\\"q\\\\\\"\n"-DC=3"\n')

CASES = [
    [],
    ["-DA=1", "-UA", "-DA=2,B", "-D", "C"],
    ["-D", r"A=\\n", "-D", r'B="a\\nb"', "-D", r"C=a\ b"],
    ["-D", 'A="x,y"', "-DB='x',y"],
    ["-DA=\\"],
    ['-DA="a,b'],
    ["-DA=[a,b]"],
    ["-DA=", "-D=3", "-D=", "-D,"],
    ["-optf", "options.rsp"],
    ["-Xcompiler", "-DA=1,-DB=2", "-DA=3"],
    ["-Xcompiler", r'-DA=\"x\"', "-Xcompiler", r'-DB=\\\"x\\\"'],
    ["-Xcompiler", '-DA="a b"', "-Xcompiler", "-DB='a b'", "-Xcompiler", "-DC=c -UC"],
    ["-Xcompiler", "-fopenmp,-fno-exceptions"],
    ["-forward-unknown-to-host-compiler", "-fopenmp", "-fno-exceptions", "-Wall"],
    ["-std=c++14"],
    ["-std=c++20", "-Xcompiler=-fPIC"],
    ["-Xcompiler=-std=c++20"],
    ["-rdc=true", "-extended-lambda", "--expt-relaxed-constexpr", "-default-stream=per-thread"],
    ["-dc", "-G"],
    ["-dlto", "-G", "-dopt=on", "-noeh"],
    ["-include", "header.h", "-Ione", "-Itwo"],
    ["-include=header.h", "-isystem=one", "-Itwo"],
    ["-include", "header.h", "-Xcompiler", "-I two", "-I", "one"],
    ["-include", "header.h", "-Xcompiler", "-isystem,two", "-isystem", "one"],
]
ENVIRONMENTS = [
    {"NVCC_PREPEND_FLAGS": '-DA="1 2" -std=c++14', "NVCC_APPEND_FLAGS": "-DC -std=c++20"},
    {"NVCC_APPEND_FLAGS": r"-DA=x\,y -DB=\\x"},
    {"NVCC_APPEND_FLAGS": r"-DA=\"x\" -DB"},
    {"NVCC_APPEND_FLAGS": r'"-DA=1"'},
]


def line_of(command, environment):
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if run.returncode != 0:
        return "refused"
    # A macro of a system header begins a new line, with a line marker before it.
    tail = run.stdout[run.stdout.rindex("MARK "):].splitlines()
    return " ".join(" ".join(line for line in tail if not line.startswith("#")).split())


def line_of_clang(arguments, environment):
    run = subprocess.run([ours, "clang", *arguments], capture_output=True, text=True,
                         env={**os.environ, **environment})
    if run.returncode != 0:
        return "refused"
    return line_of([clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc", "-nocudalib",
                    "-Wno-unknown-cuda-version", "-E", *run.stdout.splitlines(), "line.cu"], {})


different = 0
for arguments, environment in [(case, {}) for case in CASES] + [([], case) for case in ENVIRONMENTS]:
    theirs = line_of([nvcc, "-E", "-arch=sm_90", *arguments, "line.cu"], environment)
    mine = line_of_clang(arguments, environment)
    if theirs != mine:
        different += 1
        print("%s %s\n  nvcc: %s\n  ours: %s" % (arguments, environment, theirs, mine))
sys.exit(1 if different else 0)
