// REQUIRES: nvcc
// Accesses outside arrays in shared and local memory.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "tileRightNeighbour", "grid": [1], "block": [16, 16], "buffers": {"in": {"elements": 256}, "out": {"elements": 256}}}
__global__ void tileRightNeighbour(const float *in, float *out) {
  __shared__ float tile[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];
  __syncthreads();
  int next = PLANTED(x + 1, x < 15 ? x + 1 : 0);
  out[y * 16 + x] = tile[y][next]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "haloLoad", "grid": [4], "block": [64], "args": {"n": 256}, "buffers": {"in": {"elements": 256}, "out": {"elements": 256}}}
#define RADIUS 3
__global__ void haloLoad(int n, const float *in, float *out) {
  __shared__ float line[64 + RADIUS];
  int i = blockIdx.x * 64 + threadIdx.x;
  line[threadIdx.x] = in[i];
  if (threadIdx.x < RADIUS)
    line[64 + threadIdx.x + PLANTED(RADIUS, 0)] = i + 64 < n ? in[i + 64] : 0; // FAULT: out-of-bounds
  __syncthreads();
  out[i] = line[threadIdx.x];
}

// LAUNCH: {"name": "dynamicTooSmall", "grid": [2], "block": [64], "dynamic_shared_bytes": 512, "buffers": {"in": {"elements": 128}, "out": {"elements": 128}}}
__global__ void dynamicTooSmall(const float *in, float *out) {
  extern __shared__ float lanes[];
  int t = threadIdx.x;
  lanes[PLANTED(3, 2) * t] = in[blockIdx.x * 64 + t]; // FAULT: out-of-bounds
  out[blockIdx.x * 64 + t] = lanes[PLANTED(3, 2) * t]; // OR: out-of-bounds
}

// LAUNCH: {"name": "upSweep", "grid": [1], "block": [32], "buffers": {"in": {"elements": 64}, "out": {"elements": 64}}}
__global__ void upSweep(const float *in, float *out) {
  __shared__ float sums[64];
  int t = threadIdx.x;
  sums[2 * t] = in[2 * t];
  sums[2 * t + 1] = in[2 * t + 1];
  for (int stride = 1; stride < 64; stride *= 2) {
    __syncthreads();
    int at = (t + 1) * stride * 2 - PLANTED(0, 1);
    if (at < PLANTED(65, 64))
      sums[at] += sums[at - stride]; // FAULT: out-of-bounds
  }
  __syncthreads();
  out[t] = sums[t];
}

// LAUNCH: {"name": "medianWindow", "grid": [1], "block": [32], "args": {"width": 5}, "buffers": {"in": {"elements": 40}, "out": {"elements": 32}}}
__global__ void medianWindow(int width, const float *in, float *out) {
  float window[5];
  for (int k = 0; k < PLANTED(width + 1, width); ++k)
    window[k] = in[threadIdx.x + k]; // FAULT: out-of-bounds
  for (int i = 0; i < width; ++i)
    for (int j = i + 1; j < width; ++j)
      if (window[j] < window[i]) {
        float other = window[i];
        window[i] = window[j];
        window[j] = other;
      }
  out[threadIdx.x] = window[width / 2];
}

// LAUNCH: {"name": "neighbouringArrays", "grid": [1], "block": [65], "buffers": {"out": {"elements": 65}}}
__global__ void neighbouringArrays(float *out) {
  __shared__ float keys[64];
  __shared__ float values[65];
  int t = threadIdx.x;
  values[t] = t;
  if (PLANTED(t < 65, t < 64))
    keys[t] = t; // FAULT: out-of-bounds
  __syncthreads();
  out[t] = values[64 - t] + keys[t / 2];
}

// LAUNCH: {"name": "warpPartials", "grid": [1], "block": [256], "buffers": {"in": {"elements": 256}, "out": {"elements": 1}}}
__global__ void warpPartials(const float *in, float *out) {
  __shared__ float partial[PLANTED(4, 8)];
  float sum = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum; // FAULT: out-of-bounds
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int w = 0; w < PLANTED(4, 8); ++w)
      total += partial[w];
    *out = total;
  }
}

// LAUNCH: {"name": "beforeTheLine", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64}, "out": {"elements": 64}}}
__global__ void beforeTheLine(const float *in, float *out) {
  __shared__ float line[64];
  int t = threadIdx.x;
  line[t] = in[t];
  __syncthreads();
  float left = PLANTED(t >= 0, t > 0) ? line[t - 1] : 0; // FAULT: out-of-bounds
  out[t] = line[t] - left;
}
