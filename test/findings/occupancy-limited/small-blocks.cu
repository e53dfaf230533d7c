// REQUIRES: nvcc
// RUN: %warpwright analyze %s -- -arch=sm_86 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-occupancy-limited]'
#include <warpwright/annotate.h>

// 16 blocks of one warp are 16 of 48 warps.
// CHECK: :[[@LINE+3]]:{{.*}}warning: at most 16 of 48 warps are resident, limited by blocks; blocks of 128 threads would allow 48 [warpwright-occupancy-limited]
KERNEL_OPTIMIZE(grid(ceil_div(n, 32)), block(32), in(x[n]), out(y[n]), shape(n = 100000))
__global__ void
small(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1.0f;
}

// With shared memory a larger block would take more of it: no proposal.
KERNEL_OPTIMIZE(grid(ceil_div(n, 32)), block(32), in(x[n]), out(y[n]), shape(n = 100000))
__global__ void with_shared(const float *x, float *y, int n) {
  __shared__ float tile[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n)
    y[i] = tile[31 - threadIdx.x];
}
