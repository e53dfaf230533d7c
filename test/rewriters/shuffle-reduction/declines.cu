// REQUIRES: nvcc
// What looks like a fold and is none, or one that cannot be written anew.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright shuffle-reduction > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not ls %t/declines.cu
#include <warpwright/annotate.h>

#define TREE(slots, count, op)                                                                                         \
  for (int d = (count) / 2; d > 0; d /= 2) {                                                                           \
    if (threadIdx.x < d)                                                                                               \
      slots[threadIdx.x] op slots[threadIdx.x + d];                                                                    \
    __syncthreads();                                                                                                   \
  }

//   of 96 slots a tree of halves loses some: 96, 48, 24, 12, 6, 3, then 1
// CHECK-LABEL: loses_slots (
// CHECK: kept
// CHECK-NOT: changed
KERNEL_OPTIMIZE(grid(1), block(96), in(x[96]), out(y[1]), shape(n = 1), allow(reassociate))
__global__ void loses_slots(const float *x, float *y, int n) {
  __shared__ float s[96];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 48; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[0] = s[0] * n;
}

// CHECK-LABEL: rounds (
// CHECK: declined  shuffle-reduction: 's' at line {{.*}}: a floating-point sum or product would be taken in another order, which needs allow(reassociate)
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[1]), shape(n = 1))
__global__ void rounds(const float *x, float *y, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[0] = s[0] * n;
}

//   an inclusive scan leaves the sum in its last slot, and all others are read
// CHECK-LABEL: scan (
// CHECK: kept
// CHECK-NOT: changed
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[64]), shape(n = 1))
__global__ void scan(const int *x, int *y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x] * n;
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
    __syncthreads();
    s[threadIdx.x] += v;
    __syncthreads();
  }
  y[threadIdx.x] = s[threadIdx.x];
}

// CHECK-LABEL: reads_a_part (
// CHECK: declined  shuffle-reduction: 's' at line {{.*}}: a slot is read that holds part of the fold at line
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[2]), shape(n = 1))
__global__ void reads_a_part(const int *x, int *y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x < 2)
    y[threadIdx.x] = s[threadIdx.x] * n;
}

//   threads beyond n have left: their lanes take part in no shuffle
// CHECK-LABEL: threads_leave (
// CHECK: declined  shuffle-reduction: 's' at line {{.*}}: threads may leave before the barrier at line
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[1]), shape(n = 64))
__global__ void threads_leave(const int *x, int *y, int n) {
  __shared__ int s[64];
  if (threadIdx.x >= n)
    return;
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[0] = s[0];
}

// CHECK-LABEL: block_varies (
// CHECK: declined  shuffle-reduction: the block is not known to be the same in every launch
KERNEL_OPTIMIZE(grid(1), block(n), in(x[n]), out(y[1]), shape(n = 64), shape(n = 32))
__global__ void block_varies(const int *x, int *y, int n) {
  __shared__ int s[1024];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  TREE(s, blockDim.x, +=)
  if (threadIdx.x == 0)
    y[0] = s[0];
}

//   a difference knows an order
// CHECK-LABEL: differences (
// CHECK: kept
// CHECK-NOT: changed
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[1]), shape(n = 1))
__global__ void differences(const int *x, int *y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x] * n;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] -= s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[0] = s[0];
}

// CHECK-LABEL: by_a_macro (
// CHECK: declined  shuffle-reduction: 's' at line {{.*}}: it is written by a macro
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[1]), shape(n = 1))
__global__ void by_a_macro(const int *x, int *y, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x] * n;
  __syncthreads();
  TREE(s, 64, +=)
  if (threadIdx.x == 0)
    y[0] = s[0];
}
