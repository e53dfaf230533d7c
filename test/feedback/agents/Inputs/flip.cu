// A tiled transpose whose tile has one bank a column, and a sum that nobody is to touch.
#include <warpwright/annotate.h>

__device__ float twice(float x) { return 2.0f * x; }

KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 64), shape(n = 96), shape(n = 128), tolerance(exact))
__global__ void flip(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void sum(float* a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] += twice(a[0]);
}

extern "C" void launch_flip(const float* in, float* out, int n) {
  flip<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
}
