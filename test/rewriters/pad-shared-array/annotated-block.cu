// REQUIRES: nvcc
// The annotated block bounds the subscripts also where no grid is given, so that the launch that is counted is a supposed
// one. Without a block nothing bounds them. Nothing can be verified where no launch is known.
//
// RUN: rm -rf %t
// RUN: %warpwright optimize --no-verify %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
//
// CHECK-LABEL: bounded
// CHECK: changed pad-shared-array pad=1
// CHECK-LABEL: unbounded
// CHECK: declined pad-shared-array: 'tile': the subscript 'threadIdx.{{[xy]}}' at line [[#]] was not proved to stay within its extent
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(block(32, 8), in(x[32 * 8]), out(y[32 * 8]))
__global__ void bounded(const float *x, float *y) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[31 - threadIdx.x][threadIdx.y];
}

KERNEL_OPTIMIZE(in(x[32 * 8]), out(y[32 * 8]))
__global__ void unbounded(const float *x, float *y) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[31 - threadIdx.x][threadIdx.y];
}
