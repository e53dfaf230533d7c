// A tiled transpose whose shared tile has one bank a column; n is a multiple of 32.
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 8192), shape(n = 1024), shape(n = 96), tolerance(exact))
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" void launch_transpose_tile(const float* in, float* out, int n) {
  transpose_tile<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
}
