// REQUIRES: nvcc
// A column of a square tile, the same with padding, a broadcast, and a table that data picks from.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: columns.cu:[[#@LINE+6]]:{{.*}}: warning: shared load of 'tile' takes 32 wavefronts a request instead of 1, neighbouring threads 128 bytes apart (n = 32) [warpwright-bank-conflict]
KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void square(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void padded(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// A loop that is unrolled is one access of the source: one finding.
// CHECK: columns.cu:[[#@LINE+9]]:{{.*}}: warning: shared load of 'tile' takes 32 wavefronts a request instead of 1{{.*}} [warpwright-bank-conflict]
// CHECK-NOT: warpwright-bank-conflict
KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void unrolled(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 4; ++j)
    sum += tile[threadIdx.x][(threadIdx.y + j) & 31];
  out[threadIdx.y * n + threadIdx.x] = sum;
}

// Zero-filled buffers would send all lanes to one word; what real data does is not known.
KERNEL_OPTIMIZE(grid(1), block(256), in(in[256]), in(pick[256]), out(out[256]), shape(n = 32))
__global__ void table(const float *in, const int *pick, float *out, int n) {
  __shared__ float entries[256];
  entries[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = entries[pick[threadIdx.x] + 32 * (threadIdx.x & 7)];
}
