// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-divergent-loop]'
#include <warpwright/annotate.h>

// Lanes differ by one iteration at the end.
// CHECK: grid_stride
KERNEL_OPTIMIZE(grid(4), block(128), inout(a[n]), shape(n = 4001))
__global__ void grid_stride(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = a[i] * 2.0f;
}

// One warp a row: all lanes read one bound.
KERNEL_OPTIMIZE(grid(ceil_div(n, 4)), block(128), in(begin[n + 1]), in(value[n * 8]), out(y[n]), shape(n = 4096))
__global__ void warp_a_row(const int *begin, const float *value, float *y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n)
    return;
  float sum = 0.0f;
  for (int j = begin[row] + lane; j < begin[row + 1]; j += 32)
    sum += value[j];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    y[row] = sum;
}

// A search takes every lane about the same number of steps, whatever it finds.
KERNEL_OPTIMIZE(grid(4), block(128), in(sorted[n]), in(keys[512]), out(y[512]), shape(n = 4096))
__global__ void search(const int *sorted, const int *keys, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int low = 0, high = n, key = keys[i];
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  y[i] = low;
}

// The values that the loop carries trade places: how long a lane stays is computed, and counted.
KERNEL_OPTIMIZE(grid(4), block(128), out(y[512]), shape(n = 64))
__global__ void orbit(int *y, int n) {
  float cx = threadIdx.x * 0.0001f, x = 0.0f, z = 0.0f;
  int k = 0;
  while (k < n && x * x + z * z < 4.0f) {
    float next = x * x - z * z + cx;
    z = 2.0f * x * z + 0.1f;
    x = next;
    ++k;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = k;
}
