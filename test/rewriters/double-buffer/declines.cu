// REQUIRES: nvcc
// What is left alone, with the missing fact.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright double-buffer > %t/policy.json
// RUN: %warpwright optimize --choose-any --no-verify --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: written (
// CHECK: the kernel writes what is loaded, 'y', at line [[# @LINE + 6]]
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void written(const float *x, float *y, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = y[t * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

// CHECK-LABEL: aliased (
// CHECK: 'x': {{.*}}'y'
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), may_alias(x, y), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void aliased(const float *x, float *y, int n) {
  __shared__ float tile[64];
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    y[t * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
}

// CHECK-LABEL: stale (
// CHECK: elements of a tile may be left as they were at line [[# @LINE + 6]], in some iterations
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void stale(const float *x, float *y, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    if (t % 2 == 0 || threadIdx.x < 32)
      tile[threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

// CHECK-LABEL: rotating (
// CHECK: where in a tile an element goes, at line [[# @LINE + 7]], depends on the iteration
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void rotating(const float *x, float *y, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    const int shift = t % 64;
    tile[(threadIdx.x + shift) % 64] = x[t * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

// CHECK-LABEL: shared_outside (
// CHECK: 'tile' is used outside of the loop, at line [[# @LINE + 10]]
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void shared_outside(const float *x, float *y, int n) {
  __shared__ float tile[64];
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    y[t * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = tile[threadIdx.x];
}

// CHECK-LABEL: handed_on (
// CHECK: the work hands on more than it reads of shared memory
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void handed_on(const float *x, float *y, int n) {
  __shared__ float tile[64];
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    const float *mine = &tile[63 - threadIdx.x];
    y[t * 64 + threadIdx.x] = *mine;
    __syncthreads();
  }
}

// CHECK-LABEL: chained (
// CHECK: 'at', which changes from iteration to iteration, serves both the loads and the work
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void chained(const float *x, float *y, int n) {
  __shared__ float tile[64];
  int at = threadIdx.x;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = x[at];
    __syncthreads();
    y[at] = tile[63 - threadIdx.x];
    at += 64;
    __syncthreads();
  }
}

// CHECK-LABEL: once (
// CHECK: it waits once an iteration
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void once(const float *x, float *y, int n) {
  __shared__ float tile[2][64];
  for (int t = 0; t < n; ++t) {
    tile[t % 2][threadIdx.x] = x[t * 64 + threadIdx.x];
    __syncthreads();
    y[t * 64 + threadIdx.x] = tile[t % 2][63 - threadIdx.x];
  }
}

//   converted on the way: through registers alone
// CHECK-LABEL: converted (
// CHECK: changed   double-buffer copies=0 stages=2
// CHECK: by copies: none of its tiles gets 4, 8 or 16 bytes as they are in global memory
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void converted(const float *x, float *y, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int t = 0; t < n; ++t) {
    tile[threadIdx.x] = 2.0f * x[t * 64 + threadIdx.x];
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}

//   neither a loop with barriers
// CHECK-LABEL: plain (
// CHECK-NOT: double-buffer
KERNEL_OPTIMIZE(grid(4), block(64), in(x[n * 64 + 64]), inout(y[n * 64 + 64]), shape(n = 9), shape(n = 2), shape(n = 1))
__global__ void plain(const float *x, float *y, int n) {
  for (int t = 0; t < n; ++t)
    y[t * 64 + threadIdx.x] = x[t * 64 + threadIdx.x];
}
