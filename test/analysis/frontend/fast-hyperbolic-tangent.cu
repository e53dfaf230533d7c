// REQUIRES: nvcc
// RUN: %parse_probe %s --print-ir | FileCheck %s
// RUN: not %parse_probe %s -- -DNO_NUMBER 2>&1 | FileCheck %s --check-prefix=WRONG
//
// __tanhf is the one instruction that nvcc makes of it.

// CHECK-LABEL: define {{.*}}@_Z1kPf
// CHECK: asm "tanh.approx.f32 $0, $1;"
__global__ void k(float *a) { a[threadIdx.x] = __tanhf(a[threadIdx.x]); }

#ifdef NO_NUMBER
// WRONG: fast-hyperbolic-tangent.cu:[[@LINE+1]]:{{.*}}error: no matching function for call to '__tanhf'
__global__ void wrong(float *a) { a[0] = __tanhf(a); }
#endif
