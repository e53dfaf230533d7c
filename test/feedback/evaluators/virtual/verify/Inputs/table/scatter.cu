#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), in(order[n]), out(out[n]), init(order, permutation),
                shape(n = 65536), shape(n = 1000), shape(n = 77), require(n > 0), allow(launch_change))
__global__ void scatter(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[order[i]] = x[i];
}

//! reject wrong-output: gathers, right for permutations that are their own inverse
__global__ void scatter_gathers(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = x[order[i]];
}
//! reject wrong-output unwritten-output: takes the permutation for the identity
__global__ void scatter_copies(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    out[i] = x[i];
}
//! reject unwritten-output: the last block does nothing
__global__ void scatter_last_block(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && blockIdx.x + 1 < gridDim.x)
    out[order[i]] = x[i];
}
//! reject block-race order-dependent: everything by way of one variable
__global__ void scatter_one_way(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n)
    return;
  out[order[i]] = x[i];
  if (order[i] + 1 < n && i == 0)
    out[order[i] + 1] = x[i];
}
//! accept: two elements a thread
//! steps [{"launch": "scatter_two", "grid": ["ceil_div(n, 256)"]}]
__global__ void scatter_two(const float *x, const int *order, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    out[order[i]] = x[i];
  if (i + 128 < n)
    out[order[i + 128]] = x[i + 128];
}
//! accept: both loads first
__global__ void scatter_early(const float *__restrict__ x, const int *__restrict__ order, float *__restrict__ out,
                              int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n)
    return;
  int to = __ldg(order + i);
  float value = __ldg(x + i);
  out[to] = value;
}
