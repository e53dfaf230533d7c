// REQUIRES: nvcc
// One rule through three doors: the command line, the Clang plugin and clang-tidy say the same at the same place, and
// what a comment accepts is silent in all of them.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefixes=ANALYZE %s
// DEFINE: %{options} =
// DEFINE: %{clang} = clang++ -x cuda --cuda-gpu-arch=sm_90 --cuda-path=%cuda --cuda-device-only -Wno-unknown-cuda-version -I%source_dir/include -fsyntax-only -fplugin=%plugin %{options} %s
// RUN: %{clang} 2>&1 | FileCheck --check-prefixes=PLUGIN %s --implicit-check-not=warning:
// RUN: cp %s %t.cu && %{clang} -O0 -g 2>&1 | FileCheck --check-prefixes=PLUGIN %s
#include <warpwright/annotate.h>

// ANALYZE: doors.cu:[[#@LINE+8]]:{{.*}}: warning: shared load of 'tile' takes 32 wavefronts a request instead of 1{{.*}} [warpwright-bank-conflict]
// PLUGIN: doors.cu:[[#@LINE+7]]:{{.*}}: warning: shared load of 'tile' takes 32 wavefronts a request instead of 1{{.*}} [-Wwarpwright-bank-conflict]
// PLUGIN: note: pad the rows of the array
// PLUGIN: note: pad-shared-array pad=1
KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void square(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads(); out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void accepted(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // warpwright: accept(bank-conflict) one tile
}

// REDEFINE: %{options} = -Wno-unknown-warning-option -Werror=warpwright-bank-conflict
// RUN: not %{clang} 2>&1 | FileCheck --check-prefix=ERROR %s
// ERROR: error: shared load of 'tile'{{.*}} [-Werror=warpwright-bank-conflict]
// REDEFINE: %{options} = -Werror
// RUN: not %{clang} 2>&1 | FileCheck --check-prefix=WERROR %s
// WERROR: error: shared load of 'tile'
// REDEFINE: %{options} = -fplugin-arg-warpwright-Wno-warpwright
// RUN: %{clang} 2>&1 | FileCheck --check-prefix=OFF --allow-empty %s
// OFF-NOT: warpwright
// REDEFINE: %{options} = -Wno-unknown-warning-option -Wno-warpwright-bank-conflit
// RUN: not %{clang} 2>&1 | FileCheck --check-prefix=UNKNOWN %s
// UNKNOWN: error: WarpwrightPlugin: there is no finding for '-Wno-warpwright-bank-conflit'
// REDEFINE: %{options} = -fplugin-arg-warpwright-colour
// RUN: not %{clang} 2>&1 | FileCheck --check-prefix=ARGUMENT %s
// ARGUMENT: error: WarpwrightPlugin: there is no option 'colour'
