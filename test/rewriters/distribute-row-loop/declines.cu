// REQUIRES: nvcc
// What keeps a row from being shared out.
//
// RUN: rm -rf %t && %warpwright optimize %s --choose-any --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK-LABEL: prefixes (
// CHECK: declined  distribute-row-loop: line [[#@LINE+8]] walks a row, but each iteration needs what the last one made of 'sum'
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), out(b[rows * cols]),
                shape(rows = 64, cols = 100), allow(reassociate, launch_change))
__global__ void prefixes(const float *a, float *b, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) {
    sum += a[r * cols + c];
    b[r * cols + c] = sum;
  }
}

// The running maximum is seen, so that its order is.
// CHECK-LABEL: seen (
// CHECK: declined  distribute-row-loop: line [[#@LINE+8]] walks a row, but each iteration needs what the last one made of 'sum'
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 33, cols = 70),
                shape(rows = 4, cols = 1), shape(rows = 3, cols = 700), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void seen(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float top = -INFINITY, sum = 0.0f;
  for (int c = 0; c < cols; ++c) {
    float v = x[r * cols + c], higher = fmaxf(top, v);
    sum = sum * expf(top - higher) + expf(v - higher);
    y[r * cols + c] = higher;
    top = higher;
  }
}

// CHECK-LABEL: ordered (
// CHECK: declined  distribute-row-loop: line [[#@LINE+8]] adds up 'sum', whose order allow(reassociate) would have to free
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), out(b[rows]),
                shape(rows = 64, cols = 100), allow(launch_change))
__global__ void ordered(const float *a, float *b, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += a[r * cols + c];
  b[r] = sum;
}

// CHECK-LABEL: shifted (
// CHECK: declined  distribute-row-loop: what line {{[0-9]+}} stores may be what another lane accesses at line {{[0-9]+}}
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), inout(a[rows * cols]), shape(rows = 64, cols = 100),
                allow(reassociate, launch_change))
__global__ void shifted(float *a, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int c = 0; c < cols - 1; ++c)
    a[r * cols + c] = a[r * cols + c + 1];
}

// CHECK-LABEL: searched (
// CHECK: declined  distribute-row-loop: line [[#@LINE+8]] walks a row, but it may be left early
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), out(b[rows]),
                shape(rows = 64, cols = 100), allow(reassociate, launch_change))
__global__ void searched(const float *a, int *b, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int found = -1;
  for (int c = 0; c < cols; ++c)
    if (a[r * cols + c] > 0.5f) {
      found = c;
      break;
    }
  b[r] = found;
}

void launch(float *a, float *b, int *c, int rows, int cols) {
  prefixes<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  ordered<<<(rows + 127) / 128, 128>>>(a, b, rows, cols);
  shifted<<<(rows + 127) / 128, 128>>>(a, rows, cols);
  searched<<<(rows + 127) / 128, 128>>>(a, c, rows, cols);
}
