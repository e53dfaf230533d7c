// REQUIRES: nvcc
// Loops that one thread runs while the others wait are shared out, and only those whose iterations may be.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright parallelise-single-thread > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/sections.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/sections.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/sections.cubin %t/sections.cu
#include <warpwright/annotate.h>

//   a sum over global memory by thread 0
// CHECK-LABEL: mean (
// CHECK: changed   parallelise-single-thread
// TEXT-LABEL: void mean(
// TEXT: {{^  }}// All threads of the block share the loop that one of them would run alone, and fold what they
// TEXT-NEXT: {{^  }}// gathered.
// TEXT-NEXT: {{^  }}{
// TEXT-NEXT: {{^    }}__shared__ float totalSlots[4];
// TEXT-NEXT: {{^    }}float total = 0.0f;
// TEXT-NEXT: {{^    }}for (int i = threadIdx.x; i < n; i += blockDim.x)
// TEXT-NEXT: {{^      }}total += x[i];
// TEXT: __shfl_down_sync
// TEXT: {{^    }}__syncthreads();
// TEXT: {{^    }}if (threadIdx.x == 0) {
// TEXT-NEXT: {{^      }}average = total / n;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}__syncthreads();
// VERIFY: mean: accepted
KERNEL_OPTIMIZE(grid(1), block(128), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void mean(const float *x, float *y, int n) {
  __shared__ float average;
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int i = 0; i < n; ++i)
      total += x[i];
    average = total / n;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = x[i] - average;
}

//   a copy, counted down, in a block of two axes, by its last thread; barriers where the thread worked alone
// CHECK-LABEL: table (
// CHECK: changed   parallelise-single-thread
// TEXT-LABEL: void table(
// TEXT: {{^    }}const int thread = threadIdx.y * blockDim.x + threadIdx.x;
// TEXT-NEXT: {{^    }}for (int k = 255 - thread; k >= 0; k -= 64)
// TEXT-NEXT: {{^      }}lut[k] = weights[255 - k] * 2;
// VERIFY: table: accepted
KERNEL_OPTIMIZE(grid(1), block(16, 4), in(weights[256]), out(y[64]), shape(scale = 3), shape(scale = 0))
__global__ void table(const int *weights, int *y, int scale) {
  __shared__ int lut[256];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  if (t == 63) {
    for (int k = 255; k >= 0; k--)
      lut[k] = weights[255 - k] * 2;
  }
  __syncthreads();
  y[t] = lut[t * 4] * scale;
}

// CHECK-LABEL: exact (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: 'total' is a floating-point sum
KERNEL_OPTIMIZE(grid(1), block(128), in(x[n]), out(y[1]), shape(n = 1000), shape(n = 7))
__global__ void exact(const float *x, float *y, int n) {
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int i = 0; i < n; ++i)
      total += x[i];
    y[0] = total;
  }
}

//   each iteration needs the one before
// CHECK-LABEL: prefix (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: one iteration may write what another reads or writes of 'sums'
KERNEL_OPTIMIZE(grid(1), block(128), in(x[128]), out(y[128]))
__global__ void prefix(const int *x, int *y) {
  __shared__ int sums[128];
  sums[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 1; i < 128; ++i)
      sums[i] += sums[i - 1];
  __syncthreads();
  y[threadIdx.x] = sums[threadIdx.x];
}

//   threads have left; not all may come here
// CHECK-LABEL: guarded (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: threads may have returned before
KERNEL_OPTIMIZE(grid(1), block(128), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7))
__global__ void guarded(const int *x, int *y, int n) {
  if (threadIdx.x >= n)
    return;
  if (threadIdx.x == 0)
    for (int i = 0; i < n; ++i)
      y[i] = x[i];
}

// CHECK-LABEL: some (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: not all threads may reach it
KERNEL_OPTIMIZE(grid(1), block(128), in(x[n]), inout(y[n]), shape(n = 1000), shape(n = 7))
__global__ void some(const int *x, int *y, int n) {
  if (x[0] > 128 || threadIdx.x > 3) {
    if (threadIdx.x == 5)
      for (int i = 0; i < n; ++i)
        y[i] = x[i];
  }
}

//   the counter has no room for the block's stride
// CHECK-LABEL: bytes (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: 'i' would wrap before it passes its bound
KERNEL_OPTIMIZE(grid(1), block(128), in(x[250]), out(y[250]))
__global__ void bytes(const int *x, int *y) {
  if (threadIdx.x == 0)
    for (unsigned char i = 0; i < 250; ++i)
      y[i] = x[i];
}

//   moved, it would tear a directive apart
// CHECK-LABEL: conditional (
// CHECK: declined  parallelise-single-thread: the loop that one thread runs: part of it comes out of a macro or a header
KERNEL_OPTIMIZE(grid(1), block(128), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7))
__global__ void conditional(const int *x, int *y, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; ++i)
#if 1
      y[i] = x[i];
#else
      y[i] = 2 * x[i];
#endif
}
