// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-single-thread-section]'
#include <warpwright/annotate.h>

// A tree shares the work; one thread writes the result, and nobody waits for it.
// CHECK: tree
KERNEL_OPTIMIZE(grid(n), block(256), in(x[n * 256]), out(y[n]), shape(n = 64))
__global__ void tree(const float *x, float *y, int n) {
  __shared__ float sums[256];
  sums[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = sums[0];
}

// A ticket is drawn by one thread: a single access.
KERNEL_OPTIMIZE(grid(n), block(256), inout(next[1]), out(y[n * 256]), shape(n = 64))
__global__ void ticket(int *next, int *y, int n) {
  __shared__ int mine;
  if (threadIdx.x == 0)
    mine = atomicAdd(next, 1);
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = mine;
}

// A sum over the partial sums of eight warps.
KERNEL_OPTIMIZE(grid(n), block(256), in(x[n * 256]), out(y[n * 256]), shape(n = 64))
__global__ void eight_partial_sums(const float *x, float *y, int n) {
  __shared__ float sums[8];
  float sum = x[blockIdx.x * 256 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < 8; ++w)
      sums[0] += sums[w];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = sums[0];
}

// One row of the block, a warp's worth of threads, each for a column of its own.
KERNEL_OPTIMIZE(grid(n), block(32, 8), in(x[n * 256]), out(y[n * 256]), shape(n = 64))
__global__ void one_row(const float *x, float *y, int n) {
  __shared__ float sums[8][33];
  sums[threadIdx.y][threadIdx.x] = x[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y == 0)
    for (int r = 1; r < n; ++r)
      sums[0][threadIdx.x] += sums[r & 7][threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = sums[0][threadIdx.x];
}

// No barrier follows: nobody waits.
KERNEL_OPTIMIZE(grid(n), block(256), in(x[n * 64]), out(y[n]), shape(n = 64))
__global__ void nobody_waits(const float *x, float *y, int n) {
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
      sum += x[blockIdx.x * 64 + i];
    y[blockIdx.x] = sum;
  }
}

// The same without an annotation: the block may well have rows.
__global__ void one_row_of_some(const float *x, float *y, int n) {
  __shared__ float sums[32][33];
  sums[threadIdx.y][threadIdx.x] = x[(blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int r = 1; r < 32; ++r)
      sums[threadIdx.y][0] += sums[threadIdx.y][r] * sums[threadIdx.y][32 - r];
  __syncthreads();
  y[(blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x] = sums[threadIdx.y][0];
}
