// REQUIRES: nvcc
// Functions of floats by their fast forms, where fast math is allowed; doubles and the author's own stay.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright use-fast-intrinsic > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/functions.cu > %t/code.txt
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/functions.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/functions.cubin %t/functions.cu
#include <warpwright/annotate.h>

__device__ float sinf(float x, float y) { return x * y; }

// CHECK-LABEL: fast (
// CHECK: changed   use-fast-intrinsic, line {{.*}}: 'expf' has a fast form, and fast math is allowed
// CHECK: changed   use-fast-intrinsic, line {{.*}}: 'exp' has a fast form, and fast math is allowed
// TEXT-LABEL: void fast(
// TEXT: y[i] = __expf(x[i]) + __expf(-x[i]) + __logf(x[i] + 3.0f) + sinf(x[i], 2.0f) + float(exp(double(x[i])));
// VERIFY: fast: accepted
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[64]), shape(n = 1), tolerance(rel = 1e-3), allow(fast_math))
__global__ void fast(const float *x, float *y, int n) {
  int i = threadIdx.x;
  y[i] = expf(x[i]) + exp(-x[i]) + logf(x[i] + 3.0f) + sinf(x[i], 2.0f) + float(exp(double(x[i])));
}

// CHECK-LABEL: careful (
// CHECK: declined  use-fast-intrinsic: functions that have a fast form are called 1 times; using it needs allow(fast_math)
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[64]), shape(n = 1), tolerance(rel = 1e-3))
__global__ void careful(const float *x, float *y, int n) { y[threadIdx.x] = expf(x[threadIdx.x]) * n; }
