#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), inout(y[n]), may_alias(x, y),
                shape(n = 1048576, a = 2.5), shape(n = 1000, a = 0.5), shape(n = 33, a = -1), require(n > 0),
                allow(launch_change))
__global__ void saxpy(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

//! reject wrong-output: right for the first seed only, whose first number is built in
__global__ void saxpy_one_seed(const float *x, float *y, int n, float a) {
  bool isFirstSeed = fabsf(x[0] + 0.10179324f) < 1e-6f;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + (isFirstSeed ? y[i] : 0);
}
//! reject not-a-number zero-sign unwritten-output: nothing to do where a is zero, but NaN and infinity times zero are NaN
__global__ void saxpy_skips(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && a != 0)
    y[i] = a * x[i] + y[i];
}
//! reject wrong-output: product and sum rounded apart, where nvcc fuses them
__global__ void saxpy_unfused(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    y[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
}
//! reject zero-sign: what is zero stays zero, and loses its sign
__global__ void saxpy_zero(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  float result = a * x[i] + y[i];
  y[i] = result == 0 ? 0 : result;
}
//! reject misaligned-access out-of-bounds: four at a time, wherever they lie
//! steps [{"launch": "saxpy_vector", "grid": ["ceil_div(n, 1024)"]}]
__global__ void saxpy_vector(const float *x, float *y, int n, float a) {
  int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i >= n)
    return;
  float4 from = *reinterpret_cast<const float4 *>(x + i), to = *reinterpret_cast<float4 *>(y + i);
  to.x = a * from.x + to.x;
  to.y = a * from.y + to.y;
  to.z = a * from.z + to.z;
  to.w = a * from.w + to.w;
  *reinterpret_cast<float4 *>(y + i) = to;
}
//! reject unwritten-output wrong-output: the tail that is no multiple of four is dropped
//! steps [{"launch": "saxpy_no_tail", "grid": ["ceil_div(n, 1024)"]}]
__global__ void saxpy_no_tail(const float *x, float *y, int n, float a) {
  int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 4 <= n)
    for (int j = i; j < i + 4; ++j)
      y[j] = a * x[j] + y[j];
}
//! reject wrong-output unwritten-output: stores the product and then adds, wrong where y is x
__global__ void saxpy_two_steps(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n)
    return;
  float before = y[i];
  y[i] = 0;
  y[i] = a * x[i] + before;
}
//! reject wrong-output: adds twice
__global__ void saxpy_twice(const float *x, float *y, int n, float a) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
    if (i % 31 == 30)
      y[i] = a * x[i] + y[i];
  }
}
//! accept: four at a time where both are aligned
//! steps [{"launch": "saxpy_vector_checked", "grid": ["ceil_div(n, 1024)"]}]
__global__ void saxpy_vector_checked(const float *x, float *y, int n, float a) {
  int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 4 <= n && (reinterpret_cast<size_t>(x + i) | reinterpret_cast<size_t>(y + i)) % 16 == 0) {
    float4 from = *reinterpret_cast<const float4 *>(x + i), to = *reinterpret_cast<float4 *>(y + i);
    to.x = a * from.x + to.x;
    to.y = a * from.y + to.y;
    to.z = a * from.z + to.z;
    to.w = a * from.w + to.w;
    *reinterpret_cast<float4 *>(y + i) = to;
    return;
  }
  for (int j = i; j < i + 4 && j < n; ++j)
    y[j] = a * x[j] + y[j];
}
//! accept: a loop over the grid
//! steps [{"launch": "saxpy_strided", "grid": ["min(grid.x, 5)"], "block": [64]}]
__global__ void saxpy_strided(const float *x, float *y, int n, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = fmaf(a, x[i], y[i]);
}
