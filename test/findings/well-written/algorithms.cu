// REQUIRES: nvcc
// More kernels of the kinds that people publish: asynchronous copies, tensor cores, stencils, convolution, softmax in one pass,
// warps with roles, compaction, sorting, sparse rows. The gate has nothing to say, and the virtual device finds no fault.
//
// RUN: exits 0 %warpwright check --cache-dir none %s -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s
// RUN: exits 0 %warpwright run %s --launches %S/Inputs/algorithms.json --output %t.json -- -arch=sm_90 -I%source_dir/include
// CHECK-NOT: {{warning:|remark:}}
// CHECK: {{^}}19 kernels of 1 file checked without a baseline: 0 new findings
#include <warpwright/annotate.h>

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

// --- products of matrices

// Tiles of 64 x 64 and 16 deep, two stages of asynchronous copies. Chunks of 16 bytes of `as` are swizzled by the row, so
// that neither the copies nor the column walks of the product meet in a bank.
KERNEL_OPTIMIZE(grid(n / 64, n / 64), block(256), require(n % 64 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), aligned(a, 16), aligned(b, 16), aligned(c, 16), shape(n = 1024))
__global__ void __launch_bounds__(256) gemm_async(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ __align__(16) float as[2][64][16];
  __shared__ __align__(16) float bs[2][16][64];
  int tid = threadIdx.x, tx = tid % 16, ty = tid / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  auto load = [&](int stage, int t) {
    int row = tid / 4, chunk = tid % 4;
    __pipeline_memcpy_async(&as[stage][row][(chunk ^ (row / 2 % 4)) * 4], &a[(size_t)(row0 + row) * n + t + chunk * 4], 16);
    int k = tid / 16, col = tid % 16 * 4;
    __pipeline_memcpy_async(&bs[stage][k][col], &b[(size_t)(t + k) * n + col0 + col], 16);
    __pipeline_commit();
  };
  float acc[4][4] = {};
  load(0, 0);
  for (int t = 0; t < n; t += 16) {
    int stage = t / 16 % 2;
    if (t + 16 < n)
      load(stage ^ 1, t + 16);
    else
      __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float4 y = *reinterpret_cast<const float4 *>(&bs[stage][k][tx * 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        int row = ty * 4 + i;
        float x = as[stage][row][((k / 4) ^ (row / 2 % 4)) * 4 + k % 4];
        acc[i][0] += x * y.x;
        acc[i][1] += x * y.y;
        acc[i][2] += x * y.z;
        acc[i][3] += x * y.w;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4 *>(&c[(size_t)(row0 + ty * 4 + i) * n + col0 + tx * 4]) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Tensor cores: 64 x 64 a block, each of 4 warps makes 32 x 32 of it from padded tiles in shared memory.
KERNEL_OPTIMIZE(grid(n / 64, n / 64), block(128), require(n % 64 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), aligned(a, 16), aligned(b, 16), shape(n = 512))
__global__ void __launch_bounds__(128) gemm_wmma(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ __align__(16) half as[64][40];
  __shared__ __align__(16) half bs[32][72];
  int tid = threadIdx.x, warp = tid / 32, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::fill_fragment(acc[i][j], 0.0f);
  for (int t = 0; t < n; t += 32) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int row = tid % 8 + warp * 8 + i * 32, chunk = tid / 8 % 4 * 8;
      *reinterpret_cast<uint4 *>(&as[row][chunk]) = *reinterpret_cast<const uint4 *>(&a[(size_t)(row0 + row) * n + t + chunk]);
      int k = tid / 8 + i * 16, col = tid % 8 * 8;
      *reinterpret_cast<uint4 *>(&bs[k][col]) = *reinterpret_cast<const uint4 *>(&b[(size_t)(t + k) * n + col0 + col]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(x[i], &as[warp / 2 * 32 + i * 16][k], 40);
        wmma::load_matrix_sync(y[i], &bs[k][warp % 2 * 32 + i * 16], 72);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          wmma::mma_sync(acc[i][j], x[i], y[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      wmma::store_matrix_sync(&c[(size_t)(row0 + warp / 2 * 32 + i * 16) * n + col0 + warp % 2 * 32 + j * 16], acc[i][j], n, wmma::mem_row_major);
}

// Products of many 4 x 4 matrices: 16 threads a product, 16 products a block.
KERNEL_OPTIMIZE(grid(count / 16), block(256), require(count % 16 == 0), in(a[count * 16]), in(b[count * 16]), out(c[count * 16]), shape(count = 65536))
__global__ void __launch_bounds__(256) batched_4x4(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int count) {
  __shared__ float as[256], bs[256];
  int i = blockIdx.x * 256 + threadIdx.x, first = threadIdx.x / 16 * 16, row = threadIdx.x / 4 % 4, col = threadIdx.x % 4;
  as[threadIdx.x] = a[i];
  bs[threadIdx.x] = b[i];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    sum += as[first + row * 4 + k] * bs[first + k * 4 + col];
  c[i] = sum;
}

// --- stencils and images

// Seven points in space: a block walks up the planes with its tile in shared memory and the planes below and above in
// registers. The halo is a column of 32 bytes on each side, so that rows begin on sectors.
KERNEL_OPTIMIZE(grid(nx / 32, ny / 8), block(32, 8), require(nx % 32 == 0), require(ny % 8 == 0), in(in[(nx + 16) * (ny + 2) * (nz + 2)]), out(out[(nx + 16) * (ny + 2) * (nz + 2)]), shape(nx = 256, ny = 256, nz = 64))
__global__ void __launch_bounds__(256) stencil_3d(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz) {
  __shared__ float tile[10][34];
  int pitch = nx + 16, plane = pitch * (ny + 2), tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int i = (blockIdx.y * 8 + ty) * pitch + blockIdx.x * 32 + threadIdx.x + 8;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z <= nz; ++z) {
    i += plane;
    float above = in[i + plane];
    tile[ty][tx] = here;
    if (threadIdx.y == 0)
      tile[0][tx] = in[i - pitch];
    if (threadIdx.y == 7)
      tile[9][tx] = in[i + pitch];
    if (threadIdx.x == 0)
      tile[ty][0] = in[i - 1];
    if (threadIdx.x == 31)
      tile[ty][33] = in[i + 1];
    __syncthreads();
    out[i] = 0.4f * here + 0.1f * (below + above + tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
    __syncthreads();
    below = here;
    here = above;
  }
}

__constant__ float mask[25];

// 5 x 5 weights in constant memory, the window of the image in shared memory, whole sectors of it. The image has
// a border of two rows and eight columns.
KERNEL_OPTIMIZE(grid(w / 32, h / 8), block(32, 8), require(w % 32 == 0), require(h % 8 == 0), in(in[(w + 16) * (h + 4)]), out(out[w * h]), shape(w = 1920, h = 1080))
__global__ void __launch_bounds__(256) convolve_5x5(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
  __shared__ float tile[12][48];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
  for (int y = threadIdx.y; y < 12; y += 8)
    for (int x = threadIdx.x; x < 48; x += 32)
      tile[y][x] = in[(y0 + y) * (w + 16) + x0 + x];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy)
#pragma unroll
    for (int dx = 0; dx < 5; ++dx)
      sum += mask[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx + 6];
  out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = sum;
}

KERNEL_OPTIMIZE(grid(w / 2 / 32, h / 2 / 8), block(32, 8), require(w % 64 == 0), require(h % 16 == 0), in(in[w / 2 * h]), out(out[w / 2 * (h / 2)]), shape(w = 1920, h = 1088))
__global__ void __launch_bounds__(256) halve_image(const float2 *__restrict__ in, float *__restrict__ out, int w, int h) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, pitch = w / 2;
  float2 upper = in[2 * y * pitch + x], lower = in[(2 * y + 1) * pitch + x];
  out[y * pitch + x] = 0.25f * (upper.x + upper.y + lower.x + lower.y);
}

// --- rows

// One pass over a row: the sum of exponentials is rescaled whenever a larger element turns up.
KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 4096, cols = 4096))
__global__ void __launch_bounds__(256) softmax_online(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  __shared__ float tops[8], sums[8];
  const float *row = x + (size_t)blockIdx.x * cols;
  float top = -1e30f, sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) {
    float v = row[c], larger = fmaxf(top, v);
    sum = sum * __expf(top - larger) + __expf(v - larger);
    top = larger;
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    float otherTop = __shfl_xor_sync(0xffffffffu, top, d), otherSum = __shfl_xor_sync(0xffffffffu, sum, d);
    float larger = fmaxf(top, otherTop);
    sum = sum * __expf(top - larger) + otherSum * __expf(otherTop - larger);
    top = larger;
  }
  if (threadIdx.x % 32 == 0) {
    tops[threadIdx.x / 32] = top;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  float all = tops[0];
#pragma unroll
  for (int i = 1; i < 8; ++i)
    all = fmaxf(all, tops[i]);
  sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum += sums[i] * __expf(tops[i] - all);
  float scale = 1.0f / sum;
  for (int c = threadIdx.x; c < cols; c += 256)
    y[(size_t)blockIdx.x * cols + c] = __expf(row[c] - all) * scale;
}

KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), out(best[rows]), shape(rows = 8192, cols = 2048))
__global__ void __launch_bounds__(256) argmax_rows(const float *__restrict__ x, int *__restrict__ best, int rows, int cols) {
  __shared__ float values[8];
  __shared__ int places[8];
  float value = -INFINITY;
  int place = 0;
  for (int c = threadIdx.x; c < cols; c += 256) {
    float v = x[(size_t)blockIdx.x * cols + c];
    if (v > value) {
      value = v;
      place = c;
    }
  }
  auto take = [&](float v, int p) {
    if (v > value || (v == value && p < place)) {
      value = v;
      place = p;
    }
  };
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    float v = __shfl_down_sync(0xffffffffu, value, d);
    int p = __shfl_down_sync(0xffffffffu, place, d);
    take(v, p);
  }
  if (threadIdx.x % 32 == 0) {
    values[threadIdx.x / 32] = value;
    places[threadIdx.x / 32] = place;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i)
      take(values[i], places[i]);
    best[blockIdx.x] = place;
  }
}

