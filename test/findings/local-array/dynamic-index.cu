// REQUIRES: nvcc
// An array that data indexes, one that unrolling dissolves, and one whose index is constant to begin with.
//
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: dynamic-index.cu:{{.*}}: warning: {{.*}} of 64 bytes a thread lies in local memory, because it is indexed by a value that is no constant{{.*}} [warpwright-local-array]
// CHECK: note: index it by constants
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void bins(const int *in, int *out, int n) {
  int mine[16] = {};
  for (int k = 0; k < n; ++k)
    mine[in[k * 1024 + threadIdx.x] & 15] += 1;
  for (int k = 0; k < 16; ++k)
    out[k * 1024 + blockIdx.x * 256 + threadIdx.x] = mine[k];
}

// Every index is a constant once the loop of eight is unrolled.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void unrolled(const float *in, float *out, int n) {
  float sum[8] = {};
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < 8; ++j)
      sum[j] += in[(k * 8 + j) * 1024 + threadIdx.x];
  for (int j = 0; j < 8; ++j)
    out[j * 1024 + blockIdx.x * 256 + threadIdx.x] = sum[j];
}

KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void constant(const float *in, float *out, int n) {
  float pair[2] = {in[threadIdx.x], in[threadIdx.x + 256]};
  out[blockIdx.x * 256 + threadIdx.x] = pair[0] + pair[1];
}

// CHECK-NOT: warpwright-local-array
