"""The addresses that kernels ask for, by running their source as ordinary C++ with a hook in every load and store.

Nothing of Warpwright's analysis takes part: the host's compiler compiles the kernels without optimising, each thread runs
from beginning to end, and the k-th visits of one load or store by the lanes of a warp are one request. That is right for
kernels whose addresses do not depend on what other threads wrote."""
import os
import subprocess
import tempfile

INDICES = r"""
struct Index { unsigned x, y, z; };
extern Index threadIdx, blockIdx, blockDim, gridDim;
"""

LANGUAGE = r"""
#include <cstdint>
#define __global__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define fmaxf __builtin_fmaxf
#define __expf __builtin_expf
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
using __half = uint16_t;
using __half2 = uint32_t;
static void __syncthreads() {}
static float4 make_float4(float x, float y, float z, float w) { return float4{x, y, z, w}; }
static float __half2float(__half h) { return h; }
static float __low2float(__half2 h) { return h & 65535; }
static float __high2float(__half2 h) { return h >> 16; }
static int atomicAdd(int *p, int v) { int old = *p; *p += v; return old; }
template <typename T> static T __ldg(const T *p) { return *p; }
"""

TRACER = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
Index threadIdx, blockIdx, blockDim, gridDim;
namespace {
constexpr uintptr_t bytes = 64 << 20;
char *memory; // `in`, then `out`
struct Request { bool store; std::unordered_map<uintptr_t, uint32_t> sectors; }; // the bytes of each, as bits
std::map<std::tuple<unsigned, unsigned, void *, unsigned>, Request> requests; // block, warp, place, visit
std::map<void *, unsigned> visits;                                          // of one thread
unsigned block, warp;

void visit(void *place, uintptr_t address, unsigned width, bool store) {
  if (address - uintptr_t(memory) >= 2 * bytes)
    return;
  Request &request = requests[{block, warp, place, visits[place]++}];
  request.store = store;
  for (uintptr_t byte = address; byte < address + width; ++byte)
    request.sectors[byte / 32] |= uint32_t(1) << byte % 32;
}

template <typename Call> void launch(const char *name, Index grid, Index threads, Call call) {
  gridDim = grid, blockDim = threads;
  requests.clear();
  for (block = 0; block < grid.x * grid.y * grid.z; ++block)
    for (unsigned thread = 0; thread < threads.x * threads.y * threads.z; ++thread) {
      blockIdx = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
      threadIdx = {thread % threads.x, thread / threads.x % threads.y, thread / threads.x / threads.y};
      warp = thread / 32;
      visits.clear();
      call(reinterpret_cast<float *>(memory), reinterpret_cast<float *>(memory + bytes));
    }
  unsigned long count[2] = {}, sectors[2] = {}, ideal[2] = {};
  for (const auto &[key, request] : requests) {
    ++count[request.store];
    sectors[request.store] += request.sectors.size();
    unsigned distinct = 0;
    for (const auto &[sector, asked] : request.sectors)
      distinct += __builtin_popcount(asked);
    ideal[request.store] += (distinct + 31) / 32;
  }
  std::printf("%s %lu %lu %lu %lu %lu %lu\n", name, count[0], sectors[0], ideal[0], count[1], sectors[1], ideal[1]);
}
} // namespace

#define HOOK(width)                                                                                                   \
  extern "C" void __sanitizer_cov_load##width(void *address) {                                                        \
    visit(__builtin_return_address(0), uintptr_t(address), width, false);                                             \
  }                                                                                                                   \
  extern "C" void __sanitizer_cov_store##width(void *address) {                                                       \
    visit(__builtin_return_address(0), uintptr_t(address), width, true);                                              \
  }
HOOK(1) HOOK(2) HOOK(4) HOOK(8) HOOK(16)
"""


def declaration(name, launch):
    scalars = "".join(", int" for _ in launch["args"])
    return f'extern "C" void {name}(const float *, float *{scalars});\n'


def call(name, launch):
    grid, block = (", ".join(map(str, launch[key])) for key in ("grid", "block"))
    scalars = "".join(f", {value}" for value in launch["args"].values())
    return (f'  launch("{name}", {{{grid}}}, {{{block}}}, [](const float *in, float *out) {{ '
            f"{name}(in, out{scalars}); }});\n")


def trace(cases, launches, compiler):
    """{name: {"ld": (requests, sectors, ideal sectors), "st": ...}} of the launches of kernels in the file `cases`."""
    kernels = open(cases).read().split("int main()")[0]
    kernels = "".join(line for line in kernels.splitlines(True) if not line.startswith("#"))
    main = ("int main() {\n  memory = static_cast<char *>(std::aligned_alloc(256, 2 * bytes));\n"
            "  std::memset(memory, 0, 2 * bytes);\n" + "".join(call(launch["name"], launch) for launch in launches) + "}\n")
    declarations = "".join(declaration(launch["name"], launch) for launch in launches)
    with tempfile.TemporaryDirectory() as folder:
        def compile_part(name, text, *flags):
            with open(os.path.join(folder, name + ".cpp"), "w") as file:
                file.write(INDICES + text)
            subprocess.run([compiler, "-std=c++17", "-w", *flags, "-c", name + ".cpp"], cwd=folder, check=True)

        compile_part("kernels", LANGUAGE + kernels, "-O0", "-fsanitize-coverage=bb,no-prune,trace-loads,trace-stores")
        compile_part("tracer", declarations + TRACER + main, "-O1")
        subprocess.run([compiler, "kernels.o", "tracer.o", "-o", "kernels"], cwd=folder, check=True)
        lines = subprocess.run([os.path.join(folder, "kernels")], check=True, capture_output=True, text=True).stdout.splitlines()
    answer = {}
    for line in lines:
        name, *numbers = line.split()
        numbers = list(map(int, numbers))
        answer[name] = {"ld": numbers[:3], "st": numbers[3:]}
    return answer
