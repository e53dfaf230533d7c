// REQUIRES: nvcc
// Threads that take an element each, in other styles: templates, long and unsigned indices, halves, dynamic shared memory.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright coarsen-threads > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: %warpwright verify %s %t/styles.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <cuda_fp16.h>
#include <warpwright/annotate.h>

// CHECK-LABEL: dot<float> (
// CHECK: changed   coarsen-threads factor=32
// SAME-DAG: dot<float> -> dot_warpwright<float>: accepted
// A template over the number, a long index, a guarded value, shuffles and one atomic a warp.
template <typename T>
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(a[n]), in(b[n]), inout(out[1]), init(out, zeros), shape(n = 5000),
                shape(n = 1), shape(n = 777), tolerance(rel = 1e-3), allow(reassociate, launch_change))
__global__ void dot(const T *a, const T *b, T *out, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  T v = 0;
  if (i < n)
    v = a[i] * b[i];
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  if ((threadIdx.x & 31) == 0)
    atomicAdd(out, v);
}

// CHECK-LABEL: axpy_half (
// CHECK: changed   coarsen-threads elements=4
// SAME-DAG: axpy_half -> axpy_half_warpwright: accepted
// Halves, one a thread.
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), inout(y[n]), shape(n = 1000, a = 2), shape(n = 7, a = 2),
                tolerance(rel = 1e-2), allow(launch_change))
__global__ void axpy_half(const __half *x, __half *y, float a, int n) {
  int idx = threadIdx.x + blockDim.x * blockIdx.x;
  if (idx < n)
    y[idx] = __float2half(a * __half2float(x[idx]) + __half2float(y[idx]));
}

// CHECK-LABEL: count_odd (
// CHECK: changed   coarsen-threads factor=32
// SAME-DAG: count_odd -> count_odd_warpwright: accepted
// Dynamic shared memory, whole numbers, a sequential tree.
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), dynamic_shared(128 * 4), in(x[n]), inout(total[1]), init(total, zeros),
                shape(n = 1000), shape(n = 3), tolerance(exact), allow(launch_change))
__global__ void count_odd(const int *x, int *total, int n) {
  extern __shared__ int counts[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + tid;
  counts[tid] = i < n ? (x[i] & 1) : 0;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s)
      counts[tid] += counts[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    atomicAdd(total, counts[0]);
}

// CHECK-LABEL: scale_periodic (
// CHECK: changed   coarsen-threads elements=4
// SAME-DAG: scale_periodic -> scale_periodic_warpwright: accepted
// A gain by remainder, in double, with the guard the other way round.
KERNEL_OPTIMIZE(grid(ceil_div(n, 192)), block(192), in(x[n]), in(gain[period]), out(y[n]), shape(n = 1000, period = 8),
                shape(n = 7, period = 3), tolerance(rel = 1e-9), allow(launch_change))
__global__ void scale_periodic(const double *x, const double *gain, double *y, unsigned n, unsigned period) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n > i) {
    double g = gain[i % period];
    y[i] = x[i] * g;
  }
}

// CHECK-LABEL: histogram64 (
// CHECK: changed   coarsen-threads elements=4
// SAME-DAG: histogram64 -> histogram64_warpwright: accepted
// Bytes counted in 64 bins.
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(data[n]), inout(bins[64]), init(bins, zeros), shape(n = 3000),
                shape(n = 13), tolerance(exact), allow(launch_change))
__global__ void histogram64(const unsigned char *data, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(bins + (data[i] >> 2), 1u);
}

void launch(const float *x, float *y, const double *d, double *e, const __half *h, __half *g, int *places,
            unsigned char *flags, unsigned *bins, int n, int cols) {
  dot<float><<<((long)n + 255) / 256, 256>>>(x, y, y, n);
  axpy_half<<<(n + 127) / 128, 128>>>(h, g, 2.0f, n);
  count_odd<<<(n + 127) / 128, 128, 128 * 4>>>(places, places, n);
  scale_periodic<<<(n + 191) / 192, 192>>>(d, d, e, n, cols);
  histogram64<<<(n + 255) / 256, 256>>>(flags, bins, n);
}
