// REQUIRES: nvcc
// Kernels of the kinds that people publish, written well: element by element, reductions, rows, tiles, transposes, scans,
// histograms. The gate has nothing to say about any of them, and the virtual device finds no fault.
//
// RUN: exits 0 %warpwright check --cache-dir none %s -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s
// RUN: exits 0 %warpwright run %s --launches %S/Inputs/published.json --output %t.json -- -arch=sm_90 -I%source_dir/include
// CHECK-NOT: {{warning:|remark:}}
// CHECK: {{^}}24 kernels of 1 file checked without a baseline: 0 new findings
#include <warpwright/annotate.h>

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

// --- element by element
KERNEL_OPTIMIZE(grid(1056), block(256), in(x[n]), inout(y[n]), shape(n = 1 << 22, a = 2))
__global__ void __launch_bounds__(256) saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(y[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) relu4(const float4 *__restrict__ x, float4 *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = x[i];
  v.x = fmaxf(v.x, 0.0f);
  v.y = fmaxf(v.y, 0.0f);
  v.z = fmaxf(v.z, 0.0f);
  v.w = fmaxf(v.w, 0.0f);
  y[i] = v;
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(y[n]), shape(n = 1 << 20, s = 2))
__global__ void __launch_bounds__(256) half_scale(const __half2 *__restrict__ x, __half2 *__restrict__ y, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hmul2(x[i], __float2half2_rn(s));
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(y[n]), shape(n = 1 << 22))
__global__ void __launch_bounds__(256) gelu(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  y[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
}

KERNEL_OPTIMIZE(grid(ceil_div(cols, 32), ceil_div(rows, 8)), block(32, 8), in(x[rows * cols]), in(bias[cols]), out(y[rows * cols]),
                shape(rows = 4096, cols = 1024))
__global__ void __launch_bounds__(256) add_bias(const float *__restrict__ x, const float *__restrict__ bias, float *__restrict__ y, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < cols)
    y[r * cols + c] = x[r * cols + c] + bias[c];
}

// --- reductions
__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

KERNEL_OPTIMIZE(grid(1056), block(256), in(x[n]), inout(sum[1]), shape(n = 1 << 24))
__global__ void __launch_bounds__(256) reduce_warps(const float *__restrict__ x, float *__restrict__ sum, int n) {
  __shared__ float parts[8];
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    v += x[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < 8 ? parts[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      atomicAdd(sum, v);
  }
}

KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 4096, cols = 4096))
__global__ void __launch_bounds__(256) row_softmax(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  __shared__ float parts[8];
  const float *row = x + (size_t)blockIdx.x * cols;
  float top = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 256)
    top = fmaxf(top, row[c]);
  for (int d = 16; d > 0; d /= 2)
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = top;
  __syncthreads();
  top = parts[0];
  for (int i = 1; i < 8; ++i)
    top = fmaxf(top, parts[i]);
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256)
    sum += __expf(row[c] - top);
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += parts[i];
  float scale = 1.0f / sum;
  for (int c = threadIdx.x; c < cols; c += 256)
    y[(size_t)blockIdx.x * cols + c] = __expf(row[c] - top) * scale;
}

KERNEL_OPTIMIZE(grid(ceil_div(rows, 8)), block(32, 8), in(a[rows * cols]), in(x[cols]), out(y[rows]), shape(rows = 8192, cols = 4096))
__global__ void __launch_bounds__(256) matvec_warp(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  int r = blockIdx.x * 8 + threadIdx.y;
  if (r >= rows)
    return;
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += 32)
    v += a[(size_t)r * cols + c] * x[c];
  v = warp_sum(v);
  if (threadIdx.x == 0)
    y[r] = v;
}

KERNEL_OPTIMIZE(grid(528), block(256), in(x[n]), inout(sum[1]), shape(n = 1 << 22))
__global__ void __launch_bounds__(256) reduce_groups(const float *__restrict__ x, float *__restrict__ sum, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    v += x[i];
  for (int d = 16; d > 0; d /= 2)
    v += warp.shfl_down(v, d);
  if (warp.thread_rank() == 0)
    atomicAdd(sum, v);
}

