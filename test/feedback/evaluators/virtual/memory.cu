// REQUIRES: nvcc
// Memory of every kind: constant and device variables, addresses in them, local and shared arrays, structs by value, atomics.
//
// RUN: echo '[{"name": "variables", "grid": [1], "block": [8]}, {"name": "structs", "grid": [1], "block": [4],' > %t.json
// RUN: echo '  "args": {"p.n": 4, "p.scale": 2.5}},' >> %t.json
// RUN: echo ' {"name": "locals", "grid": [2], "block": [33], "args": {"n": 20}},' >> %t.json
// RUN: echo ' {"name": "shared", "grid": [3], "block": [64], "dynamic_shared_bytes": 256},' >> %t.json
// RUN: echo ' {"name": "atomics", "grid": [8], "block": [64]},' >> %t.json
// RUN: echo ' {"name": "recursion", "grid": [1], "block": [2]}, {"name": "pointers", "grid": [1], "block": [2]},' >> %t.json
// RUN: echo ' {"name": "last_block", "grid": [16], "block": [32]}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json -- -arch=sm_90 | FileCheck %s
//
// CHECK: "name": "variables"
// CHECK-NOT: "printed"
// CHECK: "name": "last_block"
// CHECK: "printed": "sum 512\n"
#include <cstdio>

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d: thread %d\n", __LINE__, int(threadIdx.x))

__constant__ float weights[4] = {1, 2, 4, 8};
__device__ int counter = 41;
__device__ int *where = &counter;
__device__ struct { char letter; double number; } mixed = {'x', 2.5};

__global__ void variables() {
  CHECK(weights[threadIdx.x % 4] == 1 << threadIdx.x % 4);
  CHECK(mixed.letter == 'x' && mixed.number == 2.5);
  if (threadIdx.x == 0) {
    *where += 1;
    CHECK(counter == 42);
  }
}

struct Parameters {
  int n;
  float *data;
  double scale;
};

__global__ void structs(Parameters p) {
  CHECK(p.n == 4 && p.scale == 2.5);
  CHECK(p.data[threadIdx.x] == 0);
  p.data[threadIdx.x] = 7;
  CHECK(p.data[threadIdx.x] == 7);
  p.n += threadIdx.x; // each thread's own
  CHECK(p.n == 4 + threadIdx.x);
}

__global__ void locals(int n) {
  int values[32];
  for (int i = 0; i < n; ++i) values[i * 7 % 32] = i + threadIdx.x;
  for (int i = 0; i < n; ++i) CHECK(values[i * 7 % 32] == i + threadIdx.x);
}

extern __shared__ int dynamic[];

__global__ void shared() {
  __shared__ double fixed[64];
  int t = threadIdx.x;
  fixed[t] = t;
  dynamic[t] = -t;
  __syncthreads();
  CHECK(fixed[63 - t] == 63 - t && dynamic[63 - t] == t - 63);
  CHECK(__isShared(&fixed[t]) && __isShared(&dynamic[t]) && !__isShared(&counter) && __isGlobal(&counter));
}

__device__ int total, least = 1000, bits, exchanged = -1;
__device__ unsigned wrapped;
__device__ unsigned long long wide;
__device__ float sum;
__device__ double precise;

__global__ void atomics() {
  __shared__ int local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  int t = threadIdx.x;
  atomicAdd(&local, 1);
  atomicAdd(&total, t);
  atomicMin(&least, t - 3);
  atomicOr(&bits, 1 << t % 31);
  atomicInc(&wrapped, 63);
  atomicMax(&wide, (unsigned long long)t << 33);
  atomicAdd(&sum, 0.5f);
  atomicAdd(&precise, 0.25);
  int old = atomicCAS(&exchanged, -1, t);
  CHECK(old == -1 || old >= 0);
  __syncthreads();
  CHECK(local == 64);
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursion() {
  CHECK(fibonacci(10 + threadIdx.x) == (threadIdx.x ? 89 : 55));
}

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }

__global__ void pointers() {
  int (*function)(int) = threadIdx.x ? twice : square;
  CHECK(function(5) == (threadIdx.x ? 10 : 25));
}

__device__ int arrived, results[16];

__global__ void last_block() {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    results[blockIdx.x] = blockDim.x;
    __threadfence();
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int all = 0;
    for (int i = 0; i < 16; ++i) all += ((volatile int *)results)[i];
    printf("sum %d\n", all);
  }
}
