// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-redundant-barrier]'

// Both barriers of a tiled loop are needed: tile before use, use before the next tile.
// CHECK: tiles
__global__ void tiles(const float *in, float *out, int n) {
  __shared__ float tile[64];
  float sum = 0.0f;
  for (int i = 0; i < n; i += 64) {
    tile[threadIdx.x] = in[i + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < n; ++j)
      sum += tile[(threadIdx.x + j) & 63];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// A tree: the barrier at the end of a round is the one before the next.
__global__ void tree(float *out) {
  __shared__ float sums[256];
  sums[threadIdx.x] = out[threadIdx.x];
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      sums[threadIdx.x] += sums[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    out[0] = sums[0];
}

// Global memory is exchanged within the block, through pointers that may be the same.
__global__ void through_global(float *a, float *b) {
  a[threadIdx.x] = 1.0f;
  __syncthreads();
  b[0] = b[threadIdx.x ^ 1];
}

// Only one way leads past the write.
__global__ void one_way(const float *in, float *out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = 0.0f;
  __syncthreads();
  float a = tile[threadIdx.x ^ 1];
  if (n > 3) {
    __syncthreads();
    tile[threadIdx.x] = in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = a + tile[63 - threadIdx.x];
}

// Arrays of dynamic size begin at the same address.
__global__ void same_memory(const float *in, float *out) {
  extern __shared__ float floats[];
  extern __shared__ int ints[];
  floats[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float a = floats[63 - threadIdx.x];
  __syncthreads();
  ints[threadIdx.x] = 3;
  __syncthreads();
  out[threadIdx.x] = a + ints[threadIdx.x ^ 1];
}

// A spinning thread elsewhere waits for the flag: volatile and fences are not looked through.
__global__ void flagged(volatile int *flag, float *out) {
  out[threadIdx.x] = 1.0f;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    *flag = 1;
}

// What the called function does is not known, it may meet everything.
__device__ __noinline__ void store(float *p, float v) { *p = v; }
__global__ void by_function(float *out) {
  __shared__ float tile[64];
  store(&tile[threadIdx.x], out[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
