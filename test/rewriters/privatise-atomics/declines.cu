// REQUIRES: nvcc
// Atomics that must stay where they are.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright privatise-atomics > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not ls %t/declines.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: old_value (
// CHECK: declined  privatise-atomics: 'bins': the old value of the counter is used at line
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[256]), out(where[64]), init(data, integers(0, 255)))
__global__ void old_value(const int *data, int *bins, int *where) {
  where[threadIdx.x] = atomicAdd(&bins[data[threadIdx.x]], 1);
}

// CHECK-LABEL: unbounded (
// CHECK: declined  privatise-atomics: 'bins': its extent 'm' is no constant, and its index is not bounded by itself
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[m]), init(data, integers(0, m - 1)), shape(m = 256))
__global__ void unbounded(const int *data, int *bins, int m) { atomicAdd(&bins[data[threadIdx.x]], m); }

// CHECK-LABEL: too_many (
// CHECK: declined  privatise-atomics: 'bins': the counters do not fit into shared memory
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[65536]), init(data, integers(0, 65535)))
__global__ void too_many(const int *data, int *bins) { atomicAdd(&bins[data[threadIdx.x]], 1); }

// CHECK-LABEL: may_be_one_buffer (
// CHECK: declined  privatise-atomics: 'bins': {{.*}}may alias
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[256]), may_alias(data, bins), init(data, integers(0, 255)))
__global__ void may_be_one_buffer(const int *data, int *bins) { atomicAdd(&bins[data[threadIdx.x]], 1); }

// CHECK-LABEL: read_as_well (
// CHECK: declined  privatise-atomics: 'bins': it is accessed otherwise at line
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[256]), out(y[64]), init(data, integers(0, 255)))
__global__ void read_as_well(const int *data, int *bins, int *y) {
  atomicAdd(&bins[data[threadIdx.x]], 1);
  y[threadIdx.x] = bins[0];
}

// CHECK-LABEL: rounds (
// CHECK: declined  privatise-atomics: 'sum': a floating-point sum would be taken in another order, which needs allow(reassociate)
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), inout(sum[1]))
__global__ void rounds(const float *x, float *sum) { atomicAdd(sum, x[threadIdx.x]); }

//   threads leave from within a loop: no end that all reach
// CHECK-LABEL: leaves_a_loop (
// CHECK: declined  privatise-atomics: 'bins': threads return from within other statements
KERNEL_OPTIMIZE(grid(1), block(64), in(data[64]), inout(bins[256]), init(data, integers(0, 255)), shape(n = 3))
__global__ void leaves_a_loop(const int *data, int *bins, int n) {
  for (int i = 0; i < n; ++i) {
    if (data[i] == 7)
      return;
    atomicAdd(&bins[data[i]], 1);
  }
}

//   once a block is as good as it gets
// CHECK-LABEL: once (
// CHECK-NOT: privatise-atomics: 'sum'
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), inout(sum[1]))
__global__ void once(const int *x, int *sum) {
  if (threadIdx.x == 0)
    atomicAdd(sum, x[blockIdx.x]);
}
