// The original that cheats.cu claims to replace, and candidates that do so honestly.
// out[i] = f(in[i]), where f is expensive enough that skipping it would pay.
__device__ float expensive(float x) {
  float y = x;
  for (int i = 0; i < 400; ++i)
    y = fmaf(y, 0.999f, 0.5f * x);
  return y;
}

extern "C" __global__ void work(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = expensive(in[i]);
}

extern "C" __global__ void grid_stride(const float *in, float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = expensive(in[i]);
}

extern "C" __global__ void through_shared(const float *in, float *out, int n) {
  extern __shared__ float tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  int other = threadIdx.x ^ 32;
  int j = blockIdx.x * blockDim.x + other;
  if (j < n)
    out[j] = expensive(tile[other]);
}

// Two launches, through scratch that the first one fills; `done` counts blocks and is set to zero before.
extern "C" __global__ void to_scratch(const float *in, float *scratch, unsigned *done, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    scratch[i] = expensive(in[i]);
  if (threadIdx.x == 0)
    atomicAdd(done, 1);
}

extern "C" __global__ void from_scratch(const float *scratch, const unsigned *done, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && *done == gridDim.x)
    out[i] = scratch[i];
}

// What a copy costs when it comes from memory: for the cheat with the cache's priorities.
extern "C" __global__ void twice(const float4 *in, float4 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = in[i];
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

// A known share of extra time: PLANTED iterations beside BASE, and no trace in the result.
#ifndef PLANTED
#define PLANTED 0
#endif
#ifndef BASE
#define BASE 4000
#endif
extern "C" __global__ void planted(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = in[i], y = x;
  for (int k = 0; k < BASE + PLANTED; ++k)
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(x));
  out[i] = y == 12345.678f ? 0.0f : 2 * x;
}
