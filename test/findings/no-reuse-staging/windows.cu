// REQUIRES: nvcc
// A matrix product straight from global memory, a stencil, and code that has nothing to share.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: windows.cu:[[#@LINE+6]]:{{.*}}: warning: each element of 'a' is read by 16 threads of a block, each from global memory: 16 times the bytes that are distinct (n = 256) [warpwright-no-reuse-staging]
// CHECK: windows.cu:[[#@LINE+5]]:{{.*}}: warning: each element of 'b' is read by 16 threads of a block
KERNEL_OPTIMIZE(grid(n / 16, n / 16), block(16, 16), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 256))
__global__ void product(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// CHECK: windows.cu:[[#@LINE+5]]:{{.*}}: warning: each element of 'in' is read by 3 threads of a block
// CHECK: note: the same window is read here
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n + 2]), out(out[n]), shape(n = 65536))
__global__ void blur(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] +
           in[i + 1] +
           in[i + 2];
}

// Each thread reads its own elements, twice: that is not reuse between threads.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(out[n]), shape(n = 65536))
__global__ void alone(const float *in, float *out, int n) {
  float sum = 0, largest = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) largest = fmaxf(largest, in[i] / sum);
  out[blockIdx.x * 256 + threadIdx.x] = largest;
}

// One coefficient for the whole warp comes with one request.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), in(w[64]), out(out[n]), shape(n = 65536))
__global__ void broadcast(const float *in, const float *w, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = in[i], sum = 0;
  for (int k = 0; k < 64; ++k) sum = sum * v + w[k];
  out[i] = sum;
}

// Rows that a table names: unknown.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), in(rows[256]), out(out[n]), shape(n = 65536))
__global__ void gather(const float *in, const int *rows, float *out, int n) {
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += in[rows[threadIdx.x] + k];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// CHECK-NOT: warpwright-no-reuse-staging
