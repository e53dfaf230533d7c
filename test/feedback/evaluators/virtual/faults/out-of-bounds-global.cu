// REQUIRES: nvcc
// Accesses outside buffers and variables in global and constant memory.
// RUN: check-faults %s
#include "Inputs/planted.h"

// LAUNCH: {"name": "saxpyTail", "grid": [4], "block": [256], "args": {"n": 1000, "a": 2.0}, "buffers": {"x": {"elements": 1000}, "y": {"elements": 1000}}}
__global__ void saxpyTail(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (PLANTED(i < (n + 31) / 32 * 32, i < n))
    y[i] = a * x[i] + y[i]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "stencilLeftEdge", "grid": [2], "block": [128], "args": {"n": 256}, "buffers": {"in": {"elements": 256}, "out": {"elements": 256}}}
__global__ void stencilLeftEdge(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float left = PLANTED(i >= 0, i > 0)
                   ? in[i - 1] // FAULT: out-of-bounds
                   : 0;
  out[i] = left + in[i];
}

// LAUNCH: {"name": "stencilLastRow", "grid": [2, 2], "block": [16, 16], "args": {"width": 32, "height": 30}, "buffers": {"in": {"elements": 960}, "out": {"elements": 960}}}
__global__ void stencilLastRow(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= PLANTED(height, height - 1))
    return;
  float below = in[(y + 1) * width + x]; // FAULT: out-of-bounds
  out[y * width + x] = below;
}

// LAUNCH: {"name": "transposePitch", "grid": [2, 1], "block": [32, 16], "args": {"width": 64, "height": 16}, "buffers": {"in": {"elements": 1024}, "out": {"elements": 1024}}}
__global__ void transposePitch(int width, int height, const float *in, float *out) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  out[x * PLANTED(width, height) + y] = in[y * width + x]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "reducePairs", "grid": [1], "block": [64], "args": {"n": 100}, "buffers": {"in": {"elements": 100}, "out": {"elements": 64}}}
__global__ void reducePairs(int n, const float *in, float *out) {
  int i = threadIdx.x;
  float sum = in[i];
  if (PLANTED(i < n, i + 64 < n))
    sum += in[i + 64]; // FAULT: out-of-bounds
  out[i] = sum;
}

// LAUNCH: {"name": "sparseRows", "grid": [1], "block": [128], "args": {"rows": 100}, "buffers": {"start": {"elements": 101, "type": "int32"}, "out": {"elements": 101, "type": "int32"}}}
__global__ void sparseRows(int rows, const int *start, int *out) {
  int row = threadIdx.x;
  if (PLANTED(row <= rows, row < rows))
    out[row] = start[row + 1] - start[row]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "gatherByTable", "grid": [16], "block": [256], "args": {}, "buffers": {"index": {"elements": 4096, "type": "int32", "init": "integers"}, "source": {"elements": 256}, "out": {"elements": 4096}}}
__global__ void gatherByTable(const int *index, const float *source, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = source[index[i] + PLANTED(1, 0)]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "stencilVolume", "grid": [1, 1, 2], "block": [8, 8, 4], "args": {"nx": 8, "ny": 8, "nz": 8}, "buffers": {"in": {"elements": 512}, "out": {"elements": 512}}}
__global__ void stencilVolume(int nx, int ny, int nz, const float *in, float *out) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int above = PLANTED(z + 1, z + 1 < nz ? z + 1 : z);
  out[(z * ny + y) * nx + x] = in[(above * ny + y) * nx + x]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "moveParticles", "grid": [2], "block": [32], "args": {"n": 50}, "buffers": {"particles": {"elements": 350}}}
struct Particle {
  float position[3], velocity[3], mass;
};
template <typename T> __device__ void drift(T *all, int i, float step) {
  for (int axis = 0; axis < 3; ++axis)
    all[i].position[axis] += step * all[i].velocity[axis]; // FAULT: out-of-bounds
}
__global__ void moveParticles(int n, Particle *particles) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (PLANTED(true, i < n))
    drift(particles, i, 0.1f);
}

// LAUNCH: {"name": "countValues", "grid": [16], "block": [256], "args": {}, "buffers": {"values": {"elements": 4096, "type": "uint8", "init": "integers"}, "bins": {"elements": 256, "type": "int32"}}}
__global__ void countValues(const unsigned char *values, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[values[i] + PLANTED(1, 0)], 1); // FAULT: out-of-bounds
}

// LAUNCH: {"name": "copyVectors", "grid": [1], "block": [32], "args": {"n": 126}, "buffers": {"in": {"elements": 126}, "out": {"elements": 128}}}
__global__ void copyVectors(int n, const float4 *in, float4 *out) {
  int i = threadIdx.x;
  if (i < PLANTED((n + 3) / 4, n / 4))
    out[i] = in[i]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "lagUnsigned", "grid": [1], "block": [64], "args": {"lag": 3}, "buffers": {"in": {"elements": 64}, "out": {"elements": 64}}}
__global__ void lagUnsigned(unsigned lag, const float *in, float *out) {
  unsigned i = threadIdx.x;
  float before = PLANTED(true, i >= lag) ? in[i - lag] : 0; // FAULT: out-of-bounds
  out[i] = in[i] - before;
}

// LAUNCH: {"name": "filterByConstants", "grid": [1], "block": [64], "args": {"taps": 5}, "buffers": {"in": {"elements": 72}, "out": {"elements": 64}}}
__constant__ float weights[5] = {1, 4, 6, 4, 1};
__global__ void filterByConstants(int taps, const float *in, float *out) {
  float sum = 0;
  for (int k = 0; PLANTED(k <= taps, k < taps); ++k)
    sum += weights[k] * // FAULT: out-of-bounds
           in[threadIdx.x + k];
  out[threadIdx.x] = sum;
}

// LAUNCH: {"name": "lookUp", "grid": [1], "block": [64], "args": {}, "buffers": {"out": {"elements": 64, "type": "int32"}}}
__device__ int table[48];
__global__ void lookUp(int *out) {
  int i = threadIdx.x;
  out[i] = table[PLANTED(i, i % 48)]; // FAULT: out-of-bounds
}

// LAUNCH: {"name": "nullPointer", "grid": [1], "block": [32], "args": {"bias": 0}, "buffers": {"in": {"elements": 32}, "out": {"elements": 32}}}
__global__ void nullPointer(const float *bias, const float *in, float *out) {
  float shift = PLANTED(true, bias != nullptr) ? bias[threadIdx.x] : 0; // FAULT: out-of-bounds
  out[threadIdx.x] = in[threadIdx.x] + shift;
}
