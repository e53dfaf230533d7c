#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(1), block(1), in(x[n]), out(sum[1]), shape(n = 2048), shape(n = 100), shape(n = 7), require(n > 0))
__global__ void total(const int *x, int *sum, int n) {
  int result = 0;
  for (int i = 0; i < n; ++i)
    result += x[i];
  *sum = result;
}

__global__ void parts(const int *x, int *part, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n)
    atomicAdd(&part[i % 4], x[i]);
}

__global__ void join(const int *part, int *sum) { *sum = part[0] + part[1] + part[2] + part[3]; }
