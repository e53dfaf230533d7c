// REQUIRES: nvcc
// Barriers that some threads of a block never come to, or that differ.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "barrierUnderGuard", "grid": [2], "block": [64], "args": {"n": 100}, "buffers": {"in": {"elements": 100}, "out": {"elements": 128}}}
__global__ void barrierUnderGuard(int n, const float *in, float *out) {
  __shared__ float line[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  line[threadIdx.x] = i < n ? in[i] : 0;
  if (PLANTED(i < n, true))
    __syncthreads(); // FAULT: divergent-barrier
  __syncthreads();   // FAULT: divergent-barrier
  out[i] = line[63 - threadIdx.x];
}

// LAUNCH: {"name": "barrierInUnevenLoop", "grid": [1], "block": [64], "buffers": {"out": {"elements": 64}}}
__global__ void barrierInUnevenLoop(float *out) {
  __shared__ float line[64];
  int t = threadIdx.x;
  line[t] = t;
  for (int i = 0; i < PLANTED(t / 32 + 1, 2); ++i)
    __syncthreads(); // FAULT: divergent-barrier
  float value = line[63 - t]; // OR: shared-race
  __syncthreads();            // FAULT: divergent-barrier
  line[t] = value;
  out[t] = line[t];
}

// LAUNCH: {"name": "barrierOnEachSide", "grid": [1], "block": [64], "args": {"half": 32}, "buffers": {"out": {"elements": 64}}}
__global__ void barrierOnEachSide(int half, float *out) {
  __shared__ float line[64];
  int t = threadIdx.x;
  if (PLANTED(t < half, t < 64)) {
    line[t] = t;
    __syncthreads(); // FAULT: divergent-barrier
  } else {
    line[t] = -t;
    __syncthreads(); // FAULT: divergent-barrier
  }
  out[t] = line[63 - t];
}

// LAUNCH: {"name": "differentForms", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64}, "out": {"elements": 64, "type": "int32"}}}
__global__ void differentForms(const float *in, int *out) {
  int positive;
  if (PLANTED(threadIdx.x < 32, true)) {
    positive = __syncthreads_count(in[threadIdx.x] > 0); // FAULT: divergent-barrier
  } else {
    __syncthreads(); // FAULT: divergent-barrier
    positive = 0;
  }
  out[threadIdx.x] = positive;
}

// LAUNCH: {"name": "barrierByRow", "grid": [1], "block": [32, 3], "buffers": {"out": {"elements": 96}}}
__global__ void barrierByRow(float *out) {
  __shared__ float rows[3];
  if (threadIdx.x == 0)
    rows[threadIdx.y] = threadIdx.y;
  switch (PLANTED(threadIdx.y, 1u)) {
  case 0:
    break;
  case 1:
    __syncthreads(); // FAULT: divergent-barrier
    break;
  default:
    __syncthreads(); // FAULT: divergent-barrier
    __syncthreads(); // OR: divergent-barrier
  }
  out[threadIdx.y * 32 + threadIdx.x] = rows[PLANTED(threadIdx.y, 2 - threadIdx.y)]; // OR: shared-race
}

// LAUNCH: {"name": "barrierInFunction", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 1}}}
template <int Threads> __device__ float sumOf(float value, float *line) {
  line[threadIdx.x] = value;
  __syncthreads(); // FAULT: divergent-barrier
  float sum = 0;
  for (int i = 0; i < Threads; ++i)
    sum += line[i];
  return sum;
}
__global__ void barrierInFunction(const float *in, float *out) {
  __shared__ float line[64];
  float sum = 0;
  line[threadIdx.x] = 0;
  __syncthreads();
  if (PLANTED(threadIdx.x < 48, true))
    sum = sumOf<48>(in[threadIdx.x], line);
  __syncthreads(); // FAULT: divergent-barrier
  if (threadIdx.x == 0)
    *out = sum;
}

// LAUNCH: {"name": "shortCircuit", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64}, "out": {"elements": 64, "type": "int32"}}}
__global__ void shortCircuit(const float *in, int *out) {
  bool mine = in[threadIdx.x] > 0;
  bool any = PLANTED(threadIdx.x != 7, true) && __syncthreads_or(mine); // FAULT: divergent-barrier
  __syncthreads(); // FAULT: divergent-barrier
  out[threadIdx.x] = any;
}
