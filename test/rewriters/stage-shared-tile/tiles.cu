// REQUIRES: nvcc
// Kernels that read the same elements for many outputs get them from shared memory, whatever the layout, the types and
// the way in which they count their outputs. Shapes are multiples of nothing.
//
// RUN: rm -rf %t && %warpwright optimize %s --choose-any --candidates-dir %t --output-dir %t.out -- -arch=sm_90 -I%source_dir/include
// RUN: FileCheck --check-prefix=PRODUCT --input-file="%t/product/stage-shared-tile_col_outputs=4_col_threads=16_row_outputs=4_row_threads=16_stages=2_strip=16.cu" %s
// RUN: %warpwright verify %s "%t/product/stage-shared-tile_col_outputs=4_col_threads=16_row_outputs=4_row_threads=16_stages=2_strip=16.cu" --kernel product -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: FileCheck --check-prefix=FLAT --input-file="%t/flat/stage-shared-tile_c_outputs=2_c_threads=16_r_outputs=2_r_threads=16_strip=32.cu" %s
// RUN: %warpwright verify %s "%t/flat/stage-shared-tile_c_outputs=2_c_threads=16_r_outputs=2_r_threads=16_strip=32.cu" --kernel flat -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: FileCheck --check-prefix=TURNED --input-file="%t/turned/stage-shared-tile_c_outputs=4_c_threads=8_r_outputs=1_r_threads=32.cu" %s
// RUN: FileCheck --check-prefix=CROSS --input-file="%t/cross/stage-shared-tile_col_outputs=1_col_threads=32_row_outputs=4_row_threads=8.cu" %s
// RUN: FileCheck --check-prefix=PADDED --input-file="%t/padded/stage-shared-tile_col_outputs=2_col_threads=16_o_outputs=4_o_threads=2_row_outputs=1_row_threads=8_strip=4.cu" %s
// RUN: %warpwright verify %s "%t/padded/stage-shared-tile_col_outputs=2_col_threads=16_o_outputs=4_o_threads=2_row_outputs=1_row_threads=8_strip=4.cu" --kernel padded -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: accepted
#include <warpwright/annotate.h>

// PRODUCT: {{^}}__global__ void __launch_bounds__(256) product_warpwright(
// PRODUCT: __shared__ __align__(16) float aTile[2][iStrip][rowTile + 4];
// PRODUCT-NEXT: const bool aIsAligned = k % 4 == 0 && reinterpret_cast<size_t>(a) % 16 == 0;
// PRODUCT: const auto fetch = [&](int iBegin) {
// PRODUCT: const bool isInside = row < m && i < k;
// PRODUCT: if (isInside && aIsAligned) {
// PRODUCT-NEXT: aNext = *reinterpret_cast<const float4 *>(&a[row * k + i]);
// PRODUCT: aTile[buffer][element % iStrip + 3][element / iStrip] = aNext.w;
// PRODUCT: sum[colStep][rowStep] += aTile[buffer][iStep][rowOffset] * bTile[buffer][iStep][colOffset];
// PRODUCT: keep(buffer ^ 1);
// PRODUCT-NEXT: __syncthreads();
// PRODUCT: if (row < m && col < n) {
// PRODUCT-NEXT: c[row * n + col] = alpha * sum[colStep][rowStep] + c[row * n + col];
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), inout(c[m * n]),
                shape(m = 65, n = 33, k = 37, alpha = 0.5), tolerance(rel = 1e-3), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, unroll-loop, vectorise-access))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k, float alpha) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i)
      sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + c[row * n + col];
  }
}
void launchProduct(const float *a, const float *b, float *c, int m, int n, int k, float alpha) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k, alpha);
}

// The coordinates come out of a flat index, B is transposed, indices are 64 bits wide.
// FLAT: {{^}}KERNEL_OPTIMIZE(grid(ceil_div(n, 32) * ceil_div(m, 32)), block(256),
// FLAT: const int cBlocks = (n + cTile - 1) / cTile;
// FLAT: const int cBegin = blockIdx.x % cBlocks * cTile;
// FLAT: const int rBegin = (blockIdx.x / cBlocks) * rTile;
// FLAT: const long long c = cBegin + element / iStrip;
// FLAT-NEXT: const long long i = iBegin + element % iStrip;
// FLAT: const int at = r * n + c;
KERNEL_OPTIMIZE(grid(ceil_div(m * n, 256)), block(256), in(a[m * k]), in(b[n * k]), out(out[m * n]),
                shape(m = 33, n = 17, k = 19), tolerance(rel = 1e-9), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, unroll-loop, vectorise-access))
