// REQUIRES: nvcc
// All lanes on one counter, one lane a block, bins that many share, and bins of a block's own.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: one-address.cu:[[#@LINE+4]]:{{.*}}: warning: atomic on 'sum' brings 32 lanes of a warp to one address, which are served in turn (n = 65536) [warpwright-serialised-atomics]
// CHECK: note: combine within the block first
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(sum[1]), shape(n = 65536))
__global__ void every_lane(const float *in, float *sum, int n) {
  atomicAdd(sum, in[blockIdx.x * 256 + threadIdx.x]);
}

// nvcc combines the lanes of a warp by itself, for sums as for other reductions of 32-bit integers.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(sum[2]), shape(n = 65536))
__global__ void combined(const int *in, int *sum, int n) {
  atomicAdd(&sum[0], in[blockIdx.x * 256 + threadIdx.x]);
  atomicMax(&sum[1], in[blockIdx.x * 256 + threadIdx.x]);
}

// CHECK: one-address.cu:[[#@LINE+3]]:{{.*}}: warning: atomic on 'sum' brings 32 lanes of a warp to one address
KERNEL_OPTIMIZE(grid(n / 256), block(256), inout(sum[1]), shape(n = 65536))
__global__ void exchanged(int *sum, int n) {
  atomicExch(sum, threadIdx.x);
}

KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(sum[1]), shape(n = 65536))
__global__ void one_lane(const float *in, float *sum, int n) {
  if (threadIdx.x == 0)
    atomicAdd(sum, in[blockIdx.x * 256]);
}

KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(sum[n]), shape(n = 65536))
__global__ void own_address(const float *in, float *sum, int n) {
  atomicAdd(&sum[blockIdx.x * 256 + threadIdx.x], in[blockIdx.x * 256 + threadIdx.x]);
}

// CHECK: one-address.cu:[[#@LINE+3]]:{{.*}}: warning: atomic on 'bins' spreads 65536 updates over at most 16 addresses, 4096 for each at best (n = 65536) [warpwright-serialised-atomics]
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(bins[16]), shape(n = 65536))
__global__ void few_bins(const int *in, int *bins, int n) {
  atomicAdd(&bins[in[blockIdx.x * 256 + threadIdx.x] & 15], 1);
}

// Bins in shared memory, more than lanes: the usual cure.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(bins[256]), shape(n = 65536))
__global__ void block_bins(const int *in, int *bins, int n) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 256 + threadIdx.x] & 255], 1);
  __syncthreads();
  bins[blockIdx.x * 256 + threadIdx.x] = mine[threadIdx.x];
}

// Any address at all: nothing is known of how many meet.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), inout(sum[n]), shape(n = 65536))
__global__ void scatter(const int *in, float *sum, int n) {
  atomicAdd(&sum[in[blockIdx.x * 256 + threadIdx.x]], 1.0f);
}

// CHECK-NOT: warpwright-serialised-atomics
