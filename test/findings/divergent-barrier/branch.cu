// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules divergent-barrier %s
#include <warpwright/annotate.h>

// Some lanes of one warp.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void bar1(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 40) {
    __syncthreads(); // finding: divergent-barrier: 8 of 32 lanes
    y[threadIdx.x] = s[127 - threadIdx.x];
  }
  y[blockIdx.x * 128 + threadIdx.x] += 1;
}

// Whole warps.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void bar2(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 64)
    __syncthreads(); // finding: divergent-barrier: the warp of thread 0 waits at this barrier 1 time
  y[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

// All threads decide alike.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void uniform(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (n > 100)
    __syncthreads();
  y[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

// Threads that have ended are not waited for.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 500))
__global__ void early(const float *x, float *y, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = s[threadIdx.x ^ 1];
}

// Data decides: nobody knows.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void on_data(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (x[threadIdx.x] > 0)
    __syncthreads();
  y[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}

// The block is not known.
KERNEL_OPTIMIZE(grid(4), in(x[n]), out(y[n]), shape(n = 512))
__global__ void any_block(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 40) {
    __syncthreads();
    y[threadIdx.x] = s[127 - threadIdx.x];
  }
  y[blockIdx.x * 128 + threadIdx.x] += 1;
}
