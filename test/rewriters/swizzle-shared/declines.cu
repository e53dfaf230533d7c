// What keeps a shared array from being mixed.
//
// RUN: rm -rf %t && %warpwright optimize %s --no-verify --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: escapes (
// CHECK: declined  swizzle-shared: 'tile': its address escapes at line [[#@LINE+6]]
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void escapes(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  float *p = &tile[threadIdx.x][0];
  out[threadIdx.x] = p[32 * n - 32];
}

// CHECK-LABEL: unbounded (
// CHECK: declined  swizzle-shared: 'tile': the subscript 'n' at line {{.*}} was not proved to stay within its extent
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void unbounded(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][n] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][n];
}

// CHECK-LABEL: odd (
// CHECK: declined  swizzle-shared: 'tile': a row has 48 elements, no power of two
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1))
__global__ void odd(const float *in, float *out, int n) {
  __shared__ float tile[32][48];
  tile[threadIdx.x][3] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][3] + n;
}
