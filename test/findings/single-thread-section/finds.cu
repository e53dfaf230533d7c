// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-single-thread-section]'
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 64, cols = 1024))
__global__ void normalise(const float *x, float *y, int rows, int cols) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += x[blockIdx.x * cols + c];
  sums[threadIdx.x] = sum;
  __syncthreads();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: one thread does 255 loads while 255 others of its block wait at a barrier (rows = 64, cols = 1024) [warpwright-single-thread-section]
  if (threadIdx.x == 0) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: note: the loop that it runs alone
    for (int t = 1; t < blockDim.x; ++t)
      sums[0] += sums[t];
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] / sums[0];
}

// One thread of a block of two axes.
KERNEL_OPTIMIZE(grid(n), block(16, 16), in(x[n * 64]), out(y[n * 256]), shape(n = 64))
__global__ void two_axes(const float *x, float *y, int n) {
  __shared__ float best;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: one thread does {{[0-9]+}} loads while 255 others of its block wait at a barrier (n = 64) [warpwright-single-thread-section]
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    float largest = x[blockIdx.x * 64];
    for (int i = 1; i < n; ++i)
      largest = fmaxf(largest, x[blockIdx.x * 64 + i]);
    best = largest;
  }
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = best;
}

// Nothing says how it is launched, but it looks at one axis of its block only: a scan by one thread.
__global__ __launch_bounds__(256) void scan(const float *x, int *y) {
  __shared__ int positive[256], before[257];
  positive[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x] > 0.0f;
  __syncthreads();
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: one thread does 256 loads while 255 others of its block wait at a barrier (supposed launch) [warpwright-single-thread-section]
  if (threadIdx.x == 0) {
    before[0] = 0;
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: note: the loop that it runs alone
    for (int i = 1; i <= 256; ++i)
      before[i] = before[i - 1] + positive[i - 1];
  }
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = before[threadIdx.x];
}
