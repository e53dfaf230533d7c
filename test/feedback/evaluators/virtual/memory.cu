// REQUIRES: nvcc
// Memory of every kind: constant and device variables, addresses in them, local and shared arrays, structs by value, atomics.
//
// RUN: echo '[{"name": "variables", "grid": [1], "block": [8]}, {"name": "structs", "grid": [1], "block": [4],' > %t.json
// RUN: echo '  "args": {"p.n": 4, "p.scale": 2.5}},' >> %t.json
// RUN: echo ' {"name": "locals", "grid": [2], "block": [33], "args": {"n": 20}},' >> %t.json
// RUN: echo ' {"name": "shared", "grid": [3], "block": [64], "dynamic_shared_bytes": 256},' >> %t.json
// RUN: echo ' {"name": "atomics", "grid": [8], "block": [64]},' >> %t.json
// RUN: echo ' {"name": "recursion", "grid": [1], "block": [2]}, {"name": "pointers", "grid": [1], "block": [2]},' >> %t.json
// RUN: echo ' {"name": "wraps", "grid": [1], "block": [32]}, {"name": "library", "grid": [1], "block": [4]},' >> %t.json
// RUN: echo ' {"name": "places", "grid": [2], "block": [1]}, {"name": "pairs", "grid": [1], "block": [1]},' >> %t.json
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

// Addresses of shared memory have 32 bits.
__global__ void wraps() {
  __shared__ int values[32];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned back = threadIdx.x;
  CHECK((values + 32)[~back] == 31 - back);
}

// Results that functions of the device library hand out through pointers are written.
__global__ void library() {
  float sine, cosine, whole;
  int exponent, quotient;
  double part[2];
  sincosf(threadIdx.x, &sine, &cosine);
  CHECK(fabsf(sine * sine + cosine * cosine - 1) < 1e-6f);
  CHECK(frexpf(8.0f * (threadIdx.x + 1), &exponent) < 1 && exponent == (threadIdx.x > 2 ? 6 : threadIdx.x ? 5 : 4));
  CHECK(modff(2.5f + threadIdx.x, &whole) == 0.5f && whole == 2 + threadIdx.x);
  CHECK(modf(threadIdx.x - 0.5, &part[threadIdx.x % 2]) != 0 && part[threadIdx.x % 2] == int(threadIdx.x - 0.5));
  CHECK(remquof(7.0f, 2.0f, &quotient) == -1 && quotient == 4);
}

__global__ void places() {
  __shared__ int value;
  int *volatile pointers[] = {&value, &counter, reinterpret_cast<int *>(const_cast<float *>(weights)), where};
  CHECK(__isShared(pointers[0]) && !__isGlobal(pointers[0]) && !__isConstant(pointers[0]));
  CHECK(__isGlobal(pointers[1]) && !__isShared(pointers[1]) && !__isLocal(pointers[1]));
  CHECK(__isConstant(pointers[2]) && !__isGlobal(pointers[2]));
  unsigned which, count;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(which));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(count));
  CHECK(which < count);
}

__device__ __align__(16) unsigned long long pair[2] = {3, 4};

// Words of 128 bits; without clusters, the shared memory of the cluster is that of the block.
__global__ void pairs() {
  unsigned long long low, high;
  asm volatile("{.reg .b128 a, b, d; mov.b128 a, {%2, %3}; mov.b128 b, {%4, %5}; atom.global.cas.b128 d, [%6], a, b;"
               "mov.b128 {%0, %1}, d;}"
               : "=l"(low), "=l"(high)
               : "l"(3ull), "l"(4ull), "l"(5ull), "l"(6ull), "l"(pair)
               : "memory");
  CHECK(low == 3 && high == 4 && pair[0] == 5 && pair[1] == 6);
  __shared__ unsigned own;
  own = 7;
  unsigned read;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(read) : "r"(unsigned(__cvta_generic_to_shared(&own))));
  CHECK(read == 7);
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
