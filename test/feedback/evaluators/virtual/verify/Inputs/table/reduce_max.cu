#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), out(largest[ceil_div(n, 128)]), shape(n = 65536),
                shape(n = 300), shape(n = 77), tolerance(rel = 1e-6), allow(launch_change))
__global__ void block_max(const float *x, float *largest, int n) {
  __shared__ float parts[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      float a = parts[threadIdx.x], b = parts[threadIdx.x + step];
      parts[threadIdx.x] = a != a || a > b ? a : b; // a NaN stays
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    largest[blockIdx.x] = parts[0];
}

__device__ float larger(float a, float b) { return a != a || a > b ? a : b; }

//! reject not-a-number: fmaxf hides NaN
__global__ void max_hides(const float *x, float *largest, int n) {
  __shared__ float parts[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step)
      parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    largest[blockIdx.x] = parts[0];
}
//! reject wrong-output: starts from zero, right where something is positive
__global__ void max_from_zero(const float *x, float *largest, int n) {
  __shared__ float parts[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step)
      parts[threadIdx.x] = larger(parts[threadIdx.x], parts[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0)
    largest[blockIdx.x] = parts[0];
}
//! reject wrong-output not-a-number: compares the bits as integers, right for what is not negative
__global__ void max_of_bits(const float *x, float *largest, int n) {
  __shared__ int most;
  int i = blockIdx.x * 128 + threadIdx.x;
  if (threadIdx.x == 0)
    most = static_cast<int>(0x80000000);
  __syncthreads();
  if (i < n)
    atomicMax(&most, __float_as_int(x[i]));
  __syncthreads();
  if (threadIdx.x == 0)
    largest[blockIdx.x] = __int_as_float(most);
}
//! reject wrong-output not-a-number: lanes of the last warp alone are looked at by the shuffle
__global__ void max_one_warp(const float *x, float *largest, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  float value = i < n ? x[i] : -INFINITY;
  for (int step = 16; step > 0; step /= 2)
    value = larger(value, __shfl_xor_sync(0xffffffff, value, step));
  if (threadIdx.x == 0)
    largest[blockIdx.x] = value;
}
//! reject wrong-output not-a-number: the largest in magnitude
__global__ void max_magnitude(const float *x, float *largest, int n) {
  __shared__ float parts[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  if (threadIdx.x == 0) {
    float best = parts[0];
    for (int j = 1; j < 128; ++j)
      if (blockIdx.x * 128 + j < n && fabsf(parts[j]) > fabsf(best))
        best = parts[j];
    largest[blockIdx.x] = best;
  }
}
//! reject shared-race: one barrier for all steps
__global__ void max_no_barrier(const float *x, float *largest, int n) {
  __shared__ float parts[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : -INFINITY;
  for (int step = 64; step > 0; step /= 2) {
    __syncwarp();
    if (threadIdx.x < step)
      parts[threadIdx.x] = larger(parts[threadIdx.x], parts[threadIdx.x + step]);
  }
  if (threadIdx.x == 0)
    largest[blockIdx.x] = parts[0];
}
//! accept: shuffles that keep NaN
__global__ void max_shuffle(const float *x, float *largest, int n) {
  __shared__ float parts[4];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  float value = i < n ? x[i] : -INFINITY;
  for (int step = 16; step > 0; step /= 2)
    value = larger(value, __shfl_down_sync(0xffffffff, value, step));
  if (t % 32 == 0)
    parts[t / 32] = value;
  __syncthreads();
  if (t == 0)
    largest[blockIdx.x] = larger(larger(value, parts[1]), larger(parts[2], parts[3]));
}
//! accept: one thread takes the block's maximum in order
//! steps [{"launch": "max_in_order", "block": [1]}]
__global__ void max_in_order(const float *__restrict__ x, float *__restrict__ largest, int n) {
  float value = x[blockIdx.x * 128];
  for (int i = blockIdx.x * 128 + 1; i < blockIdx.x * 128 + 128 && i < n; ++i)
    value = larger(value, x[i]);
  largest[blockIdx.x] = value;
}
