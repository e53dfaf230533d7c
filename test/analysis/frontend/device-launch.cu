// REQUIRES: nvcc
// RUN: %parse_probe %s | FileCheck %s
// RUN: not %parse_probe %s -- -DNO_KERNEL 2>&1 | FileCheck %s --check-prefix=WRONG
//
// A kernel that launches kernels is relocatable device code, whether or not the command line says so.

// CHECK: kernel child
__global__ void child(int *a) { *a = 1; }
// CHECK: kernel parent
__global__ void parent(int *a) { child<<<1, 1>>>(a); }

#ifdef NO_KERNEL
__device__ void helper(int *a);
// WRONG: device-launch.cu:10:{{.*}}error: kernel launch from __device__ or __global__ function
__global__ void other(int *a) { helper<<<1, 1>>>(a); }
#endif
