#include "tile.h"

KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void square(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][WIDTH];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
