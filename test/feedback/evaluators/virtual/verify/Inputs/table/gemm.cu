// Candidates for a matrix product. `verify-table` reads the lines that start with `//!`.
#include <cuda_fp16.h>
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 512, n = 512, k = 512), shape(m = 65, n = 33, k = 100), shape(m = 32, n = 48, k = 64),
                require(m > 0 && n > 0 && k >= 0), allow(reassociate), allow(launch_change))
__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// A tiled product in which one thing at a time can be wrong.
template <bool FirstBarrier, bool SecondBarrier, bool Tail, bool Clear, bool Leave, int Pad>
__device__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float as[16][16 + Pad], bs[16][16 + Pad];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  if (Leave && (row >= m || col >= n))
    return;
  float sum = 0;
  for (int t = 0; Tail ? t < k : t + 16 <= k; t += 16) {
    if (row < m && t + x < k)
      as[y][x] = a[row * k + t + x];
    else if (Clear)
      as[y][x] = 0;
    if (col < n && t + y < k)
      bs[y][x] = b[(t + y) * n + col];
    else if (Clear)
      bs[y][x] = 0;
    if (FirstBarrier)
      __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += as[y][i] * bs[i][x];
    if (SecondBarrier)
      __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

//! accept: staged in shared memory
__global__ void gemm_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, true, true, true, false, 0>(a, b, c, m, n, k);
}
//! accept: staged in padded shared memory
__global__ void gemm_padded(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, true, true, true, false, 1>(a, b, c, m, n, k);
}
//! reject shared-race: the barrier before the tiles are read is lost
__global__ void gemm_no_first_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<false, true, true, true, false, 0>(a, b, c, m, n, k);
}
//! reject shared-race: the barrier before the tiles are overwritten is lost
__global__ void gemm_no_second_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, false, true, true, false, 0>(a, b, c, m, n, k);
}
//! reject wrong-output: the tail of k is dropped
__global__ void gemm_no_tail(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, true, false, true, false, 0>(a, b, c, m, n, k);
}
//! reject wrong-output uninitialised-read: beyond the edge the tiles keep what was in them
__global__ void gemm_stale(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, true, true, false, false, 0>(a, b, c, m, n, k);
}
//! reject divergent-barrier uninitialised-read: threads outside the matrix leave before the barrier
__global__ void gemm_leaves_early(const float *a, const float *b, float *c, int m, int n, int k) {
  tiled<true, true, true, true, true, 0>(a, b, c, m, n, k);
}

//! reject wrong-output: rows and columns of the result are swapped
__global__ void gemm_swapped(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[col * m + row] = sum;
}
//! reject wrong-output out-of-bounds: right where k equals n alone
__global__ void gemm_square(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}
//! reject uninitialised-read: adds to what the output held before
__global__ void gemm_adds(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  for (int i = 0; i < k; ++i)
    c[row * n + col] += a[row * k + i] * b[i * n + col];
}
//! reject biased: 0.05 % too large
__global__ void gemm_biased(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum * 1.0005f;
}
//! reject wrong-output biased: sums in half precision
__global__ void gemm_half(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum = __half2float(__float2half(sum + a[row * k + i] * b[i * n + col]));
  c[row * n + col] = sum;
}
//! reject unwritten-output: the last row is left out
__global__ void gemm_last_row(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row + 1 >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
//! reject misaligned-access out-of-bounds: rows are not aligned to four floats
__global__ void gemm_vector(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; i += 4) {
    float4 four = *reinterpret_cast<const float4 *>(a + row * k + i);
    sum += four.x * b[i * n + col] + four.y * b[(i + 1) * n + col] + four.z * b[(i + 2) * n + col] +
           four.w * b[(i + 3) * n + col];
  }
  c[row * n + col] = sum;
}
//! accept: vector loads where rows are aligned, single ones elsewhere
__global__ void gemm_vector_checked(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  int i = 0;
  if (reinterpret_cast<size_t>(a + row * k) % 16 == 0)
    for (; i + 4 <= k; i += 4) {
      float4 four = *reinterpret_cast<const float4 *>(a + row * k + i);
      sum += four.x * b[i * n + col] + four.y * b[(i + 1) * n + col] + four.z * b[(i + 2) * n + col] +
             four.w * b[(i + 3) * n + col];
    }
  for (; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
//! accept: four partial sums
__global__ void gemm_unrolled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m,
                              int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sums[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= k; i += 4)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      sums[j] += a[row * k + i + j] * b[(i + j) * n + col];
  for (; i < k; ++i)
    sums[0] += a[row * k + i] * b[i * n + col];
  c[row * n + col] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
//! accept: sums in double
__global__ void gemm_double(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  double sum = 0;
  for (int i = 0; i < k; ++i)
    sum += static_cast<double>(a[row * k + i]) * b[i * n + col];
  c[row * n + col] = static_cast<float>(sum);
}
//! accept: two rows a thread, with other blocks
//! steps [{"launch": "gemm_two_rows", "grid": ["ceil_div(n, 32)", "ceil_div(m, 16)"], "block": [32, 8]}]
__global__ void gemm_two_rows(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y * 2;
  if (col >= n || row >= m)
    return;
  bool both = row + 1 < m;
  float first = 0, second = 0;
  for (int i = 0; i < k; ++i) {
    float value = b[i * n + col];
    first += a[row * k + i] * value;
    if (both)
      second += a[(row + 1) * k + i] * value;
  }
  c[row * n + col] = first;
  if (both)
    c[(row + 1) * n + col] = second;
}
//! reject out-of-bounds: two rows a thread, and the last row is not looked after
//! steps [{"launch": "gemm_two_rows_unguarded", "grid": ["ceil_div(n, 32)", "ceil_div(m, 16)"], "block": [32, 8]}]
__global__ void gemm_two_rows_unguarded(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y * 2;
  if (col >= n || row >= m)
    return;
  float first = 0, second = 0;
  for (int i = 0; i < k; ++i) {
    first += a[row * k + i] * b[i * n + col];
    second += a[(row + 1) * k + i] * b[i * n + col];
  }
  c[row * n + col] = first;
  if (row + 1 < m)
    c[(row + 1) * n + col] = second;
}

// Half of k each in a first launch, and the sum of both in a second one.
__global__ void half_products(const float *a, const float *b, float *parts, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || col >= n)
    return;
  int begin = blockIdx.z == 0 ? 0 : k / 2, end = blockIdx.z == 0 ? k / 2 : k;
  float sum = 0;
  for (int i = begin; i < end; ++i)
    sum += a[row * k + i] * b[i * n + col];
  parts[(blockIdx.z * m + row) * n + col] = sum;
}
//! accept: two halves of k in scratch memory, added by a second launch
//! scratch [{"name": "parts", "bytes": "8 * m * n"}]
//! steps [{"launch": "half_products", "grid": ["grid.x", "grid.y", 2]}, {"launch": "add_halves", "grid": ["ceil_div(m * n, 256)"], "block": [256], "arguments": {"count": "m * n"}}]
__global__ void add_halves(const float *parts, float *c, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    c[i] = parts[i] + parts[count + i];
}
//! reject uninitialised-read: the second half of k is never launched
//! scratch [{"name": "parts", "bytes": "8 * m * n"}]
//! steps [{"launch": "half_products", "grid": ["grid.x", "grid.y", 1]}, {"launch": "add_halves_alone", "grid": ["ceil_div(m * n, 256)"], "block": [256], "arguments": {"count": "m * n"}}]
__global__ void add_halves_alone(const float *parts, float *c, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    c[i] = parts[i] + parts[count + i];
}
