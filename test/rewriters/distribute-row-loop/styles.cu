// REQUIRES: nvcc
// Rows that one thread walks, in other styles: pointers, structs by value, loops that count down, blocks spelt as numbers.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright distribute-row-loop > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: %warpwright verify %s %t/styles.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <warpwright/annotate.h>

struct Matrix {
  int rows, cols;
};

// CHECK-LABEL: norm_rows (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME-DAG: norm_rows -> norm_rows_warpwright: accepted
// A pointer that walks the row.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(x[rows * cols]), out(y[rows]), shape(rows = 33, cols = 70),
                shape(rows = 4, cols = 1), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void norm_rows(const float *x, float *y, int rows, int cols) {
  const int row = threadIdx.x + blockIdx.x * blockDim.x;
  if (row >= rows)
    return;
  const float *begin = x + (size_t)row * cols, *end = begin + cols;
  float sum = 0.f;
  for (const float *p = begin; p < end; ++p)
    sum += *p * *p;
  y[row] = sqrtf(sum);
}

// CHECK-LABEL: mean_rows (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME-DAG: mean_rows -> mean_rows_warpwright: accepted
// A struct by value, and a loop that counts down.
KERNEL_OPTIMIZE(grid(ceil_div(m.rows, 64)), block(64), in(x[m.rows * m.cols]), out(y[m.rows]), shape(m.rows = 33, m.cols = 70),
                shape(m.rows = 4, m.cols = 1), tolerance(rel = 1e-6), allow(reassociate, launch_change))
__global__ void mean_rows(Matrix m, const double *x, double *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < m.rows) {
    double sum = 0;
    for (int c = m.cols - 1; c >= 0; --c)
      sum += x[r * m.cols + c];
    y[r] = sum / m.cols;
  }
}

// CHECK-LABEL: argmax_rows (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME-DAG: argmax_rows -> argmax_rows_warpwright: accepted
// The place of the largest of each row.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 32)), block(32), in(x[rows * cols]), out(place[rows]), shape(rows = 20, cols = 100),
                shape(rows = 4, cols = 1), require(cols > 0), tolerance(exact), allow(reassociate, launch_change))
__global__ void argmax_rows(const float *x, int *place, int rows, int cols) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows)
    return;
  float best = x[r * cols];
  int at = 0;
  for (int c = 1; c < cols; c++) {
    if (x[r * cols + c] > best) {
      best = x[r * cols + c];
      at = c;
    }
  }
  place[r] = at;
}

// CHECK-LABEL: any_beyond (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME-DAG: any_beyond -> any_beyond_warpwright: accepted
// Whether any element of the row is beyond a bound.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(x[rows * cols]), out(flags[rows]), shape(rows = 20, cols = 100, bound = 0.5),
                shape(rows = 4, cols = 1, bound = 0.5), tolerance(exact), allow(launch_change))
__global__ void any_beyond(const float *x, unsigned char *flags, float bound, unsigned rows, unsigned cols) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int any = 0;
  for (unsigned c = 0; c < cols; ++c)
    if (fabsf(x[r * cols + c]) > bound)
      any = 1;
  flags[r] = any;
}

// CHECK-LABEL: log_softmax (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME-DAG: log_softmax -> log_softmax_warpwright: accepted
// Three passes over a row, by its pointer.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 9, cols = 300),
                shape(rows = 4, cols = 1), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void log_softmax(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *row = x + (long)r * cols;
  float *to = y + (long)r * cols;
  float top = -INFINITY;
  for (int j = 0; j < cols; j++)
    top = row[j] > top ? row[j] : top;
  float sum = 0.f;
  for (int j = 0; j < cols; j++)
    sum += expf(row[j] - top);
  float shift = top + logf(sum);
  for (int j = 0; j < cols; j++)
    to[j] = row[j] - shift;
}

void launch(const float *x, float *y, const double *d, double *e, int *places, unsigned char *flags, int rows, int cols,
            Matrix m) {
  norm_rows<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
  mean_rows<<<(m.rows + 63) / 64, 64>>>(m, d, e);
  argmax_rows<<<(rows + 31) / 32, 32>>>(x, places, rows, cols);
  any_beyond<<<(rows + 127) / 128, 128>>>(x, flags, 1.0f, rows, cols);
  log_softmax<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
}
