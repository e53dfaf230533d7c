// REQUIRES: nvcc
// Layers of threads take turns in a loop that gathers; each form of guard, and what keeps it from being shared.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright split-reduction > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/loops.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/loops.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
#include <warpwright/annotate.h>

//   the loop within the guard
// CHECK-LABEL: product (
// CHECK: changed   split-reduction parts={{[0-9]+}} x={{[0-9]+}} y={{[0-9]+}}
// TEXT-LABEL: void product_warpwright(
// TEXT: {{^  }}__shared__ float sumParts[{{[0-9]+}}][{{[0-9]+}}][{{[0-9]+}}];
// TEXT-NEXT: {{^  }}float sum = 0.0f;
// TEXT-NEXT: {{^  }}if (row < m && col < n) {
// TEXT-NEXT: {{^    }}// {{[0-9]+}} layers of threads take turns in the loop.
// TEXT-NEXT: {{^    }}for (int i = threadIdx.z; i < k; i += {{[0-9]+}}) {
// TEXT-NEXT: {{^      }}sum += a[row * k + i] * b[i * n + col];
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}sumParts[threadIdx.z][threadIdx.y][threadIdx.x] = sum;
// TEXT-NEXT: {{^  }}__syncthreads();
// TEXT-NEXT: {{^  }}if (threadIdx.z != 0)
// TEXT-NEXT: {{^    }}return;
// TEXT-NEXT: {{^  }}if (row < m && col < n) {
// TEXT-NEXT: {{^    }}for (int part = 1; part < {{[0-9]+}}; ++part) {
// TEXT-NEXT: {{^      }}sum += sumParts[part][threadIdx.y][threadIdx.x];
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}c[row * n + col] = sum;
// VERIFY: product -> product_warpwright: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 33, n = 21, k = 77), shape(m = 1, n = 5, k = 3), allow(launch_change, reassociate))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}
void launchProduct(const float *a, const float *b, float *c, int m, int n, int k) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}

//   a guard that returns, declarations behind it, two variables, one of which does not start with what changes nothing
// CHECK-LABEL: extremes (
// CHECK: changed   split-reduction
// TEXT-LABEL: void extremes_warpwright(
// TEXT: {{^  }}float most = -1e30f;
// TEXT: {{^  }}int count = threadIdx.z == 0 ? 3 : 0;
// TEXT-NEXT: {{^  }}if (!(i >= n)) {
// TEXT-NEXT: {{^    }}const float *row = x + i * m;
// TEXT-NEXT: {{^    }}// {{[0-9]+}} layers of threads take turns in the loop.
// TEXT-NEXT: {{^    }}for (int j = 2 + threadIdx.z * (2); j < m; j += {{[0-9]+}} * (2)) {
// TEXT: {{^  }}if (i >= n)
// TEXT-NEXT: {{^    }}return;
// TEXT-NEXT: {{^  }}const float *row = x + i * m;
// TEXT-NEXT: {{^  }}for (int part = 1; part < {{[0-9]+}}; ++part) {
// TEXT-NEXT: {{^    }}most = fmaxf(most, mostParts[part][threadIdx.x]);
// TEXT-NEXT: {{^    }}count += countParts[part][threadIdx.x];
// VERIFY: extremes -> extremes_warpwright: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n * m]), out(y[n]), shape(n = 70, m = 100), shape(n = 3, m = 1), allow(launch_change))
__global__ void extremes(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float *row = x + i * m;
  float most = -1e30f;
  int count = 3;
  for (int j = 2; j < m; j += 2) {
    float value = row[j];
    most = fmaxf(most, value);
    count += value > 0.25f;
  }
  y[i] = most + count + row[0];
}
void launchExtremes(const float *x, float *y, int n, int m) { extremes<<<(n + 63) / 64, 64>>>(x, y, n, m); }

// CHECK-LABEL: unasked (
// CHECK: declined  split-reduction: the loop at line {{.*}}: 'sum' is a floating-point sum and would be taken in another order
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n * m]), out(y[n]), shape(n = 70, m = 100), allow(launch_change))
__global__ void unasked(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int j = 0; j < m; ++j)
    sum += x[i * m + j];
  y[i] = sum;
}
void launchUnasked(const float *x, float *y, int n, int m) { unasked<<<(n + 63) / 64, 64>>>(x, y, n, m); }

//   a recurrence
// CHECK-LABEL: horner (
// CHECK: declined  split-reduction: the loop at line {{.*}}: 'value' goes from one iteration to the next
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[m]), out(y[n]), shape(n = 70, m = 100), allow(launch_change, reassociate))
__global__ void horner(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float value = 0;
  for (int j = 0; j < m; ++j)
    value = value * 0.5f + x[j];
  y[i] = value;
}
void launchHorner(const float *x, float *y, int n, int m) { horner<<<(n + 63) / 64, 64>>>(x, y, n, m); }

//   what stands before it would be done by every layer
// CHECK-LABEL: stores (
// CHECK: declined  split-reduction: the loop at line {{.*}}: what stands before it, at line {{.*}}, is neither a declaration nor a guard
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n * m]), out(y[n]), shape(n = 70, m = 100), allow(launch_change, reassociate))
__global__ void stores(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = 1;
  float sum = 0;
  for (int j = 0; j < m; ++j)
    sum += x[i * m + j];
  if (sum > 0)
    y[i] = sum;
}
void launchStores(const float *x, float *y, int n, int m) { stores<<<(n + 63) / 64, 64>>>(x, y, n, m); }
