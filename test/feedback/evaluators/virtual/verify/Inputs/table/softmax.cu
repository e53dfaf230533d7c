#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(64), in(x[rows * columns]), out(y[rows * columns]), init(x, normal(0, 30)),
                shape(rows = 64, columns = 1024), shape(rows = 3, columns = 100), shape(rows = 7, columns = 33),
                require(columns > 0), allow(reassociate), allow(launch_change))
__global__ void softmax(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = row[0], sum = 0;
  for (int i = 1; i < columns; ++i)
    most = fmaxf(most, row[i]);
  for (int i = 0; i < columns; ++i)
    sum += expf(row[i] - most);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}

template <bool Max> __device__ float combine(float a, float b) { return Max ? fmaxf(a, b) : a + b; }

template <bool Max, bool Barrier> __device__ float ofBlock(float value) {
  __shared__ float parts[64];
  if (Barrier)
    __syncthreads(); // others may still read what was before
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step)
      parts[threadIdx.x] = combine<Max>(parts[threadIdx.x], parts[threadIdx.x + step]);
    __syncthreads();
  }
  return parts[0];
}

//! accept: the block reduces together
__global__ void softmax_block(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 64)
    most = fmaxf(most, row[i]);
  most = ofBlock<true, true>(most);
  for (int i = threadIdx.x; i < columns; i += 64)
    sum += expf(row[i] - most);
  sum = ofBlock<false, true>(sum);
  for (int i = threadIdx.x; i < columns; i += 64)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
//! reject shared-race: the array of partial results is used again without a barrier
__global__ void softmax_reuse(const float *x, float *y, int rows, int columns) {
  __shared__ float parts[64];
  const float *row = x + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 64)
    most = fmaxf(most, row[i]);
  parts[threadIdx.x] = most;
  __syncthreads();
  for (int i = 0; i < 64; ++i)
    most = fmaxf(most, parts[i]);
  for (int i = threadIdx.x; i < columns; i += 64)
    sum += expf(row[i] - most);
  parts[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += parts[i];
  for (int i = threadIdx.x; i < columns; i += 64)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
//! reject not-a-number wrong-output: the maximum is not subtracted, right for small inputs
__global__ void softmax_plain(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float sum = 0;
  for (int i = 0; i < columns; ++i)
    sum += expf(row[i]);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = expf(row[i]) / sum;
}
//! reject wrong-output: the last column is not in the sum
__global__ void softmax_last(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = row[0], sum = 0;
  for (int i = 1; i < columns; ++i)
    most = fmaxf(most, row[i]);
  for (int i = 0; i + 1 < columns; ++i)
    sum += expf(row[i] - most);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
//! reject unwritten-output: no loop over columns beyond the block
__global__ void softmax_narrow(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = row[0], sum = 0;
  for (int i = 1; i < columns; ++i)
    most = fmaxf(most, row[i]);
  for (int i = 0; i < columns; ++i)
    sum += expf(row[i] - most);
  if (threadIdx.x < columns)
    y[blockIdx.x * columns + threadIdx.x] = expf(row[threadIdx.x] - most) / sum;
}
//! reject wrong-output not-a-number: one pass that forgets to scale the sum when the maximum moves
__global__ void softmax_unscaled(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = row[0], sum = 0;
  for (int i = 0; i < columns; ++i) {
    most = fmaxf(most, row[i]);
    sum += expf(row[i] - most);
  }
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
//! accept: one pass that scales the sum when the maximum moves
__global__ void softmax_online(const float *x, float *y, int rows, int columns) {
  const float *row = x + blockIdx.x * columns;
  float most = row[0], sum = 1;
  for (int i = 1; i < columns; ++i) {
    float larger = fmaxf(most, row[i]);
    sum = sum * expf(most - larger) + expf(row[i] - larger);
    most = larger;
  }
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
//! accept: a warp a row
//! steps [{"launch": "softmax_warp", "grid": ["ceil_div(rows, 4)"], "block": [32, 4]}]
__global__ void softmax_warp(const float *x, float *y, int rows, int columns) {
  int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= rows)
    return;
  const float *row = x + r * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32)
    most = fmaxf(most, row[i]);
  for (int step = 16; step > 0; step /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
  for (int i = threadIdx.x; i < columns; i += 32)
    sum += expf(row[i] - most);
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int i = threadIdx.x; i < columns; i += 32)
    y[r * columns + i] = expf(row[i] - most) / sum;
}
