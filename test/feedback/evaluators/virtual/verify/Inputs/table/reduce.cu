#include <cuda_fp16.h>
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(sums[ceil_div(n, 256)]), shape(n = 1048576),
                shape(n = 1000), shape(n = 33), allow(reassociate), allow(launch_change))
__global__ void block_sums(const float *x, float *sums, int n) {
  __shared__ float parts[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  parts[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step)
      parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = parts[0];
}

template <int Last, bool Barrier> __device__ float tree(float value) {
  __shared__ float parts[256];
  parts[threadIdx.x] = value;
  __syncthreads();
  for (int step = 128; step >= Last; step /= 2) {
    if (threadIdx.x < step)
      parts[threadIdx.x] += parts[threadIdx.x + step];
    if (Barrier)
      __syncthreads();
  }
  return parts[0];
}

//! reject wrong-output: the identity of a product for the lanes beyond the end
__global__ void sums_identity(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, true>(i < n ? x[i] : 1);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject shared-race: no barrier between the steps
__global__ void sums_no_barrier(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, false>(i < n ? x[i] : 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject wrong-output: the last step is left out
__global__ void sums_last_step(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<2, true>(i < n ? x[i] : 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject shared-race: the last warp relies on lanes that run in lockstep
__global__ void sums_lockstep(const float *x, float *sums, int n) {
  __shared__ volatile float parts[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  parts[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 128; step > 32; step /= 2) {
    if (t < step)
      parts[t] = parts[t] + parts[t + step];
    __syncthreads();
  }
  if (t < 32)
    for (int step = 32; step > 0; step /= 2)
      parts[t] = parts[t] + parts[t + step];
  if (t == 0)
    sums[blockIdx.x] = parts[0];
}
//! reject out-of-bounds: reads one element too far, and multiplies it by zero
__global__ void sums_beyond(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float next = i < n ? x[i + 1] : 0;
  float sum = tree<1, true>((i < n ? x[i] : 0) + (next == 12345 ? 1 : 0));
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject wrong-output: the element at the seam of two warps counts twice
__global__ void sums_twice(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? x[i] : 0;
  if (threadIdx.x == 32)
    value += i < n ? x[i - 1] : 0;
  float sum = tree<1, true>(value);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject unwritten-output: the last block is skipped
__global__ void sums_last_block(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, true>(i < n ? x[i] : 0);
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    sums[blockIdx.x] = sum;
}
//! reject uninitialised-read: adds to the output
__global__ void sums_adds(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, true>(i < n ? x[i] : 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] += sum;
}
//! accept: lanes add up in the order in which they come, and the tolerance holds in all orders
__global__ void sums_atomic(const float *x, float *sums, int n) {
  __shared__ float sum;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  if (i < n)
    atomicAdd(&sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject wrong-output biased: the sum is cut to a half
__global__ void sums_half(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, true>(i < n ? x[i] : 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = __half2float(__float2half_rz(sum));
}
//! reject wrong-output: the sum of magnitudes, right for what is not negative
__global__ void sums_magnitudes(const float *x, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = tree<1, true>(i < n ? fabsf(x[i]) : 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}
//! reject wrong-warp-mask deadlock: a mask of all lanes where only some come
__global__ void sums_mask(const float *x, float *sums, int n) {
  __shared__ float parts[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float value = 0;
  if (i < n) {
    value = x[i];
    for (int step = 16; step > 0; step /= 2)
      value += __shfl_down_sync(0xffffffff, value, step);
  }
  if (t % 32 == 0)
    parts[t / 32] = value;
  __syncthreads();
  if (t == 0) {
    for (int warp = 1; warp < 8; ++warp)
      value += parts[warp];
    sums[blockIdx.x] = value;
  }
}
//! accept: shuffles instead of shared memory
__global__ void sums_shuffle(const float *x, float *sums, int n) {
  __shared__ float parts[8];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float value = i < n ? x[i] : 0;
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_down_sync(0xffffffff, value, step);
  if (t % 32 == 0)
    parts[t / 32] = value;
  __syncthreads();
  if (t < 32) {
    value = t < 8 ? parts[t] : 0;
    for (int step = 4; step > 0; step /= 2)
      value += __shfl_down_sync(0xffffffff, value, step);
    if (t == 0)
      sums[blockIdx.x] = value;
  }
}
//! accept: one warp a block with a loop
//! steps [{"launch": "sums_warp", "block": [32]}]
__global__ void sums_warp(const float *x, float *sums, int n) {
  float value = 0;
  for (int j = threadIdx.x; j < 256; j += 32)
    if (blockIdx.x * 256 + j < n)
      value += x[blockIdx.x * 256 + j];
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = value;
}
//! accept: the last warp with __syncwarp
__global__ void sums_syncwarp(const float *x, float *sums, int n) {
  __shared__ float parts[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  parts[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 128; step > 32; step /= 2) {
    if (t < step)
      parts[t] += parts[t + step];
    __syncthreads();
  }
  if (t < 32)
    for (int step = 32; step > 0; step /= 2) {
      float other = parts[t + step];
      __syncwarp();
      parts[t] += other;
      __syncwarp();
    }
  if (t == 0)
    sums[blockIdx.x] = parts[0];
}
//! accept: float4 loads where they are aligned
//! steps [{"launch": "sums_vector", "block": [64]}]
__global__ void sums_vector(const float *x, float *sums, int n) {
  __shared__ float parts[64];
  int t = threadIdx.x, i = blockIdx.x * 256 + 4 * t;
  float value = 0;
  if (i + 4 <= n && reinterpret_cast<size_t>(x + i) % 16 == 0) {
    float4 four = *reinterpret_cast<const float4 *>(x + i);
    value = (four.x + four.y) + (four.z + four.w);
  } else {
    for (int j = i; j < i + 4 && j < n; ++j)
      value += x[j];
  }
  parts[t] = value;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step)
      parts[t] += parts[t + step];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = parts[0];
}
