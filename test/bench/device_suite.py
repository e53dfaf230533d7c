#!/usr/bin/env python3
"""device_suite.py RUNNER FOLDER --kernels DIR [--repeats N] [--twins N] [--plain] [--profiles FILE] [--json FILE]

On a device: the example kernels against themselves (no FASTER or SLOWER may come out), a kernel against twins that are
planted to be 5 % slower and faster, and medians against plain loops of CUDA events. Prints figures and judges nothing.
--profiles keeps a profile of each kernel, one JSON object by name."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "tools"))
import device_jobs as jobs

parser = argparse.ArgumentParser()
parser.add_argument("runner")
parser.add_argument("folder")
parser.add_argument("--kernels", default=os.path.join(here, "..", "..", "examples", "kernels"))
parser.add_argument("--include", default=os.path.join(here, "..", "..", "include"))
parser.add_argument("--repeats", type=int, default=1)
parser.add_argument("--twins", type=int, default=0)
parser.add_argument("--plain", action="store_true")
parser.add_argument("--seconds", type=float, default=1e9, help="start nothing new after this long")
parser.add_argument("--profiles")
parser.add_argument("--json")
options = parser.parse_args()
os.makedirs(options.folder, exist_ok=True)
nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
begin = time.time()


def up(a, b):
    return -(-a // b)


relative, exact = {"relative": 1e-3, "bias": 1e-4}, {"exact": True}
zeros, positive = {"distribution": "zeros"}, {"distribution": "uniform", "first": 0, "second": 1}
normal = {"distribution": "normal", "first": 0, "second": 1}
B = jobs.buffer
# kernel: (grid, block, buffers, arguments in order, tolerance); the main shape of each annotation.
m, r, t = 4096, 4096, 8192
suite = {
    "gemm": ([m // 16, m // 16], [16, 16], [B("a", m * m), B("b", m * m), B("c", m * m, "out")],
             ["a", "b", "c", m, m, m], relative),
    "transpose": ([t // 32, t // 8], [32, 8], [B("in", t * t), B("out", t * t, "out")], ["in", "out", t, t], exact),
    "transpose_tile": ([t // 32, t // 32], [32, 8], [B("in", t * t), B("out", t * t, "out")], ["in", "out", t], exact),
    "reduce_sum": ([(1 << 27) // 256], [256], [B("in", 1 << 27, init=positive), B("out", 1, "inout", init=zeros)],
                   ["in", "out", 1 << 27], relative),
    "softmax_rows": ([r // 128], [128], [B("in", r * r, init=normal), B("out", r * r, "out")], ["in", "out", r, r],
                     relative),
    "layernorm": ([r], [256], [B("x", r * r), B("gain", r), B("bias", r), B("y", r * r, "out")],
                  ["x", "gain", "bias", "y", r, r], relative),
    "bias_gelu": ([r * r // 128], [128], [B("x", r * r), B("bias", r), B("y", r * r, "out")],
                  ["x", "bias", "y", r, r], relative),
    "stencil2d": ([t // 16, t // 16], [16, 16], [B("in", t * t), B("out", t * t, "inout", init=zeros)],
                  ["in", "out", t], {"relative": 1e-5}),
    "conv2d": ([4, 4, 16 * 64], [16, 16], [B("x", 16 * 64 * 56 * 56), B("weight", 64 * 64 * 9),
                                           B("y", 16 * 64 * 56 * 56, "out")], ["x", "weight", "y", 16, 64, 64, 56, 56],
               relative),
    "histogram": ([(1 << 24) // 256], [256],
                  [B("data", 1 << 24, type="int32", init={"distribution": "integers", "low": 0, "high": 255}),
                   B("bins", 256, "inout", type="int32", init=zeros)], ["data", "bins", 1 << 24], exact),
    "matvec": ([t // 128], [128], [B("a", t * t), B("x", t), B("y", t, "out")], ["a", "x", "y", t, t], relative),
    "attention": ([512 // 32, 64], [32, 8], [*(B(name, 64 * 512 * 64, init=normal) for name in "qkv"),
                                             B("o", 64 * 512 * 64, "out")], ["q", "k", "v", "o", 64, 512], relative),
}

plain_main = r"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call) if ((call) != cudaSuccess) { std::printf("{\"error\": \"%s\"}\n", #call); return 1; }
template <typename T> T *filled(size_t count, bool zero) {
  std::vector<T> host(count);
  unsigned state = 12345;
  for (T &value : host) {
    state = state * 1664525u + 1013904223u;
    value = zero ? T(0) : T(-1) + T(state >> 8) / T(1 << 23);
    if (sizeof(T) == 4 && T(0.5) == T(0)) value = zero ? T(0) : T(state >> 24);
  }
  T *device = nullptr;
  if (cudaMalloc(&device, count * sizeof(T)) != cudaSuccess) return nullptr;
  cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}
int main() {
  ALLOCATE
  for (int i = 0; i < 25; ++i) LAUNCH;
  CHECK(cudaDeviceSynchronize());
  std::vector<cudaEvent_t> before(100), after(100);
  for (int i = 0; i < 100; ++i) { CHECK(cudaEventCreate(&before[i])); CHECK(cudaEventCreate(&after[i])); }
  for (int i = 0; i < 100; ++i) {
    CHECK(cudaEventRecord(before[i]));
    LAUNCH;
    CHECK(cudaEventRecord(after[i]));
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGetLastError());
  std::vector<float> times(100);
  for (int i = 0; i < 100; ++i) CHECK(cudaEventElapsedTime(&times[i], before[i], after[i]));
  std::sort(times.begin(), times.end());
  std::printf("{\"median_us\": %f}\n", (times[49] + times[50]) * 500);
}
"""


