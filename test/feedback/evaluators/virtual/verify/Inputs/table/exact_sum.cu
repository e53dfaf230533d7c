// Sums that must be the same to the last bit.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(x[n]), in(y[n]), inout(total[1]), inout(count[1]), init(total, zeros), init(count, zeros),
                shape(n = 65536), shape(n = 1000), shape(n = 77), tolerance(exact), allow(launch_change))
__global__ void exact_sum(const float *x, const int *y, float *total, int *count, int n) {
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i], *count += y[i];
  *total += sum;
}

//! reject order-dependent wrong-output: additions in the order in which threads come
__global__ void sum_atomic(const float *x, const int *y, float *total, int *count, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(total, x[i]);
  atomicAdd(count, y[i]);
}
//! accept: integers in any order, numbers in the original's
__global__ void sum_integers(const float *x, const int *y, float *total, int *count, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    atomicAdd(count, y[i]);
  if (i != 0)
    return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += x[j];
  *total += sum;
}
