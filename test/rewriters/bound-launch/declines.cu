// REQUIRES: nvcc
// Every way in which a larger block could be launched, or in which bounds are not ours to set.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: not ls %t/declines.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: block_of_a_scalar
// CHECK: declined  bound-launch: the block 'threads' is no constant
KERNEL_OPTIMIZE(grid(1), block(threads), out(out[threads]), shape(threads = 64))
__global__ void block_of_a_scalar(float *out, int threads) { out[threadIdx.x] = threads; }

// CHECK-LABEL: bounded_already
// CHECK: declined  bound-launch: it has launch bounds already
KERNEL_OPTIMIZE(grid(1), block(64), out(out[64]), shape(n = 64))
__global__ void __launch_bounds__(128) bounded_already(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: external_without_block
// CHECK: declined  bound-launch: the annotation gives no block, and other files may launch the kernel
KERNEL_OPTIMIZE(grid(1), out(out[64]), shape(n = 64))
__global__ void external_without_block(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: never_launched
// CHECK: declined  bound-launch: the annotation gives no block, and nothing launches the kernel
KERNEL_OPTIMIZE(grid(1), out(out[64]), shape(n = 64))
static __global__ void never_launched(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: launched_with_a_variable_block
// CHECK: declined  bound-launch: the block of the launch at line [[#]] is no constant
KERNEL_OPTIMIZE(grid(1), out(out[64]), shape(n = 64))
static __global__ void launched_with_a_variable_block(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: launched_with_more
// CHECK: declined  bound-launch: the launch at line [[#]] has 512 threads a block, the annotation's block 64
KERNEL_OPTIMIZE(grid(1), block(64), out(out[64]), shape(n = 64))
__global__ void launched_with_more(float *out, int n) { out[threadIdx.x] = n; }

// CHECK-LABEL: address_taken
// CHECK: declined  bound-launch: it is used at line [[#]] other than by '<<<>>>'
KERNEL_OPTIMIZE(grid(1), block(64), out(out[64]), shape(n = 64))
__global__ void address_taken(float *out, int n) { out[threadIdx.x] = n; }

// Code for the host alone is not compiled here, but its text is seen.
// CHECK-LABEL: launched_by_the_host_alone
// CHECK: declined  bound-launch: it is used at line [[#]] other than by '<<<>>>'
KERNEL_OPTIMIZE(grid(1), out(out[64]), shape(n = 64))
static __global__ void launched_by_the_host_alone(float *out, int n) { out[threadIdx.x] = n; }

#define NAMED(name) __global__ void name(float *out, int n)
// CHECK-LABEL: named_by_a_macro
// CHECK: declined  bound-launch
KERNEL_OPTIMIZE(grid(1), block(64), out(out[64]), shape(n = 64))
NAMED(named_by_a_macro) { out[threadIdx.x] = n; }

void launch(float *out, int n) {
  launched_with_a_variable_block<<<1, n>>>(out, n);
  launched_with_more<<<1, 512>>>(out, n);
  void *arguments[] = {&out, &n};
  cudaLaunchCooperativeKernel((const void *)address_taken, dim3(1), dim3(64), arguments, 0, nullptr);
}
#ifndef __CUDA_ARCH__
void onHost(float *out, int n) {
  launched_by_the_host_alone<<<1, 1024>>>(out, n);
}
#endif
