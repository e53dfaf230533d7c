// REQUIRES: nvcc
// Races of threads of a block in shared memory.
// RUN: check-faults %s
#include <cooperative_groups.h>
#include "Inputs/planted.h"

// LAUNCH: {"name": "transposeTile", "grid": [2, 2], "block": [16, 16], "args": {"n": 32}, "buffers": {"in": {"elements": 1024, "init": "uniform"}, "out": {"elements": 1024}}}
__global__ void transposeTile(int n, const float *in, float *out) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  PLANTED_CODE(, __syncthreads());
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y]; // FAULT: shared-race uninitialised-read
}

// LAUNCH: {"name": "reduceTree", "grid": [1], "block": [128], "buffers": {"in": {"elements": 128, "init": "uniform"}, "out": {"elements": 1}}}
__global__ void reduceTree(const float *in, float *out) {
  __shared__ float sums[128];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half)
      sums[t] += sums[t + half]; // FAULT: shared-race
    PLANTED_CODE(, __syncthreads());
  }
  if (t == 0)
    *out = sums[0];
}

// LAUNCH: {"name": "productTiles", "grid": [2, 2], "block": [16, 16], "args": {"n": 32}, "buffers": {"a": {"elements": 1024, "init": "uniform"}, "b": {"elements": 1024, "init": "uniform"}, "c": {"elements": 1024}}}
__global__ void productTiles(int n, const float *a, const float *b, float *c) {
  __shared__ float left[16][16], right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    left[ty][tx] = a[row * n + tile + tx];            // FAULT: shared-race
    right[ty][tx] = b[(tile + ty) * n + column];      // FAULT: shared-race
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += left[ty][k] * right[k][tx];
    PLANTED_CODE(, __syncthreads());
  }
  c[row * n + column] = sum;
}

// LAUNCH: {"name": "smoothInPlace", "grid": [1], "block": [64], "buffers": {"data": {"elements": 64, "init": "uniform"}}}
__global__ void smoothInPlace(float *data) {
  __shared__ float line[66];
  int t = threadIdx.x + 1;
  line[t] = data[t - 1];
  if (t == 1)
    line[0] = line[65] = 0;
  __syncthreads();
  float mean = (line[t - 1] + line[t] + line[t + 1]) / 3;
  PLANTED_CODE(, __syncthreads());
  line[t] = mean; // FAULT: shared-race
  __syncthreads();
  data[t - 1] = line[t];
}

// LAUNCH: {"name": "scanOneBuffer", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 64}}}
__global__ void scanOneBuffer(const float *in, float *out) {
  __shared__ float line[64];
  int t = threadIdx.x;
  line[t] = in[t];
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    float before = t >= step ? line[t - step] : 0;
    PLANTED_CODE(, __syncthreads());
    line[t] += before; // FAULT: shared-race
  }
  __syncthreads();
  out[t] = line[t];
}

// LAUNCH: {"name": "countInShared", "grid": [1], "block": [256], "buffers": {"in": {"elements": 256, "type": "uint8", "init": "integers"}, "bins": {"elements": 16, "type": "int32"}}}
__global__ void countInShared(const unsigned char *in, int *bins) {
  __shared__ int mine[16];
  int t = threadIdx.x;
  if (t < 16)
    mine[t] = 0;
  __syncthreads();
  PLANTED_CODE(mine[in[t] / 16]++, atomicAdd(&mine[in[t] / 16], 1)); // FAULT: shared-race
  __syncthreads();
  if (t < 16)
    bins[t] = mine[t];
}

// LAUNCH: {"name": "lastWarpUnrolled", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 1}}}
__global__ void lastWarpUnrolled(const float *in, float *out) {
  __shared__ float sums[64];
  int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int half = 32; half > 0; half /= 2) {
      float other = sums[t + half]; // FAULT: shared-race
      PLANTED_CODE(, __syncwarp());
      sums[t] += other;             // FAULT: shared-race
      PLANTED_CODE(, __syncwarp());
    }
  }
  if (t == 0)
    *out = sums[0];
}

// LAUNCH: {"name": "broadcastTotal", "grid": [1], "block": [96], "buffers": {"in": {"elements": 96, "init": "uniform"}, "out": {"elements": 96}}}
__global__ void broadcastTotal(const float *in, float *out) {
  __shared__ float scale;
  if (threadIdx.x == 0)
    scale = in[0];
  PLANTED_CODE(, __syncthreads());
  out[threadIdx.x] = in[threadIdx.x] * scale; // FAULT: shared-race uninitialised-read
}

