// REQUIRES: nvcc
// Addresses that are no multiple of what the access needs.
// RUN: check-faults %s
#include <cuda_fp16.h>
#include "Inputs/planted.h"

// LAUNCH: {"name": "vectorsOffByOne", "grid": [1], "block": [16], "buffers": {"in": {"elements": 72}, "out": {"elements": 64}}}
__global__ void vectorsOffByOne(const float *in, float4 *out) {
  const float4 *vectors = reinterpret_cast<const float4 *>(in + PLANTED(1, 4));
  out[threadIdx.x] = vectors[threadIdx.x]; // FAULT: misaligned-access
}

// LAUNCH: {"name": "pairsAfterHeader", "grid": [1], "block": [16], "buffers": {"message": {"elements": 256, "type": "uint8"}, "out": {"elements": 32}}}
__global__ void pairsAfterHeader(const char *message, float2 *out) {
  const float2 *body = reinterpret_cast<const float2 *>(message + PLANTED(12, 16));
  out[threadIdx.x] = body[threadIdx.x]; // FAULT: misaligned-access
}

// LAUNCH: {"name": "doublesInShared", "grid": [1], "block": [16], "buffers": {"out": {"elements": 16, "type": "float64"}}}
__global__ void doublesInShared(double *out) {
  __shared__ __align__(16) char storage[16 * 8 + 8];
  double *values = reinterpret_cast<double *>(storage + PLANTED(4, 8));
  values[threadIdx.x] = threadIdx.x; // FAULT: misaligned-access
  __syncthreads();
  out[threadIdx.x] = values[15 - threadIdx.x]; // OR: misaligned-access
}

// LAUNCH: {"name": "lengthsInRecords", "grid": [1], "block": [16], "args": {"size": 13}, "buffers": {"records": {"elements": 512, "type": "uint8"}, "out": {"elements": 16, "type": "int32"}}}
__global__ void lengthsInRecords(int size, const unsigned char *records, int *out) {
  const unsigned char *record = records + threadIdx.x * PLANTED(size, (size + 3) / 4 * 4);
  out[threadIdx.x] = *reinterpret_cast<const int *>(record); // FAULT: misaligned-access
}

// LAUNCH: {"name": "halvesInPairs", "grid": [1], "block": [16], "buffers": {"in": {"elements": 40, "type": "float16"}, "out": {"elements": 32, "type": "float16"}}}
__global__ void halvesInPairs(const __half *in, __half2 *out) {
  const __half2 *pairs = reinterpret_cast<const __half2 *>(in + PLANTED(1, 2));
  out[threadIdx.x] = pairs[threadIdx.x]; // FAULT: misaligned-access
}

// LAUNCH: {"name": "rowsOfOddPitch", "grid": [4], "block": [4], "args": {"pitch": 18}, "buffers": {"image": {"elements": 128, "type": "int32"}}}
__global__ void rowsOfOddPitch(int pitch, int *image) {
  int *row = image + blockIdx.x * PLANTED(pitch, (pitch + 3) / 4 * 4);
  reinterpret_cast<int4 *>(row)[threadIdx.x] = make_int4(1, 2, 3, 4); // FAULT: misaligned-access
}

// LAUNCH: {"name": "slicedInput", "grid": [1], "block": [16], "buffers": {"in": {"elements": 64, "misalignment": 4}, "out": {"elements": 64}}}
__global__ void slicedInput(const float *in, float4 *out) {
  int i = threadIdx.x;
  PLANTED_CODE(out[i] = reinterpret_cast<const float4 *>(in)[i], // FAULT: misaligned-access
               out[i] = make_float4(in[4 * i], in[4 * i + 1], in[4 * i + 2], in[4 * i + 3]));
}
