// REQUIRES: nvcc
// A value loaded twice with a store through another pointer between, and the reasons for which that is right.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: store-between.cu:[[#@LINE+8]]:{{.*}}: warning: this element of 'in' was loaded before and is loaded again, because the store through 'first' between might have changed it [warpwright-redundant-global-load]
// CHECK: store-between.cu:[[#@LINE+6]]:{{.*}}: note: loaded first here
// CHECK: store-between.cu:[[#@LINE+5]]:{{.*}}: note: the store that stands between
// CHECK: note: keep the value in a variable, or declare 'in' and 'first' __restrict__ if they never overlap
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(first[n]), out(second[n]), shape(n = 65536))
__global__ void twice(const float *in, float *first, float *second, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  first[i] = in[i] * 2;
  second[i] = in[i] + 1;
}

// Nothing overlaps: the compiler merges the loads.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(first[n]), out(second[n]), shape(n = 65536))
__global__ void restricted(const float *__restrict__ in, float *__restrict__ first, float *__restrict__ second, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  first[i] = in[i] * 2;
  second[i] = in[i] + 1;
}

// The author says that they may overlap.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(first[n]), may_alias(in, first), shape(n = 65536))
__global__ void in_place(const float *in, float *first, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  first[i] = in[i] * 2;
  first[i + n] = in[i] + 1;
}

// The store is to the very buffer: it may well change the element.
KERNEL_OPTIMIZE(grid(n / 256), block(256), inout(data[n]), shape(n = 65536))
__global__ void same_buffer(float *data, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = data[i];
  data[i ^ 1] = v;
  data[i] = data[i] + v;
}

// Another thread may write between: that is what the barrier is for.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(out[n]), shape(n = 65536))
__global__ void over_a_barrier(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i];
  __syncthreads();
  out[i ^ 1] = in[i] + 1;
}

// CHECK-NOT: warpwright-redundant-global-load
