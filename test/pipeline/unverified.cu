// REQUIRES: nvcc
// What is better by facts and cannot be run, since no launch is known, stays as it is and says why; it is taken where the
// user says so.
//
// RUN: rm -rf %t
// RUN: %warpwright optimize %s --output-dir %t/a -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: %warpwright optimize --accept-undecided %s --output-dir %t/b -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=TAKEN
// RUN: %warpwright optimize --no-verify %s --output-dir %t/c -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=TAKEN
//
// CHECK: kept no launch is known
// CHECK: declined pad-shared-array pad=1 on 'tile', undecided at virtual device: no launch is known
// CHECK-NOT: changed
// TAKEN: changed pad-shared-array pad=1
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(block(32, 8), in(x[32 * 8]), out(y[32 * 8]))
__global__ void mirrored(const float *x, float *y) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[31 - threadIdx.x][threadIdx.y];
}
