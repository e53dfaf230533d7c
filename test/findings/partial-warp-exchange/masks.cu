// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --rules partial-warp-exchange %s
#include <warpwright/annotate.h>

// Half of the warp under a mask of all.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void shfl(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffffffu, v, 8); // finding: partial-warp-exchange: 16 lanes of the warp run this, but its mask names 32
  y[threadIdx.x] = v;
}

// A mask of fewer than there are.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void vote(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __any_sync(0xffu, v > 0); // finding: partial-warp-exchange: lanes run this that its mask does not name
  y[threadIdx.x] = v;
}

// A whole warp, and half of one under its own mask.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void shfl_ok(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 32)
    v += __shfl_down_sync(0xffffffffu, v, 8);
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffu, v, 8);
  y[threadIdx.x] = v;
}

// A mask from the condition.
KERNEL_OPTIMIZE(grid(4), block(128), in(x[n]), out(y[n]), shape(n = 512))
__global__ void by_ballot(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x % 32 < 16);
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(mask, v, 8);
  y[threadIdx.x] = v;
}
