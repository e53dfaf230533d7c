// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// The guard bounds what is touched, as long as the index is what it reads like.
// CHECK: "source_name": "guarded"
// CHECK: "ranges": [
// CHECK: "first": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": 0,
// CHECK-NEXT: "reason": "scalars are not negative, index arithmetic does not wrap"
// CHECK: "last": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "4 * n - 1",
__global__ void guarded(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 0;
}

// A tile walked in steps of 32 reaches at most 31 behind its last start.
// CHECK: "source_name": "steps"
// CHECK: "ranges": [
// CHECK: "name": "a",
// CHECK: "last": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "4 * n + 123",
__global__ void steps(const float *a, float *b, int n) {
  float sum = 0;
  for (int t = 0; t < n; t += 32)
    for (int i = threadIdx.y; i < 32; i += 8)
      sum += a[t + i];
  b[threadIdx.x] = sum;
}

// A row of a negative pitch lies in front of the buffer: the start is no proof.
// CHECK: "source_name": "pitched"
// CHECK: "ranges": [
// CHECK: "first": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": 0,
// CHECK-NEXT: "reason": "scalars are not negative"
__global__ void pitched(float *a, long long pitch) {
  a[blockIdx.x * pitch + threadIdx.x] = 0;
}

// Data bound nothing.
// CHECK: "source_name": "scatter"
// CHECK: "ranges": [
// CHECK: "name": "out",
// CHECK: "last": {
// CHECK-NEXT: "grade": "unknown",
// CHECK-NEXT: "reason": "the index at line [[#]], out[where[threadIdx.x]], has no known bound"
__global__ void scatter(const int *where, float *out) {
  out[where[threadIdx.x]] = 1;
}
