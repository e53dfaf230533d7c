// REQUIRES: nvcc
// What keeps a kernel from being tiled, with the missing fact named.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright stage-shared-tile > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: unasked (
// CHECK: declined  stage-shared-tile: it would change the launch, which allow(launch_change) does not admit
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 64))
__global__ void unasked(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// The length of the loop differs between threads.
// CHECK-LABEL: triangle (
// CHECK: declined  stage-shared-tile: the statement at line [[#@LINE+7]] is a loop whose bounds were not proved to be the same for all threads
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void triangle(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) {
    float sum = 0;
    for (int i = 0; i < row; ++i)
      sum += a[row * n + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}
void launchTriangle(const float *a, const float *b, float *c, int n) {
  triangle<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
}

// CHECK-LABEL: diagonal (
// CHECK: declined  stage-shared-tile: the statement at line [[#@LINE+5]] guards by a condition that bounds no single coordinate
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), out(c[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void diagonal(const float *a, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row + col < n)
    c[row * n + col] = a[row * n + col] + a[col * n + row];
}
void launchDiagonal(const float *a, float *c, int n) {
  diagonal<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, c, n);
}

// Where nobody passes the guard, the box that they would read is not known to be in the buffer.
// CHECK-LABEL: unknown (
// CHECK: declined  stage-shared-tile: no read is made again often enough
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in), inout(out[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void unknown(const float *in, float *out, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    out[row * n + col] = in[row * n + col] + in[(row - 1) * n + col] + in[(row + 1) * n + col];
}
void launchUnknown(const float *in, float *out, int n) {
  unknown<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
}