// --- tiles
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]), shape(n = 4096))
__global__ void __launch_bounds__(256) transpose_padded(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]), shape(n = 4096))
__global__ void __launch_bounds__(256) transpose_swizzled(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(size_t)(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    out[(size_t)(y + j) * n + x] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}

KERNEL_OPTIMIZE(grid(n / 16, n / 16), block(16, 16), require(n % 16 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 1024))
__global__ void __launch_bounds__(256) gemm_16(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

KERNEL_OPTIMIZE(grid(n / 64, n / 64), block(256), require(n % 64 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 1024))
__global__ void __launch_bounds__(256) gemm_registers(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[16][66];
  __shared__ __align__(16) float bs[16][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int t = 0; t < n; t += 16) {
    for (int i = threadIdx.x; i < 64 * 16; i += 256) {
      as[i % 16][i / 16] = a[(row0 + i / 16) * n + t + i % 16];
      bs[i / 64][i % 64] = b[(t + i / 64) * n + col0 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float4 y = *reinterpret_cast<float4 *>(&bs[k][tx * 4]);
      float ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          acc[i][j] += as[k][ty * 4 + i] * ys[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4 *>(&c[(row0 + ty * 4 + i) * n + col0 + tx * 4]) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), require(n % 256 == 0), in(in[n + 32]), out(out[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) stencil_1d(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float window[256 + 32];
  int i = blockIdx.x * 256 + threadIdx.x;
  window[threadIdx.x] = in[i];
  if (threadIdx.x < 32)
    window[256 + threadIdx.x] = in[i + 256];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 17; ++k)
    sum += window[threadIdx.x + k];
  out[i] = sum;
}

KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), out(out[n]), shape(n = 1 << 22))
__global__ void __launch_bounds__(256) reverse_blocks(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float block[256];
  block[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  out[(gridDim.x - 1 - blockIdx.x) * 256 + threadIdx.x] = block[255 - threadIdx.x];
}

// --- asynchronous copies
KERNEL_OPTIMIZE(grid(264), block(256), require(n % 256 == 0), in(in[n]), out(out[n]), shape(n = 1 << 22))
__global__ void __launch_bounds__(256) pipelined(const float4 *__restrict__ in, float4 *__restrict__ out, int n) {
  __shared__ float4 stage[2][256];
  int step = gridDim.x * 256, i = blockIdx.x * 256 + threadIdx.x, s = 0;
  __pipeline_memcpy_async(&stage[0][threadIdx.x], &in[i], 16);
  __pipeline_commit();
  for (; i < n; i += step, s ^= 1) {
    if (i + step < n)
      __pipeline_memcpy_async(&stage[s ^ 1][threadIdx.x], &in[i + step], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    float4 v = stage[s][threadIdx.x];
    out[i] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
  }
}

// --- scans, histograms, gathers
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), out(sums[ceil_div(n, 256)]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) scan_block(const int *__restrict__ in, int *__restrict__ out, int *__restrict__ sums, int n) {
  __shared__ int parts[8];
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d)
      v += other;
  }
  if (lane == 31)
    parts[threadIdx.x / 32] = v;
  __syncthreads();
  for (int w = 0; w < threadIdx.x / 32; ++w)
    v += parts[w];
  if (i < n)
    out[i] = v;
  if (threadIdx.x == 255)
    sums[blockIdx.x] = v;
}

KERNEL_OPTIMIZE(grid(264), block(256), in(x[n]), inout(bins[256]), shape(n = 1 << 22), init(x, integers(0, 255)))
__global__ void __launch_bounds__(256) histogram_shared(const unsigned char *__restrict__ x, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(index[n]), in(x[n]), out(y[n]), shape(n = 1 << 20), init(index, permutation))
__global__ void __launch_bounds__(256) gather(const int *__restrict__ index, const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    y[i] = x[index[i]];
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), in(y[n]), in(z[n]), out(r[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) norms_soa(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z, float *__restrict__ r, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    r[i] = sqrtf(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
}

KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * 1024]), out(y[rows * 1024]), shape(rows = 8192))
__global__ void __launch_bounds__(256) layernorm_registers(const float4 *__restrict__ x, float4 *__restrict__ y, int rows) {
  __shared__ float parts[8][2];
  float4 v = x[blockIdx.x * 256 + threadIdx.x];
  float s = v.x + v.y + v.z + v.w, q = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2) {
    s += __shfl_xor_sync(0xffffffffu, s, d);
    q += __shfl_xor_sync(0xffffffffu, q, d);
  }
  if (threadIdx.x % 32 == 0) {
    parts[threadIdx.x / 32][0] = s;
    parts[threadIdx.x / 32][1] = q;
  }
  __syncthreads();
  s = q = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    s += parts[i][0];
    q += parts[i][1];
  }
  float mean = s / 1024, scale = rsqrtf(q / 1024 - mean * mean + 1e-5f);
  y[blockIdx.x * 256 + threadIdx.x] =
      make_float4((v.x - mean) * scale, (v.y - mean) * scale, (v.z - mean) * scale, (v.w - mean) * scale);
}

KERNEL_OPTIMIZE(grid(ceil_div(w, 32), ceil_div(h, 8)), block(32, 8), in(in[w * h]), out(out[w * h]), shape(w = 1920, h = 1080))
__global__ void __launch_bounds__(256) brighten(const uchar4 *__restrict__ in, uchar4 *__restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h)
    return;
  uchar4 p = in[y * w + x];
  out[y * w + x] = make_uchar4(min(p.x + 16, 255), min(p.y + 16, 255), min(p.z + 16, 255), p.w);
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), out(y[n]), shape(n = 1 << 22))
__global__ void __launch_bounds__(256) iota(int *__restrict__ y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    y[i] = i;
}

KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), inout(best[1]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) vote_count(const int *__restrict__ x, int *__restrict__ best, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned mask = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
  if (threadIdx.x % 32 == 0)
    atomicAdd(best, __popc(mask));
}
