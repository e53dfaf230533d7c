// REQUIRES: nvcc
// What keeps blocks from running side by side, with the missing fact named.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright jam-blocks > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: unasked (
// CHECK: declined  jam-blocks: it would change the launch, which allow(launch_change) does not admit
KERNEL_OPTIMIZE(grid(n), block(64), in(x[64]), out(y[n * 64]), shape(n = 5))
__global__ void unasked(const float *x, float *y, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += tile[i] * blockIdx.x;
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchUnasked(const float *x, float *y, int n) { unasked<<<n, 64>>>(x, y, n); }

// Tiles of their own.
// CHECK-LABEL: apart (
// CHECK: declined  jam-blocks: blocks along x: they have no shared array in common
KERNEL_OPTIMIZE(grid(n), block(64), in(x[n * 64]), out(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void apart(const float *x, float *y, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += tile[i];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchApart(const float *x, float *y, int n) { apart<<<n, 64>>>(x, y, n); }

// The last block would add twice.
// CHECK-LABEL: adds (
// CHECK: declined  jam-blocks: it reads what it writes, and the last block may do its work twice
KERNEL_OPTIMIZE(grid(n), block(64), in(x[64]), inout(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void adds(const float *x, float *y, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 64; ++i)
    y[blockIdx.x * 64 + threadIdx.x] += tile[i];
}
void launchAdds(const float *x, float *y, int n) { adds<<<n, 64>>>(x, y, n); }

// Blocks wait another number of times.
// CHECK-LABEL: steps (
// CHECK: declined  jam-blocks: blocks along x: some of them alone would wait for other threads
KERNEL_OPTIMIZE(grid(n), block(64), in(x[64]), out(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void steps(const float *x, float *y, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  float sum = 0;
  for (int step = 0; step < blockIdx.x; ++step) {
    __syncthreads();
    for (int i = 0; i < 64; ++i)
      sum += tile[i];
  }
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchSteps(const float *x, float *y, int n) { steps<<<n, 64>>>(x, y, n); }

// CHECK-LABEL: returns (
// CHECK: declined  jam-blocks: blocks along x: some of them alone may return early
KERNEL_OPTIMIZE(grid(n), block(64), in(x[64]), out(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void returns(const float *x, float *y, int n) {
  __shared__ float tile[64];
  if (blockIdx.x >= n)
    return;
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += tile[i] * blockIdx.x;
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchReturns(const float *x, float *y, int n) { returns<<<n, 64>>>(x, y, n); }

// A pointer walks over what each block would have for itself.
// CHECK-LABEL: pointer (
// CHECK: declined  jam-blocks: blocks along x: a pointer into 'own' goes elsewhere
KERNEL_OPTIMIZE(grid(n), block(64), in(x[n * 64]), out(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void pointer(const float *x, float *y, int n) {
  __shared__ float tile[64], own[64];
  float *p = own;
  tile[threadIdx.x] = x[threadIdx.x];
  p[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += tile[i] * p[i];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchPointer(const float *x, float *y, int n) { pointer<<<n, 64>>>(x, y, n); }

// Twice 24 KiB and the common tile.
// CHECK-LABEL: large (
// CHECK: declined  jam-blocks: 2 blocks along x would take 49408 bytes of shared memory
KERNEL_OPTIMIZE(grid(n), block(64), in(x[n * 64]), out(y[n * 64]), shape(n = 5), allow(launch_change))
__global__ void large(const float *x, float *y, int n) {
  __shared__ float tile[64], own[6144];
  tile[threadIdx.x] = x[threadIdx.x];
  for (int i = threadIdx.x; i < 6144; i += 64)
    own[i] = x[blockIdx.x * 64 + i % 64];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += tile[i] * own[i * 96];
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchLarge(const float *x, float *y, int n) { large<<<n, 64>>>(x, y, n); }
