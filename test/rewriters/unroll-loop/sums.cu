// REQUIRES: nvcc
// Sums that wait for each other become sums that do not, and what must keep its order is left alone.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright unroll-loop > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/sums.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/sums.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/sums.cubin %t/sums.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: strided (
// CHECK: changed   unroll-loop factor=4, line {{.*}}: each iteration waits for the last one's sum; 4 sums do not
// CHECK: unroll-loop factor=2
// CHECK-SAME: factor=8
// TEXT-LABEL: void strided(
// TEXT: {{^  }}// 4 iterations side by side, each with sums of its own: none waits for the one before.
// TEXT-NEXT: {{^  }}float sumParts[4] = {sum};
// TEXT-NEXT: {{^  }}float topParts[4] = {top, top, top, top};
// TEXT-NEXT: {{^  }}int first = threadIdx.x;
// TEXT-NEXT: {{^  }}for (; first < n && n - first > 3ll * blockDim.x; first += 4 * blockDim.x) {
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int k = 0; k < 4; ++k) {
// TEXT-NEXT: {{^      }}int i = first + k * blockDim.x;
// TEXT-NEXT: {{^      }}float v = x[i];
// TEXT-NEXT: {{^      }}sumParts[k] += v * v;
// TEXT-NEXT: {{^      }}topParts[k] = fmaxf(topParts[k], v);
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}for (int i = first; i < n; i += blockDim.x) {
// TEXT: {{^  }}sumParts[0] += sumParts[1];
// TEXT: {{^  }}sum = sumParts[0];
// TEXT: {{^  }}topParts[0] = fmaxf(topParts[0], topParts[3]);
// TEXT-NEXT: {{^  }}top = topParts[0];
// VERIFY: strided: accepted
KERNEL_OPTIMIZE(grid(1), block(32), in(x[n]), out(y[64]), shape(n = 1000), shape(n = 7), tolerance(rel = 1e-3),
                allow(reassociate))
__global__ void strided(const float *x, float *y, int n) {
  float sum = 0.0f, top = -1.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = x[i];
    sum += v * v;
    top = fmaxf(top, v);
  }
  y[threadIdx.x] = sum;
  y[32 + threadIdx.x] = top;
}

//   integers need no leave; the counter is a size_t, and counts by one
// CHECK-LABEL: counted (
// CHECK: changed   unroll-loop factor=4
// TEXT-LABEL: void counted(
// TEXT: for (; first < n && n - first > 3; first += 4) {
// TEXT: size_t i = first + k;
// VERIFY: counted: accepted
KERNEL_OPTIMIZE(grid(1), block(32), in(x[n]), out(y[32]), shape(n = 100), shape(n = 7))
__global__ void counted(const int *x, int *y, size_t n) {
  int odd = 0;
  for (size_t i = 0; i < n; ++i)
    odd += x[i] & 1;
  y[threadIdx.x] = odd;
}

// CHECK-LABEL: exact (
// CHECK: declined  unroll-loop: the loop at line {{.*}}: 'sum' is a floating-point sum and would be taken in another order, which needs allow(reassociate)
KERNEL_OPTIMIZE(grid(1), block(32), in(x[n]), out(y[32]), shape(n = 100), shape(n = 7))
__global__ void exact(const float *x, float *y, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i)
    sum += x[i];
  y[threadIdx.x] = sum;
}

//   each sum is stored on the way: the order of the sums is observed
// CHECK-LABEL: running (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(1), in(x[n]), out(y[n]), shape(n = 100), shape(n = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void running(const float *x, float *y, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    y[i] = sum;
  }
}
