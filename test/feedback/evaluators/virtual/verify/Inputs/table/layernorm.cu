#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(32), in(x[rows * columns]), in(gain[columns]), out(y[rows * columns]),
                init(x, normal(2, 1)), init(gain, uniform(0.5, 2)), shape(rows = 256, columns = 512),
                shape(rows = 5, columns = 100), shape(rows = 9, columns = 63), require(columns > 1), allow(reassociate),
                allow(launch_change))
__global__ void layernorm(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = 0; i < columns; ++i)
    mean += row[i];
  mean /= columns;
  for (int i = 0; i < columns; ++i)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(variance / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}

__device__ float ofWarp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  return value;
}

//! accept: lanes sum together
__global__ void norm_warp(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    mean += row[i];
  mean = ofWarp(mean) / columns;
  for (int i = threadIdx.x; i < columns; i += 32)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(ofWarp(variance) / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}
//! reject wrong-output: lanes beyond the row do not sum, and the others wait for none of them
__global__ void norm_half_warp(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    mean += row[i];
  for (int step = 8; step > 0; step /= 2)
    mean += __shfl_xor_sync(0xffffffff, mean, step);
  mean = mean / columns;
  for (int i = threadIdx.x; i < columns; i += 32)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(ofWarp(variance) / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}
//! reject wrong-output: the variance of a sample instead of that of the row
__global__ void norm_sample(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = 0; i < columns; ++i)
    mean += row[i];
  mean /= columns;
  for (int i = 0; i < columns; ++i)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(variance / (columns - 1) + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}
//! reject wrong-output not-a-number: without the small number under the root, right where a row varies much
__global__ void norm_no_epsilon(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = 0; i < columns; ++i)
    mean += row[i];
  mean /= columns;
  for (int i = 0; i < columns; ++i)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(variance / columns);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}
//! reject wrong-output out-of-bounds: a gain a row instead of one a column
__global__ void norm_row_gain(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = 0, variance = 0;
  for (int i = 0; i < columns; ++i)
    mean += row[i];
  mean /= columns;
  for (int i = 0; i < columns; ++i)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(variance / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[blockIdx.x];
}
//! reject wrong-output: the mean of the first 32 columns
__global__ void norm_first_columns(const float *x, const float *gain, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float mean = ofWarp(threadIdx.x < columns ? row[threadIdx.x] : 0) / min(columns, 32), variance = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = rsqrtf(ofWarp(variance) / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i];
}
//! accept: two rows a block
//! steps [{"launch": "norm_two_rows", "grid": ["ceil_div(rows, 2)"], "block": [32, 2]}]
__global__ void norm_two_rows(const float *x, const float *gain, float *y, int rows, int columns) {
  int r = blockIdx.x * 2 + threadIdx.y;
  if (r >= rows)
    return;
  const float *row = x + r * columns;
  float mean = 0, variance = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    mean += row[i];
  mean = ofWarp(mean) / columns;
  for (int i = threadIdx.x; i < columns; i += 32)
    variance += (row[i] - mean) * (row[i] - mean);
  float scale = 1 / sqrtf(ofWarp(variance) / columns + 1e-2f);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[r * columns + i] = (row[i] - mean) * scale * gain[i];
}