def build(kernel):
    source = os.path.join(options.kernels, f"{kernel}.cu")
    include = f"-I{options.include}"
    jobs.compile_cubin(source, os.path.join(options.folder, f"{kernel}.cubin"), include, nvcc=nvcc)
    if not options.plain:
        return
    buffers, arguments = suite[kernel][2], suite[kernel][3]
    types = {"float32": "float", "int32": "int"}
    allocate = "".join(f"auto *{b['name']} = filled<{types[b['type']]}>({b['count']}ull, "
                       f"{str(b['role'] != 'in').lower()});" for b in buffers)
    call = f"launch_{kernel}({', '.join(map(str, arguments))})"
    path = os.path.join(options.folder, f"plain_{kernel}")
    with open(path + ".cu", "w") as stream:
        stream.write(f'#include "{os.path.abspath(source)}"\n' + plain_main.replace("ALLOCATE", allocate).replace("LAUNCH", call))
    subprocess.run([nvcc, "-arch=sm_90", "-O3", include, path + ".cu", "-o", path], check=True)


def symbol_of(kernel):
    names = subprocess.run(["nm", "-j", os.path.join(options.folder, f"{kernel}.cubin")], capture_output=True, text=True)
    found = [name for name in names.stdout.split() if f"{len(kernel)}{kernel}" in name and name.startswith("_Z")]
    return found[0]


def compare(name, original, candidate, shape, tolerance, **more):
    start = time.time()
    result, status = jobs.run(options.runner, jobs.job(name, original, candidate, [shape], tolerance, **more))
    timing = result["shapes"][0].get("timing", {}) if result["shapes"] else {}
    row = {"name": name, "status": status, "reason": result["reason"], "seconds": round(time.time() - start, 2),
           "comparison": timing.get("comparison"), "noise": timing.get("noise"), "ratio": timing.get("ratio"),
           "batch": timing.get("batch"), "sessions": timing.get("sessions"), "stable": timing.get("stable"),
           "notes": result["notes"],
           "medians": {who: {kind: series["median_us"] for kind, series in timing[who].items()}
                       for who in ("original", "candidate", "twin") if who in timing}}
    ratio = timing.get("ratio", {}).get("warm", {})
    print(f"{name:26} {status} {str(row['comparison']):9} {ratio.get('value', 0):7.4f} "
          f"[{ratio.get('low', 0):.4f}, {ratio.get('high', 0):.4f}] noise {row['noise'] or 0:.4f} {row['seconds']:5.1f} s "
          f"{row['medians'].get('original', {})} {'' if status == 0 else result['reason'][:100]}", flush=True)
    return row


