// REQUIRES: nvcc
// A shared array that passes nothing between threads, and ones that do.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: own-element.cu:[[#@LINE+6]]:{{.*}}: warning: each thread copies into 'mine' only what it reads back itself: no other thread sees the shared array [warpwright-redundant-copy]
// CHECK: note: read back here
// CHECK: note: keep the value in a variable of the thread
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void own(const float *in, float *out, int n) {
  __shared__ float mine[256];
  mine[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = mine[threadIdx.x] * n;
}

KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void reversed(const float *in, float *out, int n) {
  __shared__ float all[256];
  all[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = all[255 - threadIdx.x];
}

// Rows of threads share an element: which of them wrote it last is the point.
KERNEL_OPTIMIZE(grid(4), block(32, 8), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void by_column(const float *in, float *out, int n) {
  __shared__ float column[32];
  if (threadIdx.y == 0)
    column[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = column[threadIdx.x];
}

// Kept for a second pass: without the array the row would be read from global memory again.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[4096]), out(out[4096]), shape(n = 1024))
__global__ void two_passes(const float *in, float *out, int n) {
  __shared__ float row[1024];
  float sum = 0;
  for (int i = threadIdx.x; i < 1024; i += 256)
    sum += row[i] = in[blockIdx.x * 1024 + i];
  for (int i = threadIdx.x; i < 1024; i += 256)
    out[blockIdx.x * 1024 + i] = row[i] / sum;
}

// Data picks the element: unknown.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), in(pick[1024]), out(out[1024]), shape(n = 64))
__global__ void picked(const float *in, const int *pick, float *out, int n) {
  __shared__ float all[256];
  all[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = all[pick[threadIdx.x]];
}

// CHECK-NOT: warpwright-redundant-copy
