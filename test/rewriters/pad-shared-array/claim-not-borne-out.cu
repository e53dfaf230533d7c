// REQUIRES: nvcc
// Lanes collide within one row, so longer rows change nothing: that they collide less is a claim that the counts of the result
// do not bear out. Where they collide down a column, it is borne out.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: along (
// CHECK: kept
// CHECK: declined  pad-shared-array pad=1{{.*}} on 'tile', declined at claims: a claim is not borne out: accesses to 'along(float const*, float*, int)::tile' collide less; 62 conflicts before, 62 after
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact))
__global__ void along(const float *in, float *out, int n) {
  __shared__ float tile[2][1024];
  tile[n & 1][threadIdx.x * 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[n & 1][(31 - threadIdx.x) * 32];
}

// CHECK-LABEL: down (
// CHECK: changed   pad-shared-array pad=1
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact))
__global__ void down(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][n & 1] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][n & 1];
}
