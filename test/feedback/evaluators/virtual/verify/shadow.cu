// REQUIRES: nvcc
// Errors are taken against the original with every number in double precision. A candidate that is more accurate than the original
// is right, where the original itself is farther off than the tolerance; one that is off in one direction is not.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %warpwright verify %s %s --plans %S/Inputs/shadow.json --kernel sums -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=SUMS
// RUN: exits 1 %warpwright verify %s %s --plans %S/Inputs/shadow.json --kernel means -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=MEANS
// RUN: %warpwright verify %s %s --plans %S/Inputs/shadow.json --kernel everything -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=EVERYTHING
// RUN: %warpwright verify %s %s --plans %S/Inputs/shadow.json --kernel bits -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=BITS
// RUN: %warpwright verify %s %s --kernel moves -- -arch=sm_90 -I%source_dir/include | FileCheck %s --check-prefix=MOVES
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <warpwright/annotate.h>

// A running sum with a large offset: the original loses four digits, the candidate none.
KERNEL_OPTIMIZE(grid(ceil_div(n, 32)), block(32), in(x[n * 64]), out(y[n]), shape(n = 64), shape(n = 37), shape(n = 1),
                init(x, uniform(0, 1)), tolerance(rel = 1e-5))
__global__ void sums(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return;
  float sum = 100000;
  for (int k = 0; k < 64; ++k)
    sum += x[i * 64 + k];
  y[i] = sum - 100000;
}
// SUMS: sums -> in_double: accepted
// SUMS: y: errors max {{[0-9.]+}}e-0{{[6-9]}}
// SUMS: y: the original's own max 0.00{{[0-9]+}}
__global__ void sums_double(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return;
  double sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += x[i * 64 + k];
  y[i] = (float)sum;
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 32)), block(32), in(x[n * 64]), out(y[n]), shape(n = 64), shape(n = 37), shape(n = 1),
                init(x, uniform(0, 1)), tolerance(rel = 1e-3, bias = 1e-4))
__global__ void means(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += x[i * 64 + k];
  y[i] = sum / 64;
}
// MEANS: means -> off: declined [biased]: 'y' is off by 0.000{{[0-9]+}} on average
__global__ void means_off(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < 64; ++k)
    sum += x[i * 64 + k];
  y[i] = sum * (1.0005f / 64);
}

// Numbers go through all there is: functions of the library, shared memory, vectors, atomics, shuffles, halves, copies. The
// original throws digits away first, the candidate does not: it is declined if one of the results has no double.
template <bool Lossy> __device__ void go(const float *x, float *y) {
  __shared__ float2 pairs[32];
  __shared__ float total;
  int t = threadIdx.x;
  float number = Lossy ? (x[t] + 3000000.0f) - 3000000.0f : x[t];
  float sine, cosine;
  sincosf(number, &sine, &cosine);
  pairs[t] = make_float2(atan2f(sine, cosine), expf(logf(number + 1)));
  if (t == 0)
    total = 0;
  __syncwarp();
  float2 other = pairs[31 - t];
  double sum = other.x + (double)other.y;
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  atomicAdd(&total, other.x);
  unsigned old = __float_as_uint(y[1]), seen;
  do {
    seen = old;
    old = atomicCAS((unsigned *)&y[1], seen, __float_as_uint(__uint_as_float(seen) + other.y / 32));
  } while (old != seen);
  __half2 halves = __floats2half2_rn(other.x, other.y);
  float highest = __shfl_sync(~0u, __high2float(halves), 31);
  __syncwarp();
  if (t == 0) {
    y[0] = (float)(sum / 64);
    y[2] = total / 32;
    y[3] = highest;
    memcpy(&y[4], &pairs[5], sizeof(float2));
    *(int *)&y[6] = *(int *)&y[4];
    y[7] = fmaxf(__bfloat162float(__float2bfloat16(pairs[3].x)), 0.01f);
  }
}
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), inout(y[8]), init(x, uniform(1, 2)), init(y, zeros), tolerance(rel = 1e-2))
__global__ void everything(const float *x, float *y) { go<true>(x, y); }
__global__ void everything_precise(const float *x, float *y) { go<false>(x, y); }
// EVERYTHING: everything -> precise: accepted
// EVERYTHING: y: errors max {{[0-9.]+}}
// EVERYTHING: y: the original's own max 0.{{[0-9]+}}
// EVERYTHING-NOT: note: the original itself

// Newton's method from a guess that looks into the bits: nothing is in double precision.
KERNEL_OPTIMIZE(grid(ceil_div(n, 32)), block(32), in(x[n]), out(y[n]), shape(n = 64), shape(n = 37), shape(n = 1),
                init(x, uniform(1, 4)), tolerance(rel = 1e-2, bias = 1e-2))
__global__ void bits(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return;
  float guess = __int_as_float(0x5f3759df - (__float_as_int(x[i]) >> 1));
  y[i] = guess * (1.5f - 0.5f * x[i] * guess * guess);
}
// BITS: bits -> library: accepted
// BITS-NOT: the original's own
// BITS: note: the original itself is the reference, and not double precision: {{.*}}shadow.cu:[[@LINE-5]]:{{.*}}: the bits of a floating value are looked into
__global__ void bits_library(const float *x, float *y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n)
    y[i] = rsqrtf(x[i]);
}

// Bits that are only compared, moved and sorted are no secret.
KERNEL_OPTIMIZE(grid(1), block(32), in(x[32]), out(y[32]), init(x, uniform(1, 4)), tolerance(rel = 1e-5))
__global__ void moves(const float *x, float *y) {
  __shared__ unsigned keys[32];
  int t = threadIdx.x;
  unsigned key = __float_as_uint(x[t] * x[t]);
  keys[t] = key;
  __syncwarp();
  int rank = 0;
  for (int i = 0; i < 32; ++i)
    rank += keys[i] < key || (keys[i] == key && i < t);
  y[rank] = __uint_as_float(key);
}
// MOVES: moves: accepted
// MOVES: y: the original's own max
// MOVES-NOT: note: the original itself
