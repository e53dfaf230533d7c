// Branches that cost nothing, or that a well-written kernel needs.
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-divergent-branch]'
#include <warpwright/annotate.h>

// CHECK: sequential
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), out(out[n / 256]), shape(n = 4096))
__global__ void sequential(const float *in, float *out, int n) {
  __shared__ float partial[256];
  partial[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0];
}

// All lanes of a warp agree: the warp's number decides.
KERNEL_OPTIMIZE(grid(n / 128), block(128), require(n % 128 == 0), inout(a[n]), shape(n = 4096))
__global__ void by_warp(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x / 32 % 2 == 0) {
    a[i] = sqrtf(a[i]) * 3.0f + sinf(a[i]) * sqrtf(a[i] + 1.0f);
  } else {
    for (int j = 0; j < 4; ++j)
      a[i + j * n] = a[i + j * n] * 2.0f + 1.0f;
  }
}

// A row of the block is a warp.
KERNEL_OPTIMIZE(grid(n / 32), block(32, 4), require(n % 32 == 0), inout(a[n]), shape(n = 4096))
__global__ void by_row(float *a, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.y == 0)
    a[i] = sqrtf(a[i]) * 3.0f + sinf(a[i]) * sqrtf(a[i] + 1.0f);
  else
    for (int j = 0; j < 4; ++j)
      a[i + (j + threadIdx.y) * n] = a[i + (j + threadIdx.y) * n] * 2.0f + 1.0f;
}

// The guard at the edge, as a branch and as an early return.
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), inout(a[n]), shape(n = 4001))
__global__ void guarded(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (i > 0 && i < n - 1)
    a[i] = sqrtf(a[i]) * 3.0f + sinf(a[i]) * sqrtf(a[i] + 1.0f);
}

// One lane of a warp writes what the warp has summed.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), out(out[n / 256]), shape(n = 4096))
__global__ void warp_sums(const float *in, float *out, int n) {
  __shared__ float sums[8];
  float sum = in[blockIdx.x * 256 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 8 ? sums[threadIdx.x] : 0.0f;
    for (int offset = 4; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0)
      out[blockIdx.x] = sum;
  }
}

// Data decides, but only one side costs: how many lanes need it is not known.
KERNEL_OPTIMIZE(grid(n / 128), block(128), require(n % 128 == 0), in(kind[n]), inout(a[n]), shape(n = 4096))
__global__ void where_marked(const int *kind, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kind[i] != 0)
    a[i] = sqrtf(a[i]) * 3.0f + sinf(a[i]) * sqrtf(a[i] + 1.0f);
}

// One lane of a warp hands on what the warp has made, and there is little else to the kernel.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), out(out[n / 16]), shape(n = 4096))
__global__ void warp_moments(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float other = __shfl_xor_sync(0xffffffffu, in[i], 16);
  if (threadIdx.x % 32 == 0) {
    out[i / 32] = other * 2.0f + 1.0f;
    out[i / 32 + n / 32] = other * other - 3.0f;
  }
}
