// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s
#include <cuda_fp16.h>

__constant__ float weights[64];

struct Shape {
  float *data;
  int rows, columns;
};

// A helper's access keeps its place in the helper and tells where it was called.
__device__ float twice(const float *p, int i) {
  // CHECK: "source_name": "helper"
  // CHECK: "line": [[@LINE+3]],
  // CHECK-NEXT: "column":
  // CHECK-NEXT: "function": "twice",
  return 2.0f * p[i];
}
__global__ void helper(const float *in, float *out) {
  // CHECK-NEXT: "inlined_at": [
  // CHECK: "line": [[@LINE+2]],
  // CHECK: "index": "in[threadIdx.x]",
  out[threadIdx.x] = twice(in, threadIdx.x);
}

// An access out of a macro is where the macro stands.
#define ELEMENT(p, i) ((p)[2 * (i)])
// CHECK: "source_name": "macro"
__global__ void macro(const float *in, float *out) {
  // CHECK: "line": [[@LINE+4]],
  // CHECK-NEXT: "column":
  // CHECK-NEXT: "function": "macro"
  // CHECK: "index": "in[2 * threadIdx.x]",
  out[threadIdx.x] = ELEMENT(in, threadIdx.x);
}

// p += blockDim.x is an index in the loop's counter.
// CHECK: "source_name": "pointer_walk"
// CHECK: "index": "in[blockDim.x * i + threadIdx.x]",
// CHECK-NEXT: "offset": {
// CHECK-NEXT: "grade": "proved",
__global__ void pointer_walk(const float *in, float *out, int n) {
  float sum = 0;
  const float *p = in + threadIdx.x;
  for (int i = 0; i < n; ++i, p += blockDim.x)
    sum += *p;
  out[threadIdx.x] = sum;
}

// 64-bit arithmetic cannot wrap in a buffer that exists: nothing is assumed.
// CHECK: "source_name": "long_index"
// CHECK: "index": "a[blockIdx.y * pitch + threadIdx.x]",
// CHECK-NEXT: "offset": {
// CHECK-NEXT: "grade": "proved",
__global__ void long_index(float *a, long long pitch) {
  a[blockIdx.y * pitch + threadIdx.x] = 0;
}

// Its 32-bit twin is right as long as the product does not wrap, and says so.
// CHECK: "source_name": "unsigned_index"
// CHECK: "index": "a[blockIdx.y * pitch + threadIdx.x]",
// CHECK-NEXT: "offset": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "
// CHECK-NEXT: "reason": "index arithmetic does not wrap
__global__ void unsigned_index(float *a, unsigned pitch) {
  a[blockIdx.y * pitch + threadIdx.x] = 0;
}

// CHECK: "source_name": "dynamic_shared"
// CHECK: "space": "shared",
// CHECK-NEXT: "kind": "write",
// CHECK: "index": "tile[33 * threadIdx.x]",
// CHECK: "lane_stride": {
// CHECK-NEXT: "grade": "proved",
// CHECK-NEXT: "value": 132
// CHECK: "shared_variables": [
// CHECK: "name": "tile",
// CHECK-NEXT: "bytes": 0,
// CHECK-NEXT: "dynamic": true,
__global__ void dynamic_shared(float *out) {
  extern __shared__ float tile[];
  tile[33 * threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

// Members of a struct passed by value are scalars of the launch: reading them is no access.
// CHECK: "source_name": "member"
// CHECK: "accesses": [
// CHECK-NEXT: {
// CHECK-NEXT: "id": 0,
// CHECK: "kind": "write",
// CHECK: "kind": "parameter-member",
// CHECK-NEXT: "name": "shape.data",
// CHECK: "index": "shape.data[threadIdx.y * shape.columns + threadIdx.x]",
// CHECK-NOT: "id": 1,
// CHECK: "reductions":
__global__ void member(Shape shape) {
  shape.data[threadIdx.y * shape.columns + threadIdx.x] = 0;
}

// CHECK: "source_name": "halves"
// CHECK: "accesses": [
// CHECK: "bytes": 4,
// CHECK-NEXT: "alignment": 4,
// CHECK: "index": "in[threadIdx.x]",
// CHECK: "bytes": 2,
// CHECK-NEXT: "alignment": 2,
// CHECK: "index": "out[threadIdx.x]",
__global__ void halves(const __half2 *in, __half *out) {
  out[threadIdx.x] = __low2half(in[threadIdx.x]);
}

// CHECK: "source_name": "constant_table"
// CHECK: "space": "constant",
// CHECK: "index": "weights[threadIdx.y]",
// CHECK: "lane_stride": {
// CHECK-NEXT: "grade": "proved",
// CHECK-NEXT: "value": 0
// CHECK: "global_variables": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "weights",
// CHECK-NEXT: "bytes": 256,
// CHECK-NEXT: "constant_space": true
__global__ void constant_table(float *out) {
  out[threadIdx.x] = weights[threadIdx.y];
}

// What an address depends on data for is not guessed.
// CHECK: "source_name": "gather"
// CHECK: "index": "in[where[threadIdx.x]]",
// CHECK: "lane_stride": {
// CHECK-NEXT: "grade": "unknown",
// CHECK: "data_dependent": true,
__global__ void gather(const int *where, const float *in, float *out) {
  out[threadIdx.x] = in[where[threadIdx.x]];
}

// CHECK: "source_name": "either"
// CHECK: "object": {
// CHECK-NEXT: "grade": "unknown",
// CHECK-NEXT: "reason": "one of two places"
__global__ void either(float *a, float *b, int n) {
  float *p = n > 4 ? a : b;
  p[threadIdx.x] = 1;
}

// Not linear, yet no data decides it: evaluated lane by lane once the launch is known.
// CHECK: "source_name": "swizzle"
// CHECK: "index": "a[threadIdx.x ^ 5]",
// CHECK: "lane_stride": {
// CHECK-NEXT: "grade": "unknown",
// CHECK: "data_dependent": false,
__global__ void swizzle(float *a) {
  a[threadIdx.x ^ 5] = 1;
}

// Each instantiation of a template is a kernel with facts of its own.
// CHECK: "source_name": "copy<double>"
// CHECK: "accesses": [
// CHECK: "bytes": 8,
// CHECK-NEXT: "alignment": 8,
// CHECK-NEXT: "element_type": "double",
// CHECK: "source_name": "copy<short>"
// CHECK: "accesses": [
// CHECK: "bytes": 2,
// CHECK-NEXT: "alignment": 2,
// CHECK-NEXT: "element_type": "i16",
template <typename T> __global__ void copy(const T *in, T *out) {
  out[threadIdx.x] = in[threadIdx.x];
}
template __global__ void copy<double>(const double *, double *);
template __global__ void copy<short>(const short *, short *);
