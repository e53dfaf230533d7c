// REQUIRES: nvcc
// Kernels as careful people publish them: no rule has anything to say.
//
// RUN: exits 0 %warpwright check --cache-dir none %s -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s
// CHECK-NOT: {{warning:|remark:}}
// CHECK: {{^}}8 kernels of 1 file checked without a baseline: 0 new findings
#include <warpwright/annotate.h>

// Product of matrices by tiles of 32 x 32 in shared memory; each thread makes four elements of a column.
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]),
                shape(n = 1024))
__global__ void tiled_gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[32][33], bs[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum[4] = {};
  for (int t = 0; t < n; t += 32) {
#pragma unroll
    for (int j = 0; j < 32; j += 8) {
      as[threadIdx.y + j][threadIdx.x] = a[(row + j) * n + t + threadIdx.x];
      bs[threadIdx.y + j][threadIdx.x] = b[(t + threadIdx.y + j) * n + col];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sum[j] += as[threadIdx.y + 8 * j][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    c[(row + 8 * j) * n + col] = sum[j];
}

__device__ float warp_sum(float v) {
  for (int distance = 16; distance; distance /= 2)
    v += __shfl_down_sync(0xffffffffu, v, distance);
  return v;
}

KERNEL_OPTIMIZE(grid(min(ceil_div(n, 256), 1024)), block(256), in(in[n]), inout(out[1]), shape(n = 1048576))
__global__ void reduce(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float partial[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = warp_sum(threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}

KERNEL_OPTIMIZE(grid(min(ceil_div(n, 256), 1024)), block(256), in(x[n]), inout(y[n]), shape(n = 1048576, a = 2.0))
__global__ void saxpy(const float *__restrict__ x, float *__restrict__ y, float a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(from[n]), out(to[n]), shape(n = 262144))
__global__ void copy4(const float4 *__restrict__ from, float4 *__restrict__ to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i];
}

KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]), shape(n = 1024))
__global__ void transpose(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Softmax of a row by a warp, kept in registers between the passes.
KERNEL_OPTIMIZE(grid(ceil_div(rows, 8)), block(32, 8), in(in[rows * 128]), out(out[rows * 128]), shape(rows = 4096))
__global__ void softmax(const float4 *__restrict__ in, float4 *__restrict__ out, int rows) {
  int row = blockIdx.x * 8 + threadIdx.y;
  if (row >= rows)
    return;
  float4 v = in[row * 32 + threadIdx.x];
  float largest = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
  for (int distance = 16; distance; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  v = {__expf(v.x - largest), __expf(v.y - largest), __expf(v.z - largest), __expf(v.w - largest)};
  float total = v.x + v.y + v.z + v.w;
  for (int distance = 16; distance; distance /= 2)
    total += __shfl_xor_sync(0xffffffffu, total, distance);
  out[row * 32 + threadIdx.x] = {v.x / total, v.y / total, v.z / total, v.w / total};
}

// A five-point stencil that goes through a tile with its halo.
KERNEL_OPTIMIZE(grid(n / 32, n / 8), block(32, 8), require(n % 32 == 0), in(in[(n + 2) * (n + 32)]), out(out[n * n]),
                shape(n = 1024))
__global__ void tiled_stencil(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[10][34];
  int pitch = n + 32;
  for (int y = threadIdx.y; y < 10; y += 8)
    for (int x = threadIdx.x; x < 34; x += 32)
      tile[y][x] = in[(blockIdx.y * 8 + y) * pitch + blockIdx.x * 32 + x];
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  out[(blockIdx.y * 8 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] =
      tile[y][x] + tile[y - 1][x] + tile[y + 1][x] + tile[y][x - 1] + tile[y][x + 1];
}

// Bins in shared memory, added to the result once a block.
KERNEL_OPTIMIZE(grid(min(ceil_div(n, 256), 512)), block(256), in(in[n]), inout(bins[256]), shape(n = 1048576))
__global__ void histogram(const unsigned char *__restrict__ in, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
