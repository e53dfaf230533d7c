// REQUIRES: nvcc, clang-tidy
// The checks of clang-tidy: the same finding, NOLINT, options, and a change that is applied and silences it.
//
// DEFINE: %{options} =
// DEFINE: %{file} = %s
// DEFINE: %{tidy} = clang-tidy -load %tidy_module -checks=-*,cuda-* %{options} %{file} -- -x cuda --cuda-gpu-arch=sm_90 --cuda-path=%cuda -Wno-unknown-cuda-version -I%source_dir/include
// RUN: %{tidy} 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: clang-tidy -load %tidy_module -checks=-*,cuda-* -list-checks | FileCheck --check-prefix=LIST %s
// LIST: cuda-bank-conflict
// LIST: cuda-uncoalesced-access
#include <warpwright/annotate.h>

// CHECK: tidy.cu:[[#@LINE+5]]:{{.*}}: warning: shared load of 'tile' takes 32 wavefronts a request instead of 1{{.*}} [cuda-bank-conflict]
KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void square(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads(); out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void quiet(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // NOLINT(cuda-bank-conflict)
}

// RUN: cp %s %t.cu
// REDEFINE: %{file} = %t.cu
// REDEFINE: %{options} = --fix-notes --quiet
// RUN: %{tidy} > /dev/null 2>&1
// REDEFINE: %{options} = --quiet
// RUN: %{tidy} 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// SILENT-NOT: warning:
// REDEFINE: %{options} = --config="{CheckOptions: {Architecture: x}}"
// RUN: %{tidy} 2>&1 | FileCheck --check-prefix=ARCHITECTURE %s
// ARCHITECTURE: 'x' is no architecture; one is written as sm_80