// LAUNCH: {"name": "flagsInBytes", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 32, "type": "uint8"}}}
__global__ void flagsInBytes(const float *in, unsigned char *out) {
  __shared__ unsigned char flags[64];
  int t = threadIdx.x;
  flags[t / PLANTED(2, 1)] = t + 1; // FAULT: shared-race
  __syncthreads();
  if (t < 32)
    out[t] = flags[t];
}

// LAUNCH: {"name": "softmaxReuse", "grid": [1], "block": [128], "buffers": {"in": {"elements": 128, "init": "uniform"}, "out": {"elements": 128}}}
__global__ void softmaxReuse(const float *in, float *out) {
  __shared__ float partial[4];
  int t = threadIdx.x, warp = t / 32;
  float x = in[t], top = x;
  for (int offset = 16; offset > 0; offset /= 2)
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, offset));
  if (t % 32 == 0)
    partial[warp] = top;
  __syncthreads();
  top = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
  float sum = expf(x - top);
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  PLANTED_CODE(, __syncthreads());
  if (t % 32 == 0)
    partial[warp] = sum; // FAULT: shared-race
  __syncthreads();
  out[t] = expf(x - top) / (partial[0] + partial[1] + partial[2] + partial[3]);
}

// LAUNCH: {"name": "tilesOfSixteen", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 64}}}
__global__ void tilesOfSixteen(const float *in, float *out) {
  namespace cg = cooperative_groups;
  __shared__ float line[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<PLANTED_CODE(16, 32)>(block);
  int t = threadIdx.x;
  line[t] = in[t];
  tile.sync();
  out[t] = line[t ^ 16]; // FAULT: shared-race uninitialised-read
}

// LAUNCH: {"name": "twoHalves", "grid": [1], "block": [128], "buffers": {"in": {"elements": 128, "init": "uniform"}, "out": {"elements": 128}}}
__global__ void twoHalves(const float *in, float *out) {
  __shared__ float line[128];
  int t = threadIdx.x;
  line[t] = in[t];
  if (t < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[t] = line[t ^ PLANTED(64, 32)]; // FAULT: shared-race uninitialised-read
}

// LAUNCH: {"name": "sortSteps", "grid": [1], "block": [64], "buffers": {"keys": {"elements": 64, "init": "uniform"}}}
template <typename T> __device__ void exchange(T *line, int t, int other, bool ascending) {
  if (other > t && (line[t] > line[other]) == ascending) { // FAULT: shared-race
    T held = line[t];
    line[t] = line[other]; // FAULT: shared-race
    line[other] = held;    // FAULT: shared-race
  }
}
__global__ void sortSteps(float *keys) {
  __shared__ float line[64];
  int t = threadIdx.x;
  line[t] = keys[t];
  __syncthreads();
  for (int size = 2; size <= 64; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      exchange(line, t, t ^ step, (t & size) == 0);
      PLANTED_CODE(, __syncthreads());
    }
  __syncthreads();
  keys[t] = line[t];
}

// LAUNCH: {"name": "rowsOfBlock", "grid": [1], "block": [16, 4], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 4}}}
__global__ void rowsOfBlock(const float *in, float *out) {
  __shared__ float rows[4];
  float value = in[threadIdx.y * 16 + threadIdx.x];
  if (PLANTED(true, threadIdx.x == 0))
    rows[threadIdx.y] = value; // FAULT: shared-race
  __syncthreads();
  if (threadIdx.x == 0)
    out[threadIdx.y] = rows[threadIdx.y];
}

// LAUNCH: {"name": "countThenRead", "grid": [1], "block": [64], "buffers": {"in": {"elements": 64, "init": "uniform"}, "out": {"elements": 64, "type": "int32"}}}
__global__ void countThenRead(const float *in, int *out) {
  __shared__ int positive;
  if (threadIdx.x == 0)
    positive = 0;
  __syncthreads();
  if (in[threadIdx.x] > 0)
    atomicAdd(&positive, 1); // FAULT: shared-race
  PLANTED_CODE(, __syncthreads());
  out[threadIdx.x] = positive; // FAULT: shared-race
}

// LAUNCH: {"name": "takeTurns", "grid": [1], "block": [64], "buffers": {"out": {"elements": 1}}}
__global__ void takeTurns(int *out) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0)
    lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;)
    if (PLANTED_CODE(true, atomicCAS(&lock, 0, 1) == 0)) {
      sum += threadIdx.x; // FAULT: shared-race
      __threadfence_block();
      PLANTED_CODE(, atomicExch(&lock, 0));
      done = true;
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *out = sum;
}
