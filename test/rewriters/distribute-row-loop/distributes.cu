// REQUIRES: nvcc
// Rows that one thread walks are walked by a group of lanes: sums, extrema, loops that only store, other spellings.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright distribute-row-loop > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/distributes.cu %s
// RUN: %warpwright verify %s %t/distributes.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %nvcc -arch=sm_90 -I%source_dir/include -c %t/distributes.cu -o %t/object.o
#include <warpwright/annotate.h>

// CHECK-LABEL: products (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// CHECK: launch    changed: grid ceil_div(rows, 4), block 32, 4
// SAME: products{{.*}}accepted
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), in(x[cols]), inout(y[rows]),
                shape(rows = 64, cols = 100), tolerance(rel = 1e-3), allow(reassociate, launch_change),
                forbid(bound-launch, coarsen-threads, demote-double, qualify-restrict, resize-block))
__global__ void products(const float *a, const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) sum += a[r * cols + c] * x[c];
  y[r] = 0.5f * y[r] + sum;
}
// TEXT: {{^}}__global__ void products_warpwright(
// TEXT-NEXT: int r = blockIdx.x * blockDim.y + threadIdx.y;
// TEXT: // The lanes walk the row side by side.
// TEXT-NEXT: for (int c = threadIdx.x; c < cols; c += 32) sum += a[r * cols + c] * x[c];
// TEXT-NEXT: // Every lane gets the sum of the row.
// TEXT-NEXT: for (int offset = 16; offset > 0; offset /= 2)
// TEXT-NEXT: sum += __shfl_xor_sync(0xffffffff, sum, offset);
// TEXT-NEXT: if (threadIdx.x == 0)
// TEXT-NEXT: y[r] = 0.5f * y[r] + sum;

// Counted down, a place beside the extremum, a second loop that stores.
// CHECK-LABEL: peaks (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME: peaks{{.*}}accepted
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(a[rows * cols]), out(b[rows * cols]), out(at[rows]),
                shape(rows = 40, cols = 50), tolerance(rel = 1e-3), allow(reassociate, launch_change), require(cols > 0),
                forbid(bound-launch, coarsen-threads, demote-double, qualify-restrict, resize-block))
__global__ void peaks(const double *a, double *b, int *at, long rows, long cols) {
  const long row = threadIdx.x + blockDim.x * static_cast<long>(blockIdx.x);
  if (row < rows) {
    const double *mine = a + row * cols;
    double best = mine[cols - 1];
    int place = cols - 1;
    for (long c = cols - 1; c >= 0; --c)
      if (mine[c] >= best) {
        best = mine[c];
        place = c;
      }
    for (long c = 0; c < cols; ++c)
      b[row * cols + c] = mine[c] - best;
    at[row] = place;
  }
}

// A helper, a template, a starting value that is no zero.
__device__ float weigh(float v) { return v * v; }
// CHECK-LABEL: energies<float> (
// CHECK: changed   distribute-row-loop lanes=32 rows=4
// SAME: energies<float>{{.*}}accepted
template <typename T>
KERNEL_OPTIMIZE(grid(ceil_div(p, 128)), block(128), in(a[p * q]), in(start[p]), out(y[p]), shape(p = 33, q = 70),
                tolerance(rel = 1e-3), allow(reassociate, launch_change),
                forbid(bound-launch, coarsen-threads, demote-double, qualify-restrict, resize-block))
__global__ void energies(const T *a, const T *start, T *y, unsigned p, int q) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p)
    return;
  T sum = start[i];
  for (int j = 0; j < q; ++j)
    sum += weigh(a[i * q + j]);
  y[i] = sum;
}

void launch(const float *a, const float *x, float *y, const double *d, double *b, int *at, int rows, int cols) {
  products<<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
  peaks<<<(rows + 63) / 64, 64>>>(d, b, at, rows, cols);
  energies<float><<<(rows + 127) / 128, 128>>>(a, x, y, rows, cols);
}
