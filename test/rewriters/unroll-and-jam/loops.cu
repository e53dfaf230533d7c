// REQUIRES: nvcc
// Iterations run side by side where the loops in them load something in common, and none touches what another writes.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright unroll-and-jam > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/loops.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/loops.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
#include <warpwright/annotate.h>

//   two loops at once: one that threads take turns in, one that fills a thread's own array
// CHECK-LABEL: scores (
// CHECK: changed   unroll-and-jam, line [[#]]: 4 iterations share what they load
// CHECK: changed   unroll-and-jam, line [[#]]: 4 iterations share what they load
// TEXT-LABEL: void scores(
// TEXT: {{^  }}// 4 iterations side by side: what they have in common is loaded once.
// TEXT-NEXT: {{^  }}for (int j0 = threadIdx.y; j0 < 32; j0 += 32) {
// TEXT-NEXT: {{^    }}float s[4];
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int copy = 0; copy < 4; ++copy) {
// TEXT-NEXT: {{^      }}s[copy] = 0.0f;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}for (int d = 0; d < 16; ++d) {
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^      }}for (int copy = 0; copy < 4; ++copy) {
// TEXT-NEXT: {{^        }}s[copy] += a[threadIdx.x][d] * a[(j0 + copy * 8)][d];
// TEXT: {{^  }}for (int e0 = 0; e0 < 4; e0 += 4) {
// TEXT: {{^        }}t[copy] += score[threadIdx.x][j] * a[j][threadIdx.y % 4 * 4 + (e0 + copy)];
// TEXT: {{^      }}sums[(e0 + copy)] = t[copy];
// VERIFY: scores: accepted
KERNEL_OPTIMIZE(grid(n), block(32, 8), in(x[n * 512]), out(y[n * 1024]), shape(n = 3), shape(n = 1))
__global__ void scores(const float *x, float *y, int n) {
  __shared__ float a[32][16], score[32][33];
  for (int d = threadIdx.y; d < 16; d += 8)
    a[threadIdx.x][d] = x[blockIdx.x * 512 + threadIdx.x * 16 + d];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    float s = 0.0f;
    for (int d = 0; d < 16; ++d)
      s += a[threadIdx.x][d] * a[j][d];
    score[threadIdx.x][j] = s * 0.25f;
  }
  __syncthreads();
  float sums[4] = {0, 0, 0, 0};
  for (int e = 0; e < 4; ++e) {
    float t = sums[e];
    for (int j = 0; j < 32; ++j)
      t += score[threadIdx.x][j] * a[j][threadIdx.y % 4 * 4 + e];
    sums[e] = t;
  }
  for (int e = 0; e < 4; ++e)
    y[blockIdx.x * 1024 + (threadIdx.x * 8 + threadIdx.y) * 4 + e] = sums[e];
}

//   a loop in it that runs another number of times in each iteration is run one after the other
// CHECK-LABEL: ragged (
// CHECK-NOT: unroll-and-jam
// CHECK-LABEL: carried (
//   what one iteration writes is read by the next
// CHECK: declined  unroll-and-jam: the loop at line {{.*}}: one iteration may write what another reads
// CHECK-LABEL: gathered (
// CHECK: declined  unroll-and-jam: the loop at line {{.*}}: 'sum' is gathered over its iterations
// CHECK-LABEL: unknown (
// CHECK: declined  unroll-and-jam: the loop at line {{.*}}: how often it runs is not known, or differs between threads
// CHECK-LABEL: odd (
// CHECK: declined  unroll-and-jam: the loop at line {{.*}}: neither 8, 4 nor 2 divides its iterations
// CHECK-LABEL: waits (
// CHECK: declined  unroll-and-jam: the loop at line {{.*}}: it calls what may do anything, or waits
KERNEL_OPTIMIZE(grid(1), block(32), in(x[1024]), out(y[1024]), shape(n = 3))
__global__ void ragged(const float *x, float *y, int n) {
  for (int i = 0; i < 8; ++i) {
    float s = 0;
    for (int j = 0; j < i; ++j)
      s += x[j];
    y[threadIdx.x * 8 + i] = s + n;
  }
}
KERNEL_OPTIMIZE(grid(1), block(32), inout(y[1056]), shape(n = 3))
__global__ void carried(float *y, int n) {
  for (int i = 0; i < 8; ++i) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += y[j];
    y[threadIdx.x * 8 + i + 32] = s;
  }
}
KERNEL_OPTIMIZE(grid(1), block(32), in(x[1024]), out(y[32]), shape(n = 3))
__global__ void gathered(const float *x, float *y, int n) {
  float sum = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < n; ++j)
      sum += x[i] * x[j];
  y[threadIdx.x] = sum;
}
KERNEL_OPTIMIZE(grid(1), block(32), in(x[1024]), out(y[32 * n]), shape(n = 3))
__global__ void unknown(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += x[j] * x[i];
    y[threadIdx.x * n + i] = s;
  }
}
KERNEL_OPTIMIZE(grid(1), block(32), in(x[1024]), out(y[32 * 7]), shape(n = 3))
__global__ void odd(const float *x, float *y, int n) {
  for (int i = 0; i < 7; ++i) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += x[j] * x[i];
    y[threadIdx.x * 7 + i] = s;
  }
}
KERNEL_OPTIMIZE(grid(1), block(32), in(x[1024]), out(y[256]), shape(n = 3))
__global__ void waits(const float *x, float *y, int n) {
  for (int i = 0; i < 8; ++i) {
    float s = 0;
    for (int j = 0; j < n; ++j)
      s += x[j] * x[i];
    __syncthreads();
    y[threadIdx.x * 8 + i] = s;
  }
}
