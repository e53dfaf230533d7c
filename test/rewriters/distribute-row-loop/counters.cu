// REQUIRES: nvcc
// Lanes that share a row move its counter by their number at a time: further beyond the bound than the original did.
// Where that would wrap, the loop runs on; and what a lane holds that ran no iteration is no find of its own.
//
// RUN: rm -rf %t && only-rewriter %warpwright distribute-row-loop > %t.json
// RUN: %warpwright optimize %s --no-verify --choose-any --policy %t.json --format json --output-dir %t -- -arch=sm_90 -I%source_dir/include > %t.out
// RUN: FileCheck %s --input-file=%t.out
#include <warpwright/annotate.h>

// Nothing is below zero.
// CHECK: "name": "down"
// CHECK: "reason": "line [[#@LINE+9]] walks a row, but 'c' would wrap before it passes its bound"
// CHECK: "candidates": []
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void down(const float *a, float *y, int rows, unsigned cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = 0.0f;
  for (unsigned c = cols; c > 0; --c)
    s += a[r * cols + c - 1];
  y[r] = s;
}

// CHECK: "name": "bytes"
// CHECK: "reason": "line [[#@LINE+8]] walks a row, but 'c' would wrap before it passes its bound"
// CHECK: "candidates": []
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * 250]), out(y[rows]), shape(rows = 70), allow(launch_change))
__global__ void bytes(const int *a, int *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int s = 0;
  for (unsigned char c = 0; c < 250; ++c)
    s += a[r * 250 + c];
  y[r] = s;
}

// A shape of the family is near the largest number.
// CHECK: "name": "largest"
// CHECK: "reason": "line [[#@LINE+9]] walks a row, but 'c' would wrap where cols = 2147483647, rows = 1"
// CHECK: "candidates": []
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50), shape(rows = 1, cols = 2147483647), require(rows > 0))
__global__ void largest(const float *a, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c)
    s += a[(size_t)r * cols + c];
  y[r] = s;
}

// Assumed, in words for a require(); and proved by one.
// CHECK: "name": "assumed"
// CHECK: "lanes": 32
// CHECK: "assumptions": [
// CHECK-NEXT: "cols <= 2147483616, or 'c' would wrap"
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void assumed(const float *a, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const int end = cols;
  float s = 0.0f;
  for (int c = 0; c < end; ++c)
    s += a[r * cols + c];
  y[r] = s;
}
// CHECK: "name": "required"
// CHECK: "lanes": 32
// CHECK: "assumptions": [],
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50), require(rows > 0 && cols < 100000))
__global__ void required(const float *a, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = 0.0f;
  for (int c = 0; c < cols; ++c)
    s += a[r * cols + c];
  y[r] = s;
}

// What equals the value before the loop is found, and a lane that saw nothing holds that value, too.
// CHECK: "name": "ties"
// CHECK: "reason": "line [[#@LINE+8]] may find what 'best' holds before, which cannot be told from finding nothing"
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void ties(const int *a, int *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int best = 0, at = cols;
  for (int c = 0; c < cols; ++c)
    if (a[r * cols + c] >= best) {
      best = a[r * cols + c];
      at = c;
    }
  y[r] = at;
}

// 4 && true is 1, and 4 & 1 is 0.
// CHECK: "name": "truth"
// CHECK: "reason": "line [[#@LINE+8]] takes 'all' for true or false, which it need not be before"
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void truth(const int *a, int *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int all = 4;
  for (int c = 0; c < cols; ++c)
    all = all && a[r * cols + c] > 3;
  y[r] = all;
}

// Which of two a comparison takes where one is NaN depends on the order; what skips NaN does not.
// CHECK: "name": "takes"
// CHECK: "assumptions": [
// CHECK: "nothing that 's' is made of is NaN: what a comparison takes then depends on the order"
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void takes(const float *a, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = -1.0f;
  for (int c = 0; c < cols; ++c)
    s = s > a[r * cols + c] ? s : a[r * cols + c];
  y[r] = s;
}
// CHECK: "name": "skips"
// CHECK-NOT: NaN
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(y[rows]), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), shape(rows = 70, cols = 50))
__global__ void skips(const float *a, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float s = -1.0f;
  for (int c = 0; c < cols; ++c)
    s = s < a[r * cols + c] ? a[r * cols + c] : s;
  y[r] = s;
}

void launch(const float *a, float *y, const int *i, int *j, int rows, int cols) {
  down<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
  bytes<<<(rows + 63) / 64, 64>>>(i, j, rows);
  largest<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
  assumed<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
  required<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
  ties<<<(rows + 63) / 64, 64>>>(i, j, rows, cols);
  truth<<<(rows + 63) / 64, 64>>>(i, j, rows, cols);
  takes<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
  skips<<<(rows + 63) / 64, 64>>>(a, y, rows, cols);
}
