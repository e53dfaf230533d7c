// REQUIRES: nvcc
// What nothing writes is loaded through the read-only cache; what may be written, and what the compiler knows, is not.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright read-only-path > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/loads.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/loads.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/loads.cubin %t/loads.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: gather (
// CHECK: changed   read-only-path
// TEXT-LABEL: void gather(
// TEXT: {{^  }}// Nothing writes 'at' while the kernel runs: it is loaded through the read-only cache.
// TEXT-NEXT: {{^  }}// Nothing writes 'x' while the kernel runs: it is loaded through the read-only cache.
// TEXT: {{^    }}y[i] += __ldg(&x[__ldg(&at[i])].y) + __ldg(row);
// VERIFY: gather: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n]), in(at[n]), init(at, permutation), in(s[n]), inout(y[n]), shape(n = 1000), shape(n = 7))
__global__ void gather(const float4 *x, int *at, const float *s, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *row = s + i;
    y[i] += x[at[i]].y + *row;
  }
}

// CHECK-LABEL: aliased (
// CHECK: declined  read-only-path: 'x': the annotation says that it may alias 'y'
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), inout(y[64]), may_alias(x, y))
__global__ void aliased(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x] * 2.0f;
}

//   the compiler knows; a type that no __ldg loads
// CHECK-LABEL: known (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), in(on[64]), out(y[64]))
__global__ void known(const float *__restrict__ x, const bool *on, float *y) {
  y[threadIdx.x] = on[threadIdx.x] ? x[threadIdx.x] * 2.0f : 1.0f;
}
