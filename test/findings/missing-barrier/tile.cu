// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules missing-barrier %s
#include <warpwright/annotate.h>

// Another warp writes it.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void race(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[127 - threadIdx.x]; // finding: missing-barrier: what thread 63 reads here is written by thread 64
}

// The next tile comes too early.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void next_tile(const float *x, float *y, int n) {
  __shared__ float s[128];
  float sum = 0;
  for (int i = 0; i < n; i += 128) {
    s[threadIdx.x] = x[i + threadIdx.x];
    __syncthreads();
    sum += s[127 - threadIdx.x]; // finding: missing-barrier
  }
  y[threadIdx.x] = sum;
}

// Both barriers are there.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void both_barriers(const float *x, float *y, int n) {
  __shared__ float s[128];
  float sum = 0;
  for (int i = 0; i < n; i += 128) {
    s[threadIdx.x] = x[i + threadIdx.x];
    __syncthreads();
    sum += s[127 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

// Each thread reads what it wrote.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void own_element(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[threadIdx.x];
}

// Threads of one warp are left out.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void within_a_warp(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}
