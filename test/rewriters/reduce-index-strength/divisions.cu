// REQUIRES: nvcc
// Divisions are carried along, done once, or done in 32 bits, where results stay the same for all numbers.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright reduce-index-strength > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/divisions.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/divisions.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/divisions.cubin %t/divisions.cu
#include <warpwright/annotate.h>

//   from zero by one
// CHECK-LABEL: walked (
// CHECK: changed   reduce-index-strength
// TEXT-LABEL: void walked(
// TEXT: {{^  }}// Carried along with 'i' instead of dividing it by 'w' in every iteration.
// TEXT-NEXT: {{^  }}int quotient = 0;
// TEXT-NEXT: {{^  }}int remainder = 0;
// TEXT-NEXT: {{^  }}for (int i = 0; i < n; ++i) {
// TEXT-NEXT: {{^    }}if (x[i] > threadIdx.x)
// TEXT-NEXT: {{^      }}sum += quotient * 3 + remainder;
// TEXT-NEXT: {{^    }}if (++remainder == w) {
// TEXT-NEXT: {{^      }}remainder = 0;
// TEXT-NEXT: {{^      }}++quotient;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}}
// VERIFY: walked: accepted
KERNEL_OPTIMIZE(grid(1), block(32), in(x[n]), in(table[w]), out(y[32]), require(w > 0), shape(n = 100, w = 7), shape(n = 7, w = 9))
__global__ void walked(const unsigned *x, const int *table, int *y, int n, int w) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] > threadIdx.x)
      sum += i / w * 3 + i % w;
  }
  y[threadIdx.x] = sum + table[0];
}

//   from anywhere by anything, in unsigned 64 bits, where the loop may not run
// CHECK-LABEL: strided (
// CHECK: changed   reduce-index-strength
// TEXT-LABEL: void strided(
// TEXT: {{^  }}unsigned long remainder = first < n ? first % w : 0;
// TEXT-NEXT: {{^  }}const unsigned long remainderStep = first < n ? (blockDim.x * gridDim.x) % w : 0;
// TEXT: {{^    }}y[i] = x[remainder];
// TEXT-NEXT: {{^    }}if (remainder >= w - remainderStep) {
// TEXT-NEXT: {{^      }}remainder -= w;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}remainder += remainderStep;
// VERIFY: strided: accepted
KERNEL_OPTIMIZE(grid(2), block(32), in(x[w]), out(y[n]), require(w > 0), shape(n = 1000, w = 7), shape(n = 70, w = 100), shape(n = 5, w = 1))
__global__ void strided(const float *x, float *y, unsigned long n, unsigned long w) {
  unsigned long first = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned long i = first; i < n; i += blockDim.x * gridDim.x) {
    y[i] = x[i % w];
  }
}

//   five divisions become three
// CHECK-LABEL: unravel (
// CHECK: changed   reduce-index-strength
// TEXT-LABEL: void unravel(
// TEXT: {{^  }}int c = i / w / h % d;
// TEXT-NEXT: {{^  }}int b = i / w / h / d;
// TEXT-NEXT: {{^  }}int r = i / w % h;
// VERIFY: unravel: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), out(y[n]), in(one[w * h * d]), require(w > 0), require(h > 0), require(d > 0), shape(n = 1000, w = 7, h = 5, d = 3), shape(n = 70, w = 1, h = 2, d = 100))
__global__ void unravel(const float *one, int *y, int n, int w, int h, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int x = i % w;
  int row = (i / w) % h;
  int c = i / (w * h) % d;
  int b = i / (w * h * d);
  int r = i % (w * h) / w;
  y[i] = x + 10 * row + 100 * c + 1000 * b + r;
}

//   an index in 64 bits that was compared with an int
// CHECK-LABEL: wide (
// CHECK: changed   reduce-index-strength
// TEXT-LABEL: void wide(
// TEXT: {{^  }}y[i] = int(i) / w * 3 + int(i) % w;
// VERIFY: wide: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), out(y[n]), shape(n = 1000, w = 7), shape(n = 70, w = 3))
__global__ void wide(long long *y, int n, int w) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = i / w * 3 + i % w;
}

//   numbers below zero, a divisor that moves, an index that nothing bounds
// CHECK-LABEL: below (
// CHECK: declined  reduce-index-strength: its counter may start below zero
KERNEL_OPTIMIZE(grid(1), block(32), inout(y[32]), shape(n = 100, w = 7), shape(n = 7, w = 3))
__global__ void below(int *y, int n, int w) {
  int sum = 0;
  for (int i = -n; i < n; ++i) {
    sum ^= i % w;
  }
  y[threadIdx.x] += sum;
}

// CHECK-LABEL: signs (
// CHECK: declined  reduce-index-strength: its divisor may be negative
KERNEL_OPTIMIZE(grid(1), block(32), inout(y[32]), in(x[1]))
__global__ void signs(int *y, const int *x) {
  int w = x[0] | 1, sum = 0;
  for (int i = 0; i < 50; ++i) {
    sum ^= (i / w) << (i & 3);
  }
  y[threadIdx.x] += sum;
}

// CHECK-LABEL: unbounded (
// CHECK: kept
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), out(y[n]), shape(n = 1000, w = 7), shape(n = 70, w = 3))
__global__ void unbounded(long long *y, long long n, long long w) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = i / w;
}
