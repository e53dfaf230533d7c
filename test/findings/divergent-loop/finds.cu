// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-divergent-loop]'
#include <warpwright/annotate.h>

// Lane i goes round i times.
KERNEL_OPTIMIZE(grid(n), block(32), inout(a[n * 1024]), shape(n = 64))
__global__ void triangle(float *a, int n) {
  float sum = 0.0f;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: lanes of a warp leave this loop in different iterations: on average {{[0-9]+}}% of them are still in it (n = 64) [warpwright-divergent-loop]
  for (int j = 0; j < threadIdx.x; ++j)
    sum += a[blockIdx.x * 1024 + j * 32 + threadIdx.x];
  a[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// One thread a row of a sparse matrix.
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(begin[n + 1]), in(value[n * 8]), out(y[n]), shape(n = 4096))
__global__ void rows(const int *begin, const float *value, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  float sum = 0.0f;
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: warning: each lane takes its own number of iterations from memory, '{{.*}}': a warp goes on until its longest lane is done [warpwright-divergent-loop]
  for (int j = begin[row]; j < begin[row + 1]; ++j)
    sum += value[j];
  y[row] = sum;
}
