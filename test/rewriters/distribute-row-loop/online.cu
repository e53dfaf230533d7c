// REQUIRES: nvcc
// A maximum and a sum of exponentials relative to it, carried on in one pass: each of the three ways to write it.
//
// RUN: rm -rf %t && %warpwright optimize %s --apply 'distribute-row-loop lanes=256' --apply 'distribute-row-loop lanes=8' \
// RUN:   --no-verify --output-dir %t --candidates-dir %t/all -- -arch=sm_90 -I%source_dir/include
// RUN: FileCheck --check-prefix=NEXT --input-file=%t/all/next/distribute-row-loop_lanes=8_registers=8_rows=16.cu %s
// RUN: %warpwright verify %s %t/all/next/distribute-row-loop_lanes=8_registers=8_rows=16.cu --kernel next -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/old/distribute-row-loop_lanes=256_rows=1.cu --kernel old -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/branched/distribute-row-loop_lanes=256_rows=1.cu --kernel branched -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: accepted
#include <warpwright/annotate.h>

// NEXT: // Every lane gets the maximum and what is relative to it of the row.
// NEXT-NEXT: for (int offset = 4; offset > 0; offset /= 2) {
// NEXT-NEXT: const auto otherSum = __shfl_xor_sync(rowLanes, sum, offset);
// NEXT-NEXT: const auto otherTop = __shfl_xor_sync(rowLanes, top, offset);
// NEXT-NEXT: if (otherTop > top) {
// NEXT-NEXT: sum = sum * expf(top - otherTop) + otherSum;
// NEXT-NEXT: top = otherTop;
// NEXT-NEXT: } else {
// NEXT-NEXT: sum += otherTop < top ? otherSum * expf(otherTop - top) : otherSum;
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 33, cols = 70),
                shape(rows = 4, cols = 1), shape(rows = 3, cols = 700), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void next(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float top = -INFINITY, sum = 0.0f;
  for (int c = 0; c < cols; ++c) {
    float v = x[r * cols + c];
    float higher = fmaxf(top, v);
    sum = sum * expf(top - higher) + expf(v - higher);
    top = higher;
  }
  for (int c = 0; c < cols; ++c)
    y[r * cols + c] = expf(x[r * cols + c] - top) / sum;
}

// The first element stands for all lanes, its count for one.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(x[rows * cols]), out(y[rows]), shape(rows = 33, cols = 70),
                shape(rows = 4, cols = 1), shape(rows = 3, cols = 700), require(cols > 0), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void old(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 1.0f, top = x[r * cols];
  for (int c = 1; c < cols; ++c) {
    const float before = top;
    top = x[r * cols + c] > before ? x[r * cols + c] : before;
    sum *= __expf(before - top);
    sum += __expf(x[r * cols + c] - top);
  }
  y[r] = top + logf(sum);
}

KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(x[rows * cols]), out(y[rows]), shape(rows = 33, cols = 70),
                shape(rows = 4, cols = 1), shape(rows = 3, cols = 700), tolerance(rel = 1e-6), allow(reassociate, launch_change))
__global__ void branched(const double *x, double *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  double m = -1e300, s = 0;
  for (int c = 0; c < cols; ++c) {
    double v = 3 * x[r * cols + c];
    if (v > m) {
      s = 1 + s * exp(m - v);
      m = v;
    } else {
      s += exp(v - m);
    }
  }
  y[r] = m + s;
}

void launch(const float *x, float *y, const double *d, double *e, int rows, int cols) {
  next<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
  old<<<(rows + 63) / 64, 64>>>(x, y, rows, cols);
  branched<<<(rows + 63) / 64, 64>>>(d, e, rows, cols);
}