// Root mean square of a row of 4096 halves, two at a time in each of 16-byte loads.
KERNEL_OPTIMIZE(grid(rows), block(512), in(x[rows * 512]), in(weight[512]), out(y[rows * 512]), shape(rows = 8192))
__global__ void __launch_bounds__(512) rms_norm_half(const uint4 *__restrict__ x, const uint4 *__restrict__ weight, uint4 *__restrict__ y, int rows) {
  __shared__ float parts[16];
  uint4 v = x[(size_t)blockIdx.x * 512 + threadIdx.x], w = weight[threadIdx.x];
  const half2 *xs = reinterpret_cast<const half2 *>(&v), *ws = reinterpret_cast<const half2 *>(&w);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float2 f = __half22float2(xs[i]);
    sum += f.x * f.x + f.y * f.y;
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i)
    sum += parts[i];
  half2 scale = __float2half2_rn(rsqrtf(sum / 4096 + 1e-5f));
  uint4 r;
  half2 *rs = reinterpret_cast<half2 *>(&r);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    rs[i] = __hmul2(__hmul2(xs[i], scale), ws[i]);
  y[(size_t)blockIdx.x * 512 + threadIdx.x] = r;
}

KERNEL_OPTIMIZE(grid(tokens), block(128), in(ids[tokens]), in(table[words * 128]), out(y[tokens * 128]), init(ids, integers(0, words - 1)), shape(tokens = 8192, words = 1024))
__global__ void __launch_bounds__(128) embedding(const int *__restrict__ ids, const float4 *__restrict__ table, float4 *__restrict__ y, int tokens, int words) {
  y[(size_t)blockIdx.x * 128 + threadIdx.x] = table[(size_t)ids[blockIdx.x] * 128 + threadIdx.x];
}