__global__ void flat(const double *a, const double *b, double *out, int m, int n, int k) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= m * n)
    return;
  int r = at / n, c = at % n;
  const double *mine = a + (size_t)r * k;
  double sum = 0;
  for (int i = 0; i <= k - 1; i++)
    sum += mine[i] * b[(size_t)c * k + i];
  out[at] = sum;
}
void launchFlat(const double *a, const double *b, double *out, int m, int n, int k) {
  flat<<<(m * n + 255) / 256, 256>>>(a, b, out, m, n, k);
}

// Nothing is read twice, but lanes would write a column apart: elements turn round in shared memory.
// TURNED: {{^}}__global__ void __launch_bounds__(256) turned_warpwright(
// TURNED: __shared__ __align__(16) float inTile[cTile][rTile + 1];
// TURNED: out[c * rows + r] = inTile[cOffset][rInTile];
KERNEL_OPTIMIZE(grid(ceil_div(cols, 32), ceil_div(rows, 8)), block(32, 8), in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 33, cols = 31), tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, swap-thread-axes))
__global__ void turned(const float *in, float *out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols)
    out[c * rows + r] = in[r * cols + c];
}
void launchTurned(const float *in, float *out, int rows, int cols) {
  turned<<<dim3((cols + 31) / 32, (rows + 7) / 8), dim3(32, 8)>>>(in, out, rows, cols);
}

// Five reads share one box, whose corners nobody reads: the annotation's extent is what allows it.
// CROSS: {{^}}__global__ void __launch_bounds__(256) cross_warpwright(
// CROSS: __shared__ __align__(16) float inTile[rowTile + 2][colTile + 2];
// CROSS: const bool isInside = rowAt >= 0 && rowAt < n && colAt >= 0 && colAt < n;
// CROSS: out[row * n + col] = inTile[rowOffset + 1][colInTile + 1] + inTile[rowOffset][colInTile + 1] +
KERNEL_OPTIMIZE(grid(ceil_div(n, 32), ceil_div(n, 8)), block(32, 8), in(in[n * n]), inout(out[n * n]), shape(n = 37),
                tolerance(rel = 1e-5), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block))
__global__ void cross(const float *in, float *out, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row > 0 && row < n - 1 && col > 0 && col < n - 1)
    out[row * n + col] = in[row * n + col] + in[(row - 1) * n + col] +
                         in[(row + 1) * n + col] + in[row * n + col - 1] + in[row * n + col + 1];
}
void launchCross(const float *in, float *out, int n) {
  cross<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(in, out, n);
}

// What lies outside of the image is zero in the tile. That stands for the guard unless a weight is infinite.
// PADDED: {{^}}__global__ void __launch_bounds__(256) padded_warpwright(
// PADDED: __shared__ __align__(16) float xTile[cStrip][rowTile + 2][colTile + 2 + 2];
// PADDED: const bool isInside = c < channels && rowAt >= 0 && rowAt < h && colAt >= 0 && colAt < w;
// PADDED: if (!isfinite(value))
// PADDED-NEXT: atomicOr(&isOdd, 1);
// PADDED: if (isOdd == 0) {
// PADDED-NOT: yy
// PADDED: else {
// PADDED: if (yy >= 0 && yy < h && xx >= 0 && xx < w) {
KERNEL_OPTIMIZE(grid(ceil_div(w, 16), ceil_div(h, 16), outputs), block(16, 16), in(x[channels * h * w]),
                in(weight[outputs * channels * 9]), out(y[outputs * h * w]), shape(channels = 5, outputs = 9, h = 11, w = 35),
                tolerance(rel = 1e-3), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, unroll-loop, vectorise-access))
__global__ void padded(const float *x, const float *weight, float *y, int channels, int outputs, int h, int w) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (col >= w || row >= h)
    return;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        int yy = row + dy, xx = col + dx;
        if (yy >= 0 && yy < h && xx >= 0 && xx < w)
          sum += x[(c * h + yy) * w + xx] * weight[((o * channels + c) * 3 + dy + 1) * 3 + dx + 1];
      }
  y[(o * h + row) * w + col] = sum;
}
void launchPadded(const float *x, const float *weight, float *y, int channels, int outputs, int h, int w) {
  padded<<<dim3((w + 15) / 16, (h + 15) / 16, outputs), dim3(16, 16)>>>(x, weight, y, channels, outputs, h, w);
}
