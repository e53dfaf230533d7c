// REQUIRES: nvcc
// Masks of warp collectives that name lanes which do not come, or lack the caller.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "shuffleByHalf", "grid": [1], "block": [32], "buffers": {"in": {"elements": 32, "init": "uniform"}, "out": {"elements": 32}}}
__global__ void shuffleByHalf(const float *in, float *out) {
  int lane = threadIdx.x;
  float value = in[lane];
  if (lane < 16)
    value += __shfl_down_sync(PLANTED(0xffffffffu, 0xffffu), value, 8, 16); // FAULT: wrong-warp-mask
  __syncwarp(); // OR: wrong-warp-mask
  out[lane] = value;
}

// LAUNCH: {"name": "ballotLacksCaller", "grid": [1], "block": [32], "buffers": {"in": {"elements": 32, "init": "uniform"}, "out": {"elements": 32, "type": "uint32"}}}
__global__ void ballotLacksCaller(const float *in, unsigned *out) {
  bool positive = in[threadIdx.x] > 0;
  out[threadIdx.x] = __ballot_sync(PLANTED(0xffffu, 0xffffffffu), positive); // FAULT: wrong-warp-mask
}

// LAUNCH: {"name": "syncLacksCaller", "grid": [1], "block": [32], "buffers": {"out": {"elements": 32}}}
__global__ void syncLacksCaller(float *out) {
  __shared__ float line[32];
  int lane = threadIdx.x;
  line[lane] = lane;
  __syncwarp(PLANTED(0x7fffffffu, 0xffffffffu)); // FAULT: wrong-warp-mask
  out[lane] = PLANTED(line[lane], line[31 - lane]);
}

// LAUNCH: {"name": "reduceEvenLanes", "grid": [1], "block": [32], "buffers": {"in": {"elements": 32, "type": "int32", "init": "integers"}, "out": {"elements": 32, "type": "int32"}}}
__global__ void reduceEvenLanes(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
  if (lane % 2 == 0)
    value = __reduce_add_sync(PLANTED(0x77777777u, 0x55555555u), value); // FAULT: wrong-warp-mask
  __syncwarp();                                                          // OR: wrong-warp-mask
  out[lane] = value;
}

// LAUNCH: {"name": "matchInUnevenLoop", "grid": [1], "block": [32], "buffers": {"in": {"elements": 64, "type": "int32", "init": "integers"}, "out": {"elements": 32, "type": "uint32"}}}
__global__ void matchInUnevenLoop(const int *in, unsigned *out) {
  unsigned same = 0;
  for (int i = 0; i < PLANTED(threadIdx.x % 2 + 1, 2u); ++i)
    same |= __match_any_sync(0xffffffffu, in[i * 32 + threadIdx.x]); // FAULT: wrong-warp-mask
  __syncwarp(); // OR: wrong-warp-mask
  out[threadIdx.x] = same;
}

// LAUNCH: {"name": "votersLeave", "grid": [1], "block": [32], "args": {"limit": 20}, "buffers": {"in": {"elements": 32, "init": "uniform"}, "out": {"elements": 32, "type": "int32"}}}
__device__ int anyOf(unsigned mask, float value) {
  return __any_sync(mask, value > 0.5f); // FAULT: wrong-warp-mask
}
__global__ void votersLeave(int limit, const float *in, int *out) {
  int lane = threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, PLANTED(true, lane < limit));
  if (lane < limit)
    out[lane] = anyOf(mask, in[lane]);
  __syncwarp(); // OR: wrong-warp-mask
}
