// REQUIRES: nvcc
// Loops whose elements must stay with their threads, or one by one.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright vectorise-access > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not ls %t/declines.cu
#include <warpwright/annotate.h>

//   sums of blocks: an element must not go to another block
// CHECK-LABEL: block_sums (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: 'sum': the sum of a block goes elsewhere than into one atomic of the grid
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n]), out(y[4]), shape(n = 1000), shape(n = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void block_sums(const float *x, float *y, int n) {
  __shared__ float s[64];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = s[0];
}

// CHECK-LABEL: by_thread (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: 'threadIdx.x' differs between those who share it
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7))
__global__ void by_thread(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i] * threadIdx.x;
}

//   the last iteration's store is the next one's load
// CHECK-LABEL: walks (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: 'x' is written, and touched at different places
KERNEL_OPTIMIZE(grid(1), block(1), inout(x[n + 1]), shape(n = 1000), shape(n = 7))
__global__ void walks(float *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i + 1] = x[i] * 0.5f;
}

// CHECK-LABEL: may_be_one_buffer (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: nothing says that 'y' and 'x' do not overlap
KERNEL_OPTIMIZE(grid(1), block(64), in(x[n]), out(y[n]), may_alias(x, y), shape(n = 1000), shape(n = 7))
__global__ void may_be_one_buffer(const float *x, float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = x[i];
}

//   what one loop has stored, another loads: from the same thread, until elements change hands
// CHECK-LABEL: twice (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: 'y' is touched elsewhere, at line
KERNEL_OPTIMIZE(grid(1), block(64), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7))
__global__ void twice(const float *x, float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = x[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = y[i] * 2;
}

//   beyond m there may be no element to load
// CHECK-LABEL: under_a_condition (
// CHECK: kept
// CHECK-NOT: changed
KERNEL_OPTIMIZE(grid(1), block(64), in(x[m]), inout(y[64]), shape(n = 1000, m = 10), shape(n = 7, m = 3))
__global__ void under_a_condition(const float *x, float *y, int n, int m) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i)
    sum += i < m ? x[i] : 1.0f;
  y[threadIdx.x] = sum;
}

// CHECK-LABEL: by_atomics (
// CHECK: declined  vectorise-access: the loop at line {{.*}}: what its body does at line {{.*}} is not followed
KERNEL_OPTIMIZE(grid(1), block(64), in(x[n]), inout(y[1]), shape(n = 1000), shape(n = 7))
__global__ void by_atomics(const int *x, int *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(y, x[i]);
}
