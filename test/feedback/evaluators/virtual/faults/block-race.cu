// REQUIRES: nvcc
// Races of blocks in global memory.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "binsOfAll", "grid": [8], "block": [64], "buffers": {"in": {"elements": 512, "type": "uint8", "init": "integers"}, "bins": {"elements": 16, "type": "int32"}}}
__global__ void binsOfAll(const unsigned char *in, int *bins) {
  int bin = in[blockIdx.x * 64 + threadIdx.x] / 16;
  PLANTED_CODE(bins[bin]++, atomicAdd(&bins[bin], 1)); // FAULT: block-race
}

// LAUNCH: {"name": "stencilInPlace", "grid": [4], "block": [64], "args": {"n": 256}, "buffers": {"in": {"elements": 256, "init": "uniform"}, "out": {"elements": 256}}}
__global__ void stencilInPlace(int n, float *in, float *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float left = i > 0 ? in[i - 1] : 0, right = i + 1 < n ? in[i + 1] : 0; // FAULT: block-race
  __syncthreads();
  PLANTED(in, out)[i] = (left + right) / 2; // FAULT: block-race
}

// LAUNCH: {"name": "sumOfBlocks", "grid": [8], "block": [32], "buffers": {"in": {"elements": 256, "init": "uniform"}, "out": {"elements": 1}}}
__global__ void sumOfBlocks(const float *in, float *out) {
  float sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0)
    PLANTED_CODE(out[0] += sum, atomicAdd(out, sum)); // FAULT: block-race
}

// LAUNCH: {"name": "transposeInPlace", "grid": [2, 2], "block": [16, 16], "args": {"n": 32}, "buffers": {"data": {"elements": 1024, "init": "uniform"}, "out": {"elements": 1024}}}
__global__ void transposeInPlace(int n, float *data, float *out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float value = data[y * n + x]; // FAULT: block-race
  __syncthreads();
  PLANTED(data, out)[x * n + y] = value; // FAULT: block-race
}

// LAUNCH: {"name": "overlappingTiles", "grid": [4], "block": [65], "buffers": {"out": {"elements": 260}}}
__global__ void overlappingTiles(float *out) {
  out[blockIdx.x * PLANTED(64, 65) + threadIdx.x] = blockIdx.x + 1; // FAULT: block-race
}

// LAUNCH: {"name": "nextTicket", "grid": [8], "block": [32], "buffers": {"counter": {"elements": 1, "type": "int32"}, "out": {"elements": 8, "type": "int32"}}}
__global__ void nextTicket(int *counter, int *out) {
  if (threadIdx.x == 0) {
    int mine = PLANTED_CODE((*counter)++, atomicAdd(counter, 1)); // FAULT: block-race
    out[blockIdx.x] = mine;
  }
}

// LAUNCH: {"name": "lastBlockSums", "grid": [8], "block": [64], "buffers": {"in": {"elements": 512, "init": "uniform"}, "partial": {"elements": 8}, "counter": {"elements": 1, "type": "uint32"}, "out": {"elements": 1}}}
__global__ void lastBlockSums(const float *in, float *partial, unsigned *counter, float *out) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x * 64];
    PLANTED_CODE(, __threadfence());
    isLast = atomicInc(counter, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    float sum = 0;
    for (int block = 0; block < gridDim.x; ++block)
      sum += partial[block]; // FAULT: block-race
    *out = sum;
  }
}

// LAUNCH: {"name": "rowForgotten", "grid": [2, 3], "block": [32], "args": {"width": 64}, "buffers": {"out": {"elements": 192}}}
__global__ void rowForgotten(int width, float *out) {
  int column = blockIdx.x * 32 + threadIdx.x;
  out[PLANTED(0, blockIdx.y) * width + column] = blockIdx.y * width + column + 1; // FAULT: block-race
}

// LAUNCH: {"name": "pixelsHalved", "grid": [4], "block": [32], "buffers": {"in": {"elements": 256, "type": "uint8", "init": "integers"}, "out": {"elements": 128, "type": "uint8"}}}
__global__ void pixelsHalved(const unsigned char *in, unsigned char *out) {
  int i = blockIdx.x * PLANTED(31, 32) + threadIdx.x;
  out[i] = in[2 * i] / 2 + blockIdx.x + 1; // FAULT: block-race
}

// All blocks write the same: worth a note, and no fault.
// LAUNCH: {"name": "anyChange", "grid": [4], "block": [64], "buffers": {"in": {"elements": 256, "init": "ones"}, "changed": {"elements": 1, "type": "int32"}}}
__global__ void anyChange(const float *in, int *changed) {
  if (in[blockIdx.x * 64 + threadIdx.x] > 0)
    *changed = PLANTED((int)(blockIdx.x + 1), 1); // FAULT: block-race
}