// Structures of three floats to three arrays: read as they lie, sorted in shared memory by a stride that meets no bank twice.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(points[3 * n]), out(x[n]), out(y[n]), out(z[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) split_points(const float *__restrict__ points, float *__restrict__ x, float *__restrict__ y, float *__restrict__ z, int n) {
  __shared__ float staged[768];
  size_t first = (size_t)blockIdx.x * 768;
#pragma unroll
  for (int i = 0; i < 3; ++i)
    staged[i * 256 + threadIdx.x] = points[first + i * 256 + threadIdx.x];
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  x[i] = staged[3 * threadIdx.x];
  y[i] = staged[3 * threadIdx.x + 1];
  z[i] = staged[3 * threadIdx.x + 2];
}

// --- roles

// Half of the warps bring the next stage in while the other half work on this one.
KERNEL_OPTIMIZE(grid(264), block(256), require(n % 128 == 0), in(in[n]), out(out[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) specialised_warps(const float4 *__restrict__ in, float4 *__restrict__ out, int n) {
  __shared__ float4 stage[2][128];
  int lane = threadIdx.x % 128, tiles = n / 128, s = 0;
  bool brings = threadIdx.x >= 128;
  if (brings && blockIdx.x < tiles)
    stage[0][lane] = in[blockIdx.x * 128 + lane];
  __syncthreads();
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, s ^= 1) {
    int next = tile + gridDim.x;
    if (brings) {
      if (next < tiles)
        stage[s ^ 1][lane] = in[next * 128 + lane];
    } else {
      float4 v = stage[s][lane];
      out[tile * 128 + lane] = make_float4(sqrtf(fabsf(v.x)), sqrtf(fabsf(v.y)), sqrtf(fabsf(v.z)), sqrtf(fabsf(v.w)));
    }
    __syncthreads();
  }
}

// All pairs of bodies: a tile of positions goes through shared memory and is broadcast from there.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(bodies[n]), out(forces[n]), shape(n = 16384))
__global__ void __launch_bounds__(256) all_pairs(const float4 *__restrict__ bodies, float4 *__restrict__ forces, int n) {
  __shared__ float4 tile[256];
  float4 me = bodies[blockIdx.x * 256 + threadIdx.x], sum = make_float4(0, 0, 0, 0);
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; ++j) {
      float4 other = tile[j];
      float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-4f), scale = other.w * inverse * inverse * inverse;
      sum.x += dx * scale;
      sum.y += dy * scale;
      sum.z += dz * scale;
    }
    __syncthreads();
  }
  forces[blockIdx.x * 256 + threadIdx.x] = sum;
}

