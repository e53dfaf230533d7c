// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// The guard of the rotated loop is the same test one step earlier: nothing is assumed.
// CHECK: "source_name": "tiles"
__global__ void tiles(float *a, int n) {
  // CHECK: "line": [[@LINE+9]],
  // CHECK: "counter": "i",
  // CHECK-NEXT: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "ceil_div(-threadIdx.y + 32, 8)"
  // CHECK-NEXT: },
  // CHECK-NEXT: "uniform_exit": {
  // CHECK-NEXT: "grade": "assumed",
  // CHECK-NEXT: "value": false,
  for (int i = threadIdx.y; i < 32; i += 8)
    a[i] = 0;
  // CHECK: "line": [[@LINE+8]],
  // CHECK: "trip_count": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": "n"
  // CHECK-NEXT: },
  // CHECK-NEXT: "uniform_exit": {
  // CHECK-NEXT: "grade": "proved",
  // CHECK-NEXT: "value": true
  for (int i = n; i > 0; --i)
    a[i] += 2;
}

// The range of what such a loop writes follows: rows 0 to 31 of a tile.
// CHECK: "source_name": "rows"
// CHECK: "ranges": [
// CHECK: "name": "_ZZ4rowsPfE4tile",
// CHECK: "first": {
// CHECK-NEXT: "grade": "proved",
// CHECK-NEXT: "value": 0
// CHECK: "last": {
// CHECK-NEXT: "grade": "proved",
// CHECK-NEXT: "value": 4095
__global__ void rows(float *a) {
  __shared__ float tile[32][32];
  for (int i = threadIdx.y; i < 32; i += 8)
    for (int j = threadIdx.x; j < 32; j += 32)
      tile[i][j] = a[i * 32 + j];
  __syncthreads();
  a[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.y % 32];
}

// No guard: the body runs once whatever the bound.
// CHECK: "source_name": "at_least_once"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "ceil_div(n - threadIdx.x, 32)",
// CHECK-NEXT: "reason": "the condition holds on entry"
__global__ void at_least_once(float *a, int n) {
  int i = threadIdx.x;
  do {
    a[i] = 0;
    i += 32;
  } while (i < n);
}

// A guard of another bound is none.
// CHECK: "source_name": "other_guard"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "ceil_div(-threadIdx.y + 32, 8)",
// CHECK-NEXT: "reason": "the condition holds on entry"
__global__ void other_guard(float *a) {
  int i = threadIdx.y;
  if (i < 64)
    do {
      a[i] = 0;
      i += 8;
    } while (i < 32);
}

// CHECK: "source_name": "without_step"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": "ceil_div(n, step)",
// CHECK-NEXT: "reason": "the step is positive"
__global__ void without_step(float *a, int n, int step) {
  for (int i = 0; i < n; i += step)
    a[i] = 0;
}

// CHECK: "source_name": "early"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "unknown",
// CHECK-NEXT: "reason": "the loop has 2 exits
__global__ void early(const int *a, int *b, int n) {
  int i = 0;
  for (; i < n; ++i)
    if (a[i] == 7)
      break;
  *b = i;
}

// CHECK: "source_name": "chase"
// CHECK: "trip_count": {
// CHECK-NEXT: "grade": "unknown",
// CHECK: "uniform_exit": {
// CHECK-NEXT: "grade": "assumed",
// CHECK-NEXT: "value": false,
// CHECK-NEXT: "reason": "lanes differ in what the exit reads: threadIdx.x, loaded data"
__global__ void chase(const int *a, int *b) {
  int i = a[threadIdx.x], steps = 0;
  while (i != 1) {
    i = a[i];
    ++steps;
  }
  b[threadIdx.x] = steps;
}
