// REQUIRES: nvcc
// Short sides are computed by all lanes; what might do harm, or takes long, stays behind its branch.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright flatten-branch > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/branches.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/branches.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/branches.cubin %t/branches.cu
#include <warpwright/annotate.h>

//   a store on both sides
// CHECK-LABEL: sides (
// CHECK: changed   flatten-branch
// TEXT-LABEL: void sides(
// TEXT: {{^  }}// Both sides are short: computed by all lanes, so that none waits for the other side.
// TEXT-NEXT: {{^  }}const float yIf = (v * 2.0f + 1.0f) * (v - 4.0f) * v;
// TEXT-NEXT: {{^  }}const float yElse = (v * v - 3.0f) * (v + 2.0f) + 0.5f;
// TEXT-NEXT: {{^  }}y[i] = v > 0.5f ? yIf : yElse;
// VERIFY: sides: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n]), out(y[n]), shape(n = 1000), shape(n = 7))
__global__ void sides(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  if (v > 0.5f)
    y[i] = (v * 2.0f + 1.0f) * (v - 4.0f) * v;
  else
    y[i] = (v * v - 3.0f) * (v + 2.0f) + 0.5f;
}

//   two variables, one of them counted; in a loop, and in a template
// CHECK-LABEL: pairs<int> (
// CHECK: changed   flatten-branch
// TEXT-LABEL: void pairs(
// TEXT: {{^    }}const bool taken = (k ^ threadIdx.x) % 3 == 0;
// TEXT-NEXT: {{^    }}const decltype(a) aIf = a * 5 + k;
// TEXT-NEXT: {{^    }}const decltype(a) aElse = a ^ 77;
// TEXT-NEXT: {{^    }}const decltype(b) bIf = b + (k | 1);
// TEXT-NEXT: {{^    }}const decltype(b) bElse = b * 3 - 1;
// TEXT-NEXT: {{^    }}a = taken ? aIf : aElse;
// TEXT-NEXT: {{^    }}b = taken ? bIf : bElse;
// VERIFY: pairs<int>: accepted
template <typename T>
KERNEL_OPTIMIZE(grid(1), block(64), out(y[64]), shape(n = 100), shape(n = 7))
__global__ void pairs(T *y, int n) {
  T a = 1, b = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if ((k ^ threadIdx.x) % 3 == 0) {
      a = a * 5 + k;
      b += (k | 1);
    } else {
      a = a ^ 77;
      b = b * 3 - 1;
    }
  }
  y[threadIdx.x] = a ^ b;
}
template __global__ void pairs<int>(int *, int);

//   a load that may not be there, a division, a side that is long, a store that may not happen
// CHECK-LABEL: loads (
// CHECK: declined  flatten-branch: a side loads what may not be there
KERNEL_OPTIMIZE(grid(1), block(64), in(x[n]), out(y[64]), shape(n = 64), shape(n = 7))
__global__ void loads(const float *x, float *y, int n) {
  float v = 0.0f;
  if (threadIdx.x * 3 % 64 < n)
    v = x[threadIdx.x * 3 % 64] * 2.0f + 1.0f;
  y[threadIdx.x] = v;
}

// CHECK-LABEL: divides (
// CHECK: declined  flatten-branch: a side divides by an integer that may be zero
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[64]))
__global__ void divides(const int *x, int *y) {
  int v = x[threadIdx.x], q = 1;
  if (v != 0)
    q = 1000 / v;
  y[threadIdx.x] = q;
}

// CHECK-LABEL: longer (
// CHECK: declined  flatten-branch: its sides are too long
KERNEL_OPTIMIZE(grid(1), block(64), in(x[64]), out(y[64]))
__global__ void longer(const float *x, float *y) {
  float v = x[threadIdx.x], q = 1.0f;
  if (v > 0.0f)
    q = sqrtf(v) + expf(v) * logf(v);
  y[threadIdx.x] = q;
}
