// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// CHECK: "source_name": "trees"
__global__ void trees(float *a) {
  __shared__ float s[1024];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "ceil(log2(blockDim.x))"
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0)
      s[threadIdx.x] += s[threadIdx.x + stride];
    __syncthreads();
  }
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "floor(log2(blockDim.x))"
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride)
      s[threadIdx.x] += s[threadIdx.x + stride];
    __syncthreads();
  }
  a[threadIdx.x] = s[threadIdx.x];
}

// CHECK: "source_name": "scalars"
__global__ void scalars(float *a, int n) {
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "floor(log3(n)) + 1"
  for (int i = 1; i <= n; i *= 3)
    a[i] = 0;
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "ceil(log4(n)) - 1"
  for (int i = 4; i < n; i *= 4)
    a[i] = 1;
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "floor(log2(n / 5)) + 1"
  for (int i = n; i >= 5; i /= 2)
    a[i] = 3;
  // Shifts into the sign bit are defined, so that the counter may wrap.
  // CHECK: "line": [[@LINE+5]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "assumed",
  // CHECK-NEXT: "value": "ceil(log2(n))",
  // CHECK-NEXT: "reason": "the loop counter does not wrap"
  for (int i = 1; i < n; i <<= 1)
    a[i] = 4;
  // Clang tests i + 1 < 3, unsigned: a start below zero arrives as well.
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "unknown",
  // CHECK-NEXT: "reason": "geometric: each iteration divides the counter by 2,
  for (int i = n; i != 0; i /= 2)
    a[i & 7] = 5;
}

// CHECK: "source_name": "warp"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "proved",
// CHECK-NEXT: "value": 5
__global__ void warp(float *a) {
  float x = a[threadIdx.x];
#pragma unroll 1
  for (int o = 16; o > 0; o >>= 1)
    x += __shfl_down_sync(~0u, x, o);
  a[threadIdx.x] = x;
}

// A start of zero never arrives, and an unknown bound may be below zero.
// CHECK: "source_name": "from_anywhere"
__global__ void from_anywhere(float *a, int start, int n, int bound) {
  // CHECK: "reason": "geometric: each iteration multiplies the counter by 2,
  for (int i = start; i < n; i *= 2)
    a[i] = 0;
  // CHECK: "reason": "geometric: each iteration divides the counter by 2,
  for (int i = n; i > bound; i /= 2)
    a[i] = 0;
}

// 1, 3, 7, ... is no multiple of anything.
// CHECK: "source_name": "with_carry"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "unknown",
// CHECK-NEXT: "reason": "the exit does not compare a counter of constant step with a bound"
__global__ void with_carry(float *a, int n) {
  for (int i = 1; i < n; i = 2 * i + 1)
    a[i] = 0;
}
