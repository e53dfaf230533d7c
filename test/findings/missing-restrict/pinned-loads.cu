// REQUIRES: nvcc
// Loads that a possible overlap keeps in a loop or behind a store, and kernels where __restrict__ would change nothing.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: pinned-loads.cu:[[#@LINE+5]]:{{.*}}: warning: 'scale' and 'out' may overlap as far as the compiler knows: 1 access is repeated [warpwright-missing-restrict]
// CHECK: pinned-loads.cu:[[#@LINE+8]]:{{.*}}: note: every iteration loads this element of 'scale' again, because of the store through 'out'
// CHECK: note: declare 'scale' and 'out' __restrict__
KERNEL_OPTIMIZE(grid(4), block(256), in(scale[1024]), out(out[1024 * n]), shape(n = 64))
__global__ void
invariant(const float *scale, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[k * 1024 + i] =
        scale[i] * k;
}

// CHECK: pinned-loads.cu:[[#@LINE+3]]:{{.*}}: warning: 'in' and 'out' may overlap as far as the compiler knows: 1 load waits for a store
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024 * n]), shape(n = 64))
__global__ void
serial(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[k * 1024 + i] = in[k * 1024 + i] * 2;
}

// CHECK: pinned-loads.cu:[[#@LINE+3]]:{{.*}}: warning: 'in' and 'sums' may overlap as far as the compiler knows: 1 load waits for a store [warpwright-missing-restrict]
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), inout(sums[1024]), shape(n = 64))
__global__ void
through_memory(const float *in, float *sums, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    sums[i] += in[k * 1024 + i];
}

KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024 * n]), shape(n = 64))
__global__ void restricted(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[k * 1024 + i] = in[k * 1024 + i] * 2;
}

// The loop only loads: nothing is in its way.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024]), shape(n = 64))
__global__ void sum(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float total = 0;
  for (int k = 0; k < n; ++k)
    total += in[k * 1024 + i];
  out[i] = total;
}

// One load, one store, no loop.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[1024]), shape(n = 64))
__global__ void copy(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
}

// Declared to overlap.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024 * n]), may_alias(in, out), shape(n = 64))
__global__ void in_place(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[k * 1024 + i] = in[k * 1024 + i] * 2;
}

// CHECK-NOT: warpwright-missing-restrict
