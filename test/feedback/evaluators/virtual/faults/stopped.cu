// REQUIRES: nvcc
// Kernels that stop themselves.
// RUN: check-faults %s
#include <cassert>
#include "Inputs/planted.h"

// LAUNCH: {"name": "indexAsserted", "grid": [2], "block": [64], "args": {"n": 100}, "buffers": {"out": {"elements": 128}}}
__global__ void indexAsserted(int n, float *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (PLANTED(true, i < n)) {
    assert(i < n); // FAULT: assert-failed
    out[i] = i;
  }
}

// LAUNCH: {"name": "trapOnOverflow", "grid": [1], "block": [64], "args": {"capacity": 32}, "buffers": {"queue": {"elements": 64, "type": "int32"}, "size": {"elements": 1, "type": "int32"}}}
__global__ void trapOnOverflow(int capacity, int *queue, int *size) {
  int at = atomicAdd(size, 1);
  if (at >= PLANTED(capacity, 2 * capacity))
    __trap(); // FAULT: trap
  queue[at] = threadIdx.x;
}

// LAUNCH: {"name": "assertInFunction", "grid": [1], "block": [32], "buffers": {"in": {"elements": 32, "init": "uniform"}, "out": {"elements": 32}}}
template <typename T> __device__ T checkedRoot(T value) {
  assert(value >= 0); // FAULT: assert-failed
  return sqrtf(value);
}
__global__ void assertInFunction(const float *in, float *out) {
  float value = in[threadIdx.x];
  out[threadIdx.x] = checkedRoot(PLANTED(value, fabsf(value)));
}