// --- lists and order

// Keeps what is positive, in the order of blocks as they come: one addition to the counter a block.
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), inout(kept[1]), out(y[n]), shape(n = 1 << 20), init(kept, zeros))
__global__ void __launch_bounds__(256) compact(const float *__restrict__ x, float *__restrict__ y, int *__restrict__ kept, int n) {
  __shared__ int counts[8], base;
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = i < n ? x[i] : 0.0f;
  unsigned mine = __ballot_sync(0xffffffffu, v > 0);
  if (lane == 0)
    counts[warp] = __popc(mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      int count = counts[w];
      counts[w] = sum;
      sum += count;
    }
    base = atomicAdd(kept, sum);
  }
  __syncthreads();
  if (v > 0)
    y[base + counts[warp] + __popc(mine & ((1u << lane) - 1))] = v;
}

// One addition a warp, by the threads that are there.
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), inout(count[1]), shape(n = 1 << 20), init(count, zeros))
__global__ void __launch_bounds__(256) count_positive(const float *__restrict__ x, int *__restrict__ count, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n && x[i] > 0) {
    cg::coalesced_group there = cg::coalesced_threads();
    if (there.thread_rank() == 0)
      atomicAdd(count, there.size());
  }
}

KERNEL_OPTIMIZE(grid(ceil_div(rows, 8)), block(256), in(starts[rows + 1]), in(columns[rows * 32]), in(values[rows * 32]), in(x[rows]), out(y[rows]), init(columns, integers(0, rows - 1)), init(starts, zeros), shape(rows = 16384))
__global__ void __launch_bounds__(256) spmv_warp(const int *__restrict__ starts, const int *__restrict__ columns, const float *__restrict__ values, const float *__restrict__ x, float *__restrict__ y, int rows) {
  int row = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
#pragma unroll
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0)
    y[row] = sum;
}

