// REQUIRES: nvcc
// The sum of a row is kept in memory, so that each store could change what is loaded next; apart, it lives in a register.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/keeps-values.cu %s
// RUN: %nvcc -c -arch=sm_90 -I%source_dir/include %t/keeps-values.cu -o %t/out.o
#include <warpwright/annotate.h>

// CHECK-LABEL: row_sums
// CHECK: changed   qualify-restrict, line [[#]]: 'in' is the only way to what it points to
// CHECK: changed   qualify-restrict, line [[#]]: 'out' is the only way to what it points to
// CHECK: because   {{.*}}requests
// TEXT: __global__ void row_sums(const float *__restrict__ in, float *const __restrict__ out, int n)
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(in[n * n]), out(out[n]), shape(n = 512), shape(n = 100),
                shape(n = 33), tolerance(exact))
__global__ void row_sums(const float *in, float *const out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  out[row] = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    out[row] += in[i * n + row];
}

// One promise is there already; it holds for the pair.
// CHECK-LABEL: half_promised
// CHECK: qualify-restrict{{.*}}'out'
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), shape(n = 512), shape(n = 100), shape(n = 33), tolerance(exact))
__global__ void half_promised(const float *__restrict__ in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  out[row] = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    out[row] += in[i * n + row];
}

// A template's parameters take their types from its first declaration, so that one is edited, too.
// TEXT: template <class T> __global__ void forwarded(const T * __restrict__, T *__restrict__ y, int n);
// TEXT: template <class T> __global__ void forwarded(const T *__restrict__ x, T *__restrict__ y, int n) {
template <class T> __global__ void forwarded(const T *, T *y, int n);

// CHECK-LABEL: forwarded<double>
// CHECK: changed   qualify-restrict
// CHECK-LABEL: forwarded<float>
// CHECK: changed   qualify-restrict
template <class T>
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), out(y[n]), shape(n = 512), shape(n = 100), shape(n = 33))
__global__ void forwarded(const T *x, T *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n)
    return;
  y[row] = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    y[row] += x[i];
}
template __global__ void forwarded<float>(const float *, float *, int);
template __global__ void forwarded<double>(const double *, double *, int);