def late():
    return time.time() - begin > options.seconds


with ThreadPoolExecutor(16) as pool:
    list(pool.map(build, suite))
rows = {"suite": [], "plain": [], "twins": []}
for repeat in range(options.repeats):
    for kernel, (grid, block, buffers, arguments, tolerance) in suite.items():
        if late():
            continue
        cubin = os.path.join(options.folder, f"{kernel}.cubin")
        step = jobs.launch(symbol_of(kernel), grid, block, arguments)
        more = {} if repeat == 0 else {"seeds": [1]}
        rows["suite"].append(compare(kernel, cubin, cubin, ("main", buffers, [step], {"steps": [step]}), tolerance, **more))
if options.plain:
    for kernel in suite:
        output = subprocess.run([os.path.join(options.folder, f"plain_{kernel}")], capture_output=True, text=True).stdout
        plain = json.loads(output).get("median_us", 0)
        here_us = next((row["medians"]["original"]["warm"] for row in rows["suite"] if row["name"] == kernel and row["medians"]), 0)
        rows["plain"].append({"name": kernel, "plain_us": plain, "runner_us": here_us})
        print(f"plain {kernel:20} {plain:10.2f} us, the runner {here_us:10.2f} us, {here_us / plain - 1:+.2%}", flush=True)
if options.twins:
    source = os.path.join(here, "..", "device", "Inputs", "honest.cu")
    for planted in (-200, 0, 200):
        jobs.compile_cubin(source, os.path.join(options.folder, f"planted{planted}.cubin"), f"-DPLANTED={planted}", nvcc=nvcc)
    n = 1 << 22
    shape_buffers = [B("in", n), B("out", n, "out")]
    step = jobs.launch("planted", [n // 256], [256], ["in", "out", n])
    for repeat in range(options.twins):
        for planted in (-200, 200):
            if late():
                continue
            rows["twins"].append(compare(f"planted {planted}", os.path.join(options.folder, "planted0.cubin"),
                                         os.path.join(options.folder, f"planted{planted}.cubin"),
                                         ("main", shape_buffers, [step], {"steps": [step]}), exact, seeds=[1]))
if options.profiles:
    profiles = {}
    for kernel, (grid, block, buffers, arguments, tolerance) in suite.items():
        cubin = jobs.compile_cubin(os.path.join(options.kernels, f"{kernel}.cu"), os.path.join(options.folder, f"{kernel}-lines.cubin"),
                                   f"-I{options.include}", "-lineinfo", nvcc=nvcc)
        step = jobs.launch(symbol_of(kernel), grid, block, arguments)
        job = {"schema": "warpwright/job/1", "name": kernel, "original": jobs.code(cubin), "seeds": [1],
               "shapes": [{"name": "main", "buffers": buffers, "original": {"steps": [step]}}],
               "tolerance": {"exact": True}, "measure": {"timing": False}, "profile": {}}
        result, status = jobs.run(options.runner, job)
        found = result["shapes"][0].get("profiles", []) if result["shapes"] else []
        print(f"profile {kernel}: {status}, {found[0]['counters'] if found else result['reason']}", flush=True)
        if found:
            profiles[kernel] = found[0]
    with open(options.profiles, "w") as stream:
        stream.write("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(profile)}" for name, profile in profiles.items()) + "\n}\n")
count = {}
for part in ("suite", "twins"):
    for row in rows[part]:
        key = (part if part == "suite" else row["name"], row["comparison"])
        count[key] = count.get(key, 0) + 1
for key, value in sorted(count.items(), key=str):
    print(*key, value)
if options.json:
    with open(options.json, "w") as stream:
        json.dump(rows, stream)
