// REQUIRES: nvcc
// Threads of a block that wait for each other for ever.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "namedCountTooLarge", "grid": [1], "block": [96], "buffers": {"out": {"elements": 96}}}
__global__ void namedCountTooLarge(float *out) {
  __shared__ float line[64];
  int t = threadIdx.x;
  if (t < 64) {
    line[t] = t;
    PLANTED_CODE(asm volatile("bar.sync 1, 96;" ::: "memory"), // FAULT: deadlock
                 asm volatile("bar.sync 1, 64;" ::: "memory"));
    out[t] = line[63 - t];
  }
}

// LAUNCH: {"name": "producerOfAnother", "grid": [1], "block": [64], "buffers": {"in": {"elements": 32}, "out": {"elements": 32}}}
__global__ void producerOfAnother(const float *in, float *out) {
  __shared__ float line[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    line[lane] = in[lane];
    asm volatile("bar.sync 1, 64;" ::: "memory"); // FAULT: deadlock
  } else {
    PLANTED_CODE(asm volatile("bar.sync 2, 64;" ::: "memory"), // FAULT: deadlock
                 asm volatile("bar.sync 1, 64;" ::: "memory"));
    out[lane] = line[lane];
  }
}

// LAUNCH: {"name": "laneAtTheBarrier", "grid": [1], "block": [32], "buffers": {"in": {"elements": 32}, "out": {"elements": 32}}}
__global__ void laneAtTheBarrier(const float *in, float *out) {
  float value = in[threadIdx.x];
  if (PLANTED(threadIdx.x < 16, true))
    value = __shfl_xor_sync(0xffffffffu, value, 1); // FAULT: wrong-warp-mask
  __syncthreads();                                  // OR: wrong-warp-mask
  out[threadIdx.x] = value;
}

// LAUNCH: {"name": "arriveMissing", "grid": [1], "block": [64], "buffers": {"in": {"elements": 32}, "out": {"elements": 32}}}
__global__ void arriveMissing(const float *in, float *out) {
  __shared__ float line[32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    line[lane] = in[lane];
    PLANTED_CODE(, asm volatile("bar.arrive 3, 64;" ::: "memory"));
  } else {
    asm volatile("bar.sync 3, 64;" ::: "memory"); // FAULT: deadlock
    out[lane] = line[lane];
  }
}
