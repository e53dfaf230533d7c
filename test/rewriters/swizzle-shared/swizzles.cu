// REQUIRES: nvcc
// Columns that lie in one bank spread over all where each row is mixed with its number; rows of half the banks are mixed
// with half of it.
//
// RUN: rm -rf %t && %warpwright optimize %s --no-verify --output-dir %t --candidates-dir %t/all -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/all/columns/swizzle-shared_shift=0.cu %s
// RUN: FileCheck --check-prefix=SHORT --input-file=%t/all/short_rows/swizzle-shared_shift=1.cu %s
// RUN: %warpwright verify %s %t/all/short_rows/swizzle-shared_shift=1.cu --kernel short_rows -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <warpwright/annotate.h>

// SAME: short_rows: accepted

// CHECK-LABEL: columns (
// Instructions grow, so that facts alone do not choose it: a measurement may.
// CHECK: declined  swizzle-shared shift=0 on 'tile', declined at dominance: worse: instructions
// TEXT: tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
// TEXT: out[(y + j) * n + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 256), shape(n = 32), tolerance(exact),
                forbid(bound-launch, pad-shared-array, qualify-restrict, unroll-loop, vectorise-access))
__global__ void columns(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// SHORT: tile[row][column ^ ((row >> 1) & 7)] = in[threadIdx.x + 256 * blockIdx.x];
// SHORT: out[threadIdx.x + 256 * blockIdx.x] = tile[threadIdx.x % 32][(threadIdx.x / 32) ^ (((threadIdx.x % 32) >> 1) & 7)];
KERNEL_OPTIMIZE(grid(n), block(256), in(in[256 * n]), out(out[256 * n]), shape(n = 16), shape(n = 1), tolerance(exact),
                forbid(bound-launch, pad-shared-array, qualify-restrict, unroll-loop, vectorise-access))
__global__ void short_rows(const double *in, double *out, int n) {
  __shared__ double tile[32][8];
  unsigned row = threadIdx.x / 8, column = threadIdx.x % 8;
  tile[row][column] = in[threadIdx.x + 256 * blockIdx.x];
  __syncthreads();
  out[threadIdx.x + 256 * blockIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}