// Sorts 256 keys a block: steps within a warp by shuffles, longer ones through shared memory.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), inout(keys[n]), shape(n = 1 << 18))
__global__ void __launch_bounds__(256) bitonic_sort(int *__restrict__ keys, int n) {
  __shared__ int staged[256];
  int tid = threadIdx.x, key = keys[blockIdx.x * 256 + tid];
#pragma unroll
  for (int size = 2; size <= 256; size *= 2) {
    bool ascending = (tid & size) == 0;
#pragma unroll
    for (int step = size / 2; step > 0; step /= 2) {
      int other;
      if (step >= 32) {
        staged[tid] = key;
        __syncthreads();
        other = staged[tid ^ step];
        __syncthreads();
      } else {
        other = __shfl_xor_sync(0xffffffffu, key, step);
      }
      bool lower = (tid & step) == 0;
      key = lower == ascending ? min(key, other) : max(key, other);
    }
  }
  keys[blockIdx.x * 256 + tid] = key;
}

// One step of a radix sort: a block orders its 256 keys by four bits, a bit at a time, without changing the order of equals.
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), require(shift >= 0), require(shift <= 28), inout(keys[n]), shape(n = 1 << 18, shift = 4))
__global__ void __launch_bounds__(256) radix_step(unsigned *__restrict__ keys, int shift, int n) {
  __shared__ unsigned staged[256];
  __shared__ int zeros[8];
  int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  unsigned key = keys[blockIdx.x * 256 + tid];
  for (int bit = shift; bit < shift + 4; ++bit) {
    bool one = key >> bit & 1;
    unsigned ballot = __ballot_sync(0xffffffffu, !one);
    if (lane == 0)
      zeros[warp] = __popc(ballot);
    __syncthreads();
    int before = __popc(ballot & ((1u << lane) - 1)), all = 0;
#pragma unroll
    for (int w = 0; w < 8; ++w) {
      before += w < warp ? zeros[w] : 0;
      all += zeros[w];
    }
    staged[one ? all + tid - before : before] = key;
    __syncthreads();
    key = staged[tid];
  }
  keys[blockIdx.x * 256 + tid] = key;
}

// Sums up and down a tree in shared memory, whose indices are spread by one in 32.
KERNEL_OPTIMIZE(grid(n / 512), block(256), require(n % 512 == 0), in(in[n]), out(out[n]), shape(n = 1 << 20))
__global__ void __launch_bounds__(256) scan_tree(const int *__restrict__ in, int *__restrict__ out, int n) {
  __shared__ int tree[512 + 16];
  auto at = [&](int i) -> int & { return tree[i + i / 32]; };
  int tid = threadIdx.x, first = blockIdx.x * 512;
  at(tid) = in[first + tid];
  at(tid + 256) = in[first + tid + 256];
  int offset = 1;
  for (int d = 256; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (tid < d)
      at(offset * (2 * tid + 2) - 1) += at(offset * (2 * tid + 1) - 1);
  }
  if (tid == 0)
    at(511) = 0;
  for (int d = 1; d <= 256; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (tid < d) {
      int left = offset * (2 * tid + 1) - 1, right = offset * (2 * tid + 2) - 1, value = at(left);
      at(left) = at(right);
      at(right) += value;
    }
  }
  __syncthreads();
  out[first + tid] = at(tid);
  out[first + tid + 256] = at(tid + 256);
}
