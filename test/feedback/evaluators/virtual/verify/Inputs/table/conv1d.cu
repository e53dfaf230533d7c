#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n]), in(weights[2 * radius + 1]), out(y[n]),
                shape(n = 1048576, radius = 3), shape(n = 1000, radius = 2), shape(n = 77, radius = 5),
                require(radius >= 0 && radius <= 12), allow(launch_change))
__global__ void conv(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += weights[j + radius] * x[i + j];
  y[i] = sum;
}

//! reject wrong-output out-of-bounds: the radius of the main shape is built in
__global__ void conv_three(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
#pragma unroll
  for (int j = -3; j <= 3; ++j)
    if (i + j >= 0 && i + j < n)
      sum += weights[j + 3] * x[i + j];
  y[i] = sum;
}
//! reject wrong-output: the weights are turned round
__global__ void conv_turned(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += weights[radius - j] * x[i + j];
  y[i] = sum;
}
//! reject out-of-bounds uninitialised-read: room for eight weights in shared memory
__global__ void conv_small_array(const double *x, const double *weights, double *y, int n, int radius) {
  __shared__ double own[8];
  int i = blockIdx.x * 64 + threadIdx.x;
  for (int j = threadIdx.x; j < 2 * radius + 1; j += 64)
    own[j] = weights[j];
  __syncthreads();
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += own[j + radius] * x[i + j];
  y[i] = sum;
}
//! reject wrong-output zero-sign: sums in float
__global__ void conv_float(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += static_cast<float>(weights[j + radius]) * static_cast<float>(x[i + j]);
  y[i] = sum;
}
//! reject wrong-output zero-sign: products and sums rounded apart, where nvcc fuses them
__global__ void conv_unfused(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum = __dadd_rn(sum, __dmul_rn(weights[j + radius], x[i + j]));
  y[i] = sum;
}
//! reject wrong-output: stops before the last weight
__global__ void conv_short(const double *x, const double *weights, double *y, int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j < radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += weights[j + radius] * x[i + j];
  y[i] = sum;
}
// The window that a block needs, less what is missing at its right end, where `Zero` stands if that is asked for.
template <int Missing, bool Zero>
__device__ void staged(const double *x, const double *weights, double *y, int n, int radius) {
  __shared__ double own[25], window[88];
  int i = blockIdx.x * 64 + threadIdx.x, begin = blockIdx.x * 64 - radius;
  for (int j = threadIdx.x; j < 2 * radius + 1; j += 64)
    own[j] = weights[j];
  for (int j = threadIdx.x; j < 64 + 2 * radius - Missing; j += 64)
    if (begin + j >= 0 && begin + j < n)
      window[j] = x[begin + j];
  if (Zero && threadIdx.x < Missing)
    window[63 + 2 * radius - threadIdx.x] = 0;
  __syncthreads();
  if (i >= n)
    return;
  double sum = 0;
  for (int j = -radius; j <= radius; ++j)
    if (i + j >= 0 && i + j < n)
      sum += own[j + radius] * window[threadIdx.x + j + radius];
  y[i] = sum;
}
//! accept: weights and a window of the input in shared memory
__global__ void conv_staged(const double *x, const double *weights, double *y, int n, int radius) {
  staged<0, false>(x, weights, y, n, radius);
}
//! reject uninitialised-read wrong-output: the halo is one element short
__global__ void conv_halo_short(const double *x, const double *weights, double *y, int n, int radius) {
  staged<1, false>(x, weights, y, n, radius);
}
//! reject wrong-output: the halo is one element short, and zero stands there, right for one block
__global__ void conv_halo_zero(const double *x, const double *weights, double *y, int n, int radius) {
  staged<1, true>(x, weights, y, n, radius);
}
//! accept: the loop's ends instead of a condition inside
__global__ void conv_clipped(const double *__restrict__ x, const double *__restrict__ weights, double *__restrict__ y,
                             int n, int radius) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int j = max(-radius, -i); j <= min(radius, n - 1 - i); ++j)
    sum += weights[j + radius] * x[i + j];
  y[i] = sum;
}
//! accept: two results a thread
//! steps [{"launch": "conv_two", "grid": ["ceil_div(n, 128)"]}]
__global__ void conv_two(const double *x, const double *weights, double *y, int n, int radius) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n && i < blockIdx.x * 128 + 128; i += 64) {
    double sum = 0;
    for (int j = -radius; j <= radius; ++j)
      if (i + j >= 0 && i + j < n)
        sum += weights[j + radius] * x[i + j];
    y[i] = sum;
  }
}
