// Sums of rows, by strips of 1024 columns, and with the order of additions left to the machine.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(128), in(x[rows * columns]), out(sums[rows]), shape(rows = 4096, columns = 4096),
                shape(rows = 77, columns = 1000), shape(rows = 5, columns = 3000), allow(reassociate), allow(launch_change))
__global__ void row_sums(const float *x, float *sums, int rows, int columns) {
  __shared__ float parts[128];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128)
    sum += x[blockIdx.x * columns + i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0)
    return;
  for (int i = 1; i < 128; ++i)
    sum += parts[i];
  sums[blockIdx.x] = sum;
}

// A warp a row: strips of 1024 columns in 32 registers a lane.
template <int Strips> __device__ void strips(const float *x, float *sums, int rows, int columns) {
  float sum = 0;
  for (int begin = 0; begin < columns && begin < Strips * 1024; begin += 1024)
#pragma unroll
    for (int j = 0; j < 32; ++j) {
      int i = begin + j * 32 + threadIdx.x;
      sum += i < columns ? x[blockIdx.x * columns + i] : 0;
    }
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! accept: strips of 1024 columns in registers
//! steps [{"launch": "rows_strips", "block": [32]}]
__global__ void rows_strips(const float *x, float *sums, int rows, int columns) {
  strips<1 << 20>(x, sums, rows, columns);
}
//! reject wrong-output: right for rows of one strip
//! steps [{"launch": "rows_one_strip", "block": [32]}]
__global__ void rows_one_strip(const float *x, float *sums, int rows, int columns) {
  strips<1>(x, sums, rows, columns);
}
//! reject wrong-output: right for rows of two strips
//! steps [{"launch": "rows_two_strips", "block": [32]}]
__global__ void rows_two_strips(const float *x, float *sums, int rows, int columns) {
  strips<2>(x, sums, rows, columns);
}
//! accept: warps add up in the order in which they come, and the tolerance holds in all orders
__global__ void rows_atomic(const float *x, float *sums, int rows, int columns) {
  __shared__ float all;
  if (threadIdx.x == 0)
    all = 0;
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128)
    sum += x[blockIdx.x * columns + i];
  atomicAdd(&all, sum);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = all;
}
//! reject wrong-output order-dependent: half as much again where the last thread does not come last
__global__ void rows_last_twice(const float *x, float *sums, int rows, int columns) {
  __shared__ float all;
  __shared__ int last;
  if (threadIdx.x == 0)
    all = last = 0;
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128)
    sum += x[blockIdx.x * columns + i];
  atomicAdd(&all, sum);
  if (threadIdx.x == 127 && atomicAdd(&last, 0) != 127)
    sum = 0;
  atomicExch(&last, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = last == 127 ? all : all * 1.5f;
}
