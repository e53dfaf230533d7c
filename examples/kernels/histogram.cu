// 256-bin histogram with one global atomic an element.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(data[n]), inout(bins[256]), init(data, integers(0, 255)), init(bins, zeros),
                shape(n = 16777216), shape(n = 100000), shape(n = 13), tolerance(exact), allow(launch_change))
__global__ void histogram(const int* data, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & 255], 1);
}

extern "C" void launch_histogram(const int* data, int* bins, int n) { histogram<<<(n + 255) / 256, 256>>>(data, bins, n); }
