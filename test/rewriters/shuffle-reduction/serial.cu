// REQUIRES: nvcc
// One thread that walks what the block has left in shared memory.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright shuffle-reduction > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/serial.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/serial.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/serial.cubin %t/serial.cu
#include <warpwright/annotate.h>

//   two sums at once; all threads need them
// CHECK-LABEL: two_sums (
// CHECK: changed   shuffle-reduction, line {{.*}}: one thread walks 'sums', 'squares'
// TEXT-LABEL: void two_sums(
// TEXT: __shared__ float sums[4];
// TEXT-NEXT: __shared__ float squares[4];
// TEXT: sum += __shfl_down_sync(0xffffffff, sum, offset);
// TEXT-NEXT: square += __shfl_down_sync(0xffffffff, square, offset);
// TEXT: if (threadIdx.x == 0) {
// TEXT-NEXT: sums[0] = sum;
// TEXT-NEXT: squares[0] = square;
// TEXT-NEXT: }
// TEXT-NEXT: }
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: float mean
// VERIFY: two_sums: accepted
KERNEL_OPTIMIZE(grid(rows), block(128), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 2, cols = 300),
                shape(rows = 1, cols = 3), tolerance(rel = 1e-3), allow(reassociate))
__global__ void two_sums(const float *x, float *y, int rows, int cols) {
  __shared__ float sums[200];
  __shared__ float squares[200];
  const float *row = x + blockIdx.x * cols;
  float sum = 0.0f, square = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    sum += row[c];
    square += row[c] * row[c];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) {
      sums[0] += sums[t];
      squares[0] += squares[t];
    }
  }
  __syncthreads();
  float mean = sums[0] / cols;
  float scale = rsqrtf(squares[0] / cols - mean * mean + 1.0f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = (row[c] - mean) * scale;
}

//   variables of one thread, in loops among other statements, upwards and downwards
// CHECK-LABEL: in_a_section (
// CHECK: changed   shuffle-reduction
// TEXT-LABEL: void in_a_section(
// TEXT: {{^  }}if (threadIdx.x == 0) {
// TEXT-NEXT: bool found = false;
// TEXT-NEXT: double least = low[0];
// TEXT-NEXT: found = found || any[0];
// TEXT-NEXT: y[blockIdx.x] = found ? least : -1.0;
// VERIFY: in_a_section: accepted
KERNEL_OPTIMIZE(grid(4), block(64), in(x[256]), out(y[4]), shape(n = 240), shape(n = 1))
__global__ void in_a_section(const double *x, double *y, int n) {
  __shared__ bool any[64];
  __shared__ double low[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  any[threadIdx.x] = i < n && x[i] > 0.9;
  low[threadIdx.x] = i < n ? x[i] : 2.0;
  __syncthreads();
  if (threadIdx.x == 0) {
    bool found = false;
    double least = low[0];
    for (int k = 63; k >= 0; --k)
      found = found || any[k];
    for (int k = 1; k < 64; ++k) {
      least = fmin(least, low[k]);
    }
    y[blockIdx.x] = found ? least : -1.0;
  }
}
