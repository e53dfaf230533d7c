// REQUIRES: nvcc
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-{{occupancy-limited|register-spill}}]'
// What rules find by numbers of ptxas, and the same mended by hand, which is silent.
#include <warpwright/annotate.h>

#define SUMS()                                                                                                        \
  float sums[64];                                                                                                     \
  _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = x[j * n + threadIdx.x];                                    \
  for (int i = 0; i < n; ++i) {                                                                                       \
    float v = x[i];                                                                                                   \
    _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = sums[j] * v + sums[(j + 1) & 63];                        \
  }                                                                                                                   \
  _Pragma("unroll") for (int j = 0; j < 64; ++j) y[j * n + threadIdx.x] = sums[j]

// rule: register-spill
// CHECK: :[[@LINE+1]]:{{.*}}warning: {{[0-9]+}} bytes are spilled to local memory {{.*}}[warpwright-register-spill]
__global__ void __launch_bounds__(1024, 2) spills(const float *x, float *y, int n) { SUMS(); }
__global__ void __launch_bounds__(256) fits(const float *x, float *y, int n) { SUMS(); }

// rule: occupancy-limited
// CHECK: :[[@LINE+2]]:{{.*}}warning: at most 8 of 64 warps are resident, limited by shared memory{{.*}}[warpwright-occupancy-limited]
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(80 * 1024), in(x[n * 128]), out(y[n * 128]), shape(n = 132))
__global__ void large_tile(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(512), in(x[n * 128]), out(y[n * 128]), shape(n = 132))
__global__ void small_tile(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
}
