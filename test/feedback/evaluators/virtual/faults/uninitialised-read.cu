// REQUIRES: nvcc
// Reads of memory that nobody wrote.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "tileTail", "grid": [2], "block": [64], "args": {"n": 100}, "buffers": {"in": {"elements": 100}, "out": {"elements": 128}}}
__global__ void tileTail(int n, const float *in, float *out) {
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    tile[threadIdx.x] = in[i];
  PLANTED_CODE(, else tile[threadIdx.x] = 0;)
  __syncthreads();
  out[i] = tile[63 - threadIdx.x]; // FAULT: uninitialised-read
}

// LAUNCH: {"name": "firstWarpSums", "grid": [1], "block": [128], "buffers": {"in": {"elements": 128}, "out": {"elements": 1}}}
__global__ void firstWarpSums(const float *in, float *out) {
  __shared__ float partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = in[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = PLANTED(lane < 32, lane < 4) ? partial[lane] : 0; // FAULT: uninitialised-read
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
      *out = sum;
  }
}

// LAUNCH: {"name": "binsNotCleared", "grid": [2], "block": [128], "buffers": {"in": {"elements": 256, "type": "uint8", "init": "integers"}, "out": {"elements": 64, "type": "int32"}}}
__global__ void binsNotCleared(const unsigned char *in, int *out) {
  __shared__ int bins[64];
  PLANTED_CODE(, if (threadIdx.x < 64) bins[threadIdx.x] = 0; __syncthreads();)
  atomicAdd(&bins[in[blockIdx.x * 128 + threadIdx.x] / 4], 1); // FAULT: uninitialised-read
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&out[threadIdx.x], PLANTED_CODE(1, bins[threadIdx.x]));
}

// LAUNCH: {"name": "accumulateOutput", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64}, "out": {"elements": 64, "init": "none"}}}
__global__ void accumulateOutput(const float *in, float *out) {
  int i = threadIdx.x;
  PLANTED_CODE(out[i] += in[i], out[i] = in[i]); // FAULT: uninitialised-read
}

// LAUNCH: {"name": "bestOfFour", "grid": [1], "block": [32], "args": {"found": 3}, "buffers": {"in": {"elements": 128}, "out": {"elements": 32}}}
__global__ void bestOfFour(int found, const float *in, float *out) {
  float best[4];
  for (int k = 0; k < PLANTED(found, 4); ++k)
    best[k] = in[threadIdx.x * 4 + k];
  float worst = 0;
  for (int k = 0; k < 4; ++k)
    worst = fminf(worst, best[(k + found) % 4]); // FAULT: uninitialised-read
  out[threadIdx.x] = worst;
}

// LAUNCH: {"name": "otherHalf", "grid": [1], "block": [64], "dynamic_shared_bytes": 512, "buffers": {"in": {"elements": 64}, "out": {"elements": 64}}}
__global__ void otherHalf(const float *in, float *out) {
  extern __shared__ float buffers[];
  int t = threadIdx.x, current = 0;
  buffers[current * 64 + t] = in[t];
  __syncthreads();
  PLANTED_CODE(current ^= 1, );
  out[t] = buffers[current * 64 + 63 - t]; // FAULT: uninitialised-read
}

// LAUNCH: {"name": "missingComponent", "grid": [1], "block": [32], "buffers": {"in": {"elements": 96}, "out": {"elements": 128}}}
__global__ void missingComponent(const float *in, float4 *out) {
  __shared__ float4 points[32];
  int t = threadIdx.x;
  points[t].x = in[3 * t];
  points[t].y = in[3 * t + 1];
  points[t].z = in[3 * t + 2];
  PLANTED_CODE(, points[t].w = 1);
  __syncthreads();
  float4 point = points[31 - t]; // FAULT: uninitialised-read
  out[t] = make_float4(point.x + 1, point.y + 1, point.z + 1, point.w + 1);
}

// LAUNCH: {"name": "exclusiveScan", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64}, "out": {"elements": 64}}}
__global__ void exclusiveScan(const float *in, float *out) {
  __shared__ float line[65];
  int t = threadIdx.x;
  line[t + 1] = in[t];
  PLANTED_CODE(, if (t == 0) line[0] = 0);
  __syncthreads();
  out[t] = line[t]; // FAULT: uninitialised-read
}

// LAUNCH: {"name": "earlyCopy", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 64}}}
__global__ void earlyCopy(const float *in, float *out) {
  __shared__ float tile[64];
  unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x));
  PLANTED_CODE(, asm volatile("cp.async.wait_all;" ::: "memory"));
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x]; // FAULT: uninitialised-read
}
