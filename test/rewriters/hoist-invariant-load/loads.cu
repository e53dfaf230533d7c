// REQUIRES: nvcc
// What is loaded again and again though nothing writes it is loaded once; what may change, or may not be there, is not.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright hoist-invariant-load > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/loads.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/loads.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/loads.cubin %t/loads.cu
#include <warpwright/annotate.h>

// CHECK-LABEL: rows (
// CHECK: changed   hoist-invariant-load
// TEXT-LABEL: void rows(
// TEXT: {{^    }}// Nothing writes 'start': loaded once, not in every iteration.
// TEXT-NEXT: {{^    }}const int startValue = start[row + 1];
// TEXT-NEXT: {{^    }}for (int k = start[row]; k < startValue; ++k)
// TEXT-NEXT: {{^      }}out[k] = values[k] * 2.0f;
// VERIFY: rows: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(start[n + 1]), init(start, zeros), in(values[n]), out(out[n]), shape(n = 1000),
                shape(n = 7))
__global__ void rows(const int *start, const float *values, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    out[row] = 0.0f;
    for (int k = start[row]; k < start[row + 1]; ++k)
      out[k] = values[k] * 2.0f;
  }
}

//   the loop may not run at all: the load gets its condition
// CHECK-LABEL: scaled (
// CHECK: changed   hoist-invariant-load
// TEXT-LABEL: void scaled(
// TEXT: {{^  }}const float scaleValue = threadIdx.x < n ? scale[0] : 0;
// TEXT-NEXT: {{^  }}for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
// TEXT-NEXT: {{^    }}x[i] *= scaleValue;
// VERIFY: scaled: accepted
KERNEL_OPTIMIZE(grid(1), block(64), in(scale[1]), inout(x[n]), shape(n = 1000), shape(n = 7))
__global__ void scaled(const float *scale, float *x, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
    x[i] *= scale[0];
}

//   a sum in memory: with a start, without one, and in a template
// CHECK-LABEL: product (
// CHECK: changed   hoist-invariant-load
// TEXT-LABEL: void product(
// TEXT: {{^  }}// Kept in a register: while the loop runs, nothing else touches this element of 'c'.
// TEXT-NEXT: {{^  }}float cValue = 0;
// TEXT-NEXT: {{^  }}for (int k = n - 1; k >= 0; --k)
// TEXT-NEXT: {{^    }}cValue += a[row * n + k] * b[k];
// TEXT-NEXT: {{^  }}c[row] = cValue;
// VERIFY: product: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(a[n * n]), in(b[n]), out(c[n]), shape(n = 100), shape(n = 7))
__global__ void product(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  c[row] = 0;
  for (int k = n - 1; k >= 0; --k)
    c[row] += a[row * n + k] * b[k];
}

// TEXT-LABEL: void added(
// TEXT: {{^  }}T cValue = 0 < p.n ? c[row] : 0;
// TEXT: {{^  }}if (0 < p.n) {
// TEXT-NEXT: {{^    }}c[row] = cValue;
// TEXT-NEXT: {{^  }}}
// VERIFY: added<{{.*}}: accepted
struct Size {
  int n;
};
template <typename T>
KERNEL_OPTIMIZE(grid(ceil_div(p.n, 64)), block(64), in(a[p.n * p.n]), inout(c[p.n]), shape(p.n = 100), shape(p.n = 7))
__global__ void added(const T *a, T *c, Size p) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= p.n)
    return;
  for (int k = 0; k < p.n; ++k)
    c[row] = c[row] + a[row * p.n + k];
}
template __global__ void added<double>(const double *, double *, Size);

//   buffers that may overlap, an element that another iteration may write, a load that may not be there
// CHECK-LABEL: overlaps (
// CHECK: declined  hoist-invariant-load: 'scale': the annotation says that it may alias 'x'
KERNEL_OPTIMIZE(grid(1), block(64), in(scale[n]), inout(x[n]), may_alias(scale, x), shape(n = 1000), shape(n = 7))
__global__ void overlaps(const float *scale, float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] *= scale[0];
}

// CHECK-LABEL: meets (
// CHECK: declined  hoist-invariant-load: 'x' could be kept in a variable while the loop runs, but 'x' is accessed elsewhere in the loop
KERNEL_OPTIMIZE(grid(1), block(1), inout(x[n]), shape(n = 1000), shape(n = 7))
__global__ void meets(float *x, int n) {
  for (int i = 0; i < n; ++i)
    x[0] += x[i];
}

// CHECK-LABEL: chosen (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), in(scale[n]), in(on[n]), inout(x[n]), shape(n = 1000), shape(n = 7))
__global__ void chosen(const float *scale, const int *on, float *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (on[i] > 300)
      x[i] *= scale[n];
}
