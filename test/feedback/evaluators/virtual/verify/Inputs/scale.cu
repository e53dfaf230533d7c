#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), out(y[n]), shape(n = 4096), shape(n = 100),
                shape(n = 33), require(n > 0), allow(launch_change))
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
