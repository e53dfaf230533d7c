// REQUIRES: nvcc
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-missing-launch-bounds]'
#include <warpwright/annotate.h>

#define SUMS()                                                                                     \
  float sums[64];                                                                                            \
  _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = x[j * n + threadIdx.x];                           \
  for (int i = 0; i < n; ++i) {                                                                              \
    float v = x[i];                                                                                          \
    _Pragma("unroll") for (int j = 0; j < 64; ++j) sums[j] = sums[j] * v + sums[(j + 1) & 63];               \
  }                                                                                                          \
  _Pragma("unroll") for (int j = 0; j < 64; ++j) y[j * n + threadIdx.x] = sums[j]

// More registers than 1024 threads can have.
// CHECK: :[[@LINE+3]]:{{.*}}warning: with {{[0-9]+}} registers a thread, a block of 1024 threads does not fit: the launch is refused [warpwright-missing-launch-bounds]
// CHECK: note: declare the kernel __launch_bounds__(1024, 1)
KERNEL_OPTIMIZE(grid(n), block(1024), in(x[n * 1024]), out(y[n * 1024]), shape(n = 1024))
__global__ void refused(const float *x, float *y, int n) { SUMS(); }

// With the bound, ptxas knows.
KERNEL_OPTIMIZE(grid(n), block(1024), in(x[n * 1024]), out(y[n * 1024]), shape(n = 1024))
__global__ void __launch_bounds__(1024) bounded(const float *x, float *y, int n) { SUMS(); }

// A block of 64 threads fits often enough.
KERNEL_OPTIMIZE(grid(n), block(128), in(x[n * 1024]), out(y[n * 1024]), shape(n = 1024))
__global__ void simple(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x] + n; }

// The block is not known.
__global__ void unknown_block(const float *x, float *y, int n) { SUMS(); }
