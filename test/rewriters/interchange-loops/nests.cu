// REQUIRES: nvcc
// Nested loops change places where that makes neighbours of neighbouring iterations or lanes, and nothing is carried the wrong way.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright interchange-loops > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/nests.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/nests.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/nests.cubin %t/nests.cu
#include <warpwright/annotate.h>

//   a tile of its own for each thread, column by column
// CHECK-LABEL: columns (
// CHECK: changed   interchange-loops
// TEXT-LABEL: void columns(
// TEXT: {{^  }}// 'r' counts neighbouring elements, so it is counted in the inner loop.
// TEXT-NEXT: {{^  }}for (int c = 0; c < cols; ++c)
// TEXT-NEXT: {{^    }}for (int r = 0; r < rows; r++)
// TEXT-NEXT: {{^      }}y[c * rows + r] = x[c * rows + r] * 2.0f;
// VERIFY: columns: accepted
KERNEL_OPTIMIZE(grid(1), block(1), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 20, cols = 30), shape(rows = 1, cols = 7))
__global__ void columns(const float *x, float *y, int rows, int cols) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; ++c)
      y[c * rows + r] = x[c * rows + r] * 2.0f;
}

//   rows that threads take in turns become columns
// CHECK-LABEL: turns (
// CHECK: changed   interchange-loops
// TEXT-LABEL: void turns(
// TEXT: {{^  }}for (int r = 0; r < rows; ++r) {
// TEXT-NEXT: {{^    }}for (int c = threadIdx.x; c < cols; c += blockDim.x) {
// TEXT-NEXT: {{^      }}y[r * cols + c] = x[r * cols + c] + scale[r];
// VERIFY: turns: accepted
KERNEL_OPTIMIZE(grid(1), block(64), in(x[rows * cols]), in(scale[rows]), out(y[rows * cols]), shape(rows = 20, cols = 30), shape(rows = 100, cols = 7))
__global__ void turns(const float *x, const float *scale, float *y, int rows, int cols) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    for (int c = 0; c < cols; ++c) {
      y[r * cols + c] = x[r * cols + c] + scale[r];
    }
  }
}

//   a sum over both loops rounds otherwise
// CHECK-LABEL: total (
// CHECK: declined  interchange-loops: the loop at line {{.*}}: 'sum' is a floating-point sum
KERNEL_OPTIMIZE(grid(1), block(1), in(x[rows * cols]), out(y[1]), shape(rows = 20, cols = 30), shape(rows = 1, cols = 7))
__global__ void total(const float *x, float *y, int rows, int cols) {
  float sum = 0.0f;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; ++c)
      sum += x[c * rows + r];
  y[0] = sum;
}

//   an element that iterations hand on, one of which is to come earlier
// CHECK-LABEL: carried (
// CHECK: declined  interchange-loops: the loop at line {{.*}}: one iteration may write what another reads
KERNEL_OPTIMIZE(grid(1), block(1), inout(y[rows * cols]), shape(rows = 20, cols = 30), shape(rows = 3, cols = 7))
__global__ void carried(float *y, int rows, int cols) {
  for (int r = 0; r < rows; r++)
    for (int c = 1; c < cols; ++c)
      y[c * rows + r] = y[(c - 1) * rows + rows - 1 - r] * 0.5f;
}

//   rows that lie closer than a row is long may overlap
// CHECK-LABEL: overlapping (
// CHECK: declined  interchange-loops: the loop at line {{.*}}: two iterations may touch the same element of 'y'
KERNEL_OPTIMIZE(grid(1), block(1), out(y[rows * cols + pitch * cols]), shape(rows = 20, cols = 30, pitch = 3), shape(rows = 3, cols = 7, pitch = 9))
__global__ void overlapping(int *y, int rows, int cols, int pitch) {
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; ++c)
      y[c * pitch + r] = r - c;
}
