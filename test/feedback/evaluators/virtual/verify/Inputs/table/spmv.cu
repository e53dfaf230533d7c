#include <warpwright/annotate.h>

// A matrix in ELLPACK form: `width` entries a row, column by column.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 64)), block(64), in(values[rows * width]), in(columns[rows * width]), in(x[rows]),
                out(y[rows]), init(columns, integers(0, rows - 1)), shape(rows = 8192, width = 12),
                shape(rows = 500, width = 7), shape(rows = 65, width = 3), require(rows > 0 && width >= 0),
                allow(reassociate), allow(launch_change))
__global__ void spmv(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    sum += values[j * rows + row] * x[columns[j * rows + row]];
  y[row] = sum;
}

//! reject wrong-output: entries are taken row by row
__global__ void spmv_row_major(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    sum += values[row * width + j] * x[columns[row * width + j]];
  y[row] = sum;
}
//! reject wrong-output: column 0 is taken for padding
__global__ void spmv_padding(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    if (columns[j * rows + row] != 0)
      sum += values[j * rows + row] * x[columns[j * rows + row]];
  y[row] = sum;
}
//! reject out-of-bounds: pairs of entries without a look at an odd last one
__global__ void spmv_pairs(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; j += 2)
    sum += values[j * rows + row] * x[columns[j * rows + row]] +
           values[(j + 1) * rows + row] * x[columns[(j + 1) * rows + row]];
  y[row] = sum;
}
//! reject out-of-bounds wrong-output uninitialised-read: the vector is kept in shared memory, which holds 64 numbers
__global__ void spmv_cached(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  __shared__ float own[64];
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row < rows)
    own[threadIdx.x] = x[row];
  __syncthreads();
  if (row >= rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    sum += values[j * rows + row] * own[columns[j * rows + row]];
  y[row] = sum;
}
//! reject out-of-bounds: the guard lets one row too many through
__global__ void spmv_guard(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row > rows)
    return;
  float sum = 0;
  for (int j = 0; j < width; ++j)
    sum += values[j * rows + row] * x[columns[j * rows + row]];
  y[row] = sum;
}
//! accept: two sums
__global__ void spmv_two_sums(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows)
    return;
  float even = 0, odd = 0;
  int j = 0;
  for (; j + 1 < width; j += 2) {
    even += values[j * rows + row] * x[columns[j * rows + row]];
    odd += values[(j + 1) * rows + row] * x[columns[(j + 1) * rows + row]];
  }
  if (j < width)
    even += values[j * rows + row] * x[columns[j * rows + row]];
  y[row] = even + odd;
}
//! accept: four lanes a row
//! steps [{"launch": "spmv_lanes", "grid": ["ceil_div(rows, 16)"], "block": [4, 16]}]
__global__ void spmv_lanes(const float *values, const int *columns, const float *x, float *y, int rows, int width) {
  int row = blockIdx.x * 16 + threadIdx.y;
  float sum = 0;
  if (row < rows)
    for (int j = threadIdx.x; j < width; j += 4)
      sum += values[j * rows + row] * x[columns[j * rows + row]];
  sum += __shfl_xor_sync(0xffffffff, sum, 1);
  sum += __shfl_xor_sync(0xffffffff, sum, 2);
  if (row < rows && threadIdx.x == 0)
    y[row] = sum;
}
