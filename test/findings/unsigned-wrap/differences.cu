// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules unsigned-wrap %s
#include <warpwright/annotate.h>

// As an index, and as a floating-point number.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void wrap(const float *x, float *y, int n) {
  float left = x[threadIdx.x - 1];                         // finding: unsigned-wrap: this unsigned difference is -1 in thread 0
  y[threadIdx.x] = left + float(threadIdx.x - blockDim.x / 2); // finding: unsigned-wrap: is -64 in thread 0
}

// Guarded, and made signed before it is widened.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void no_wrap(const float *x, float *y, int n) {
  if (threadIdx.x > 0)
    y[threadIdx.x] = x[threadIdx.x - 1] + float(int(threadIdx.x - blockDim.x / 2));
}
