// REQUIRES: nvcc
// Kernels of other kinds than the examples are read and tiled as these are: operands that lie otherwise, batches, other element types, windows in
// one to three dimensions, coordinates out of divisions.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright stage-shared-tile > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --no-verify --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include > %t/log
// RUN: FileCheck %s < %t/log
// RUN: %warpwright verify %s %t/kinds.cu --kernel line -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: line -> line_warpwright: accepted
#include <cuda_fp16.h>
#include <warpwright/annotate.h>

//   B transposed: rows of both operands are walked along
// CHECK-LABEL: transposed (
// CHECK: changed   stage-shared-tile col.outputs=8 col.threads=16 row.outputs=8 row.threads=16 stages=2 strip=16
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[n * k]), out(c[m * n]),
                shape(m = 70, n = 45, k = 50), shape(m = 3, n = 5, k = 7), allow(launch_change))
__global__ void transposed(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[col * k + i];
  c[row * n + col] = sum;
}
void launchTransposed(const float *a, const float *b, float *c, int m, int n, int k) {
  transposed<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}

//   batches with strides of their own, and alpha and beta
// CHECK-LABEL: batched (
// CHECK: changed   stage-shared-tile col.outputs=8 col.threads=16 row.outputs=8 row.threads=16 stages=2 strip=16
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16), batch), block(16, 16), in(a[batch * m * k]), in(b[batch * k * n]), inout(c[batch * m * n]),
                shape(batch = 2, m = 37, n = 70, k = 20, alpha = 1.5, beta = 0.5), shape(batch = 1, m = 1, n = 3, k = 2, alpha = 1.5, beta = 0.5), allow(launch_change))
__global__ void batched(const float *a, const float *b, float *c, int batch, int m, int n, int k, float alpha, float beta) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.z;
  if (row < m && col < n) {
    float sum = 0;
    for (int i = 0; i < k; ++i)
      sum += a[z * m * k + row * k + i] * b[z * k * n + i * n + col];
    c[z * m * n + row * n + col] = alpha * sum + beta * c[z * m * n + row * n + col];
  }
}
void launchBatched(const float *a, const float *b, float *c, int batch, int m, int n, int k, float alpha, float beta) {
  batched<<<dim3((n + 15) / 16, (m + 15) / 16, batch), dim3(16, 16)>>>(a, b, c, batch, m, n, k, alpha, beta);
}

//   doubles
// CHECK-LABEL: doubles (
// CHECK: changed   stage-shared-tile col.outputs=4 col.threads=16 row.outputs=4 row.threads=16 stages=2 strip=16
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 70, n = 45, k = 50), shape(m = 3, n = 5, k = 7), allow(launch_change))
__global__ void doubles(const double *a, const double *b, double *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}
void launchDoubles(const double *a, const double *b, double *c, int m, int n, int k) {
  doubles<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}

//   depthwise convolution: no channel is summed over
// CHECK-LABEL: depthwise (
// CHECK: changed   stage-shared-tile col.outputs=1 col.threads=128 row.outputs=8 row.threads=1
KERNEL_OPTIMIZE(grid(ceil_div(w, 16), ceil_div(h, 16), channels), block(16, 16), in(x[channels * h * w]), in(f[channels * 9]), out(y[channels * h * w]),
                shape(channels = 3, h = 37, w = 50), shape(channels = 1, h = 2, w = 3), allow(launch_change))
__global__ void depthwise(const float *x, const float *f, float *y, int channels, int h, int w) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.z;
  if (row >= h || col >= w)
    return;
  float sum = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      int yy = row + dy - 1, xx = col + dx - 1;
      if (yy >= 0 && yy < h && xx >= 0 && xx < w)
        sum += x[(c * h + yy) * w + xx] * f[c * 9 + dy * 3 + dx];
    }
  y[(c * h + row) * w + col] = sum;
}
void launchDepthwise(const float *x, const float *f, float *y, int channels, int h, int w) {
  depthwise<<<dim3((w + 15) / 16, (h + 15) / 16, channels), dim3(16, 16)>>>(x, f, y, channels, h, w);
}

//   one dimension
// CHECK-LABEL: line (
// CHECK: changed   stage-shared-tile i.outputs=4 i.threads=256 strip=32
KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n + taps]), in(f[taps]), out(y[n]), shape(n = 500, taps = 33), shape(n = 7, taps = 3), allow(launch_change))
__global__ void line(const float *x, const float *f, float *y, int n, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int t = 0; t < taps; ++t)
    sum += x[i + t] * f[t];
  y[i] = sum;
}
void launchLine(const float *x, const float *f, float *y, int n, int taps) { line<<<(n + 127) / 128, 128>>>(x, f, y, n, taps); }

//   three dimensions, six neighbours
// CHECK-LABEL: cube (
// CHECK: changed   stage-shared-tile i.outputs=1 i.threads=64 j.outputs=4 j.threads=4
KERNEL_OPTIMIZE(grid(ceil_div(nx, 32), ceil_div(ny, 4), nz), block(32, 4), in(x[nx * ny * nz]), inout(y[nx * ny * nz]),
                shape(nx = 40, ny = 11, nz = 6), shape(nx = 3, ny = 3, nz = 3), allow(launch_change))
__global__ void cube(const float *x, float *y, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1)
    y[(k * ny + j) * nx + i] = 0.4f * x[(k * ny + j) * nx + i] +
                               0.1f * (x[(k * ny + j) * nx + i - 1] + x[(k * ny + j) * nx + i + 1] + x[(k * ny + j - 1) * nx + i] +
                                       x[(k * ny + j + 1) * nx + i] + x[((k - 1) * ny + j) * nx + i] + x[((k + 1) * ny + j) * nx + i]);
}
void launchCube(const float *x, float *y, int nx, int ny, int nz) {
  cube<<<dim3((nx + 31) / 32, (ny + 3) / 4, nz), dim3(32, 4)>>>(x, y, nx, ny, nz);
}

//   a flat launch whose coordinates come from divisions
// CHECK-LABEL: flat (
// CHECK: changed   stage-shared-tile col.outputs=8 col.threads=16 row.outputs=8 row.threads=16 stages=2 strip=16
KERNEL_OPTIMIZE(grid(ceil_div(m * n, 256)), block(256), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 70, n = 45, k = 50), shape(m = 3, n = 5, k = 7), allow(launch_change))
__global__ void flat(const float *a, const float *b, float *c, int m, int n, int k) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= m * n)
    return;
  int row = index / n, col = index % n;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
void launchFlat(const float *a, const float *b, float *c, int m, int n, int k) {
  flat<<<(m * n + 255) / 256, 256>>>(a, b, c, m, n, k);
}
//   half elements, summed in float
// CHECK-LABEL: halves (
// CHECK: changed   stage-shared-tile col.outputs=8 col.threads=16 row.outputs=8 row.threads=16 stages=2 strip=16
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 70, n = 45, k = 50), shape(m = 3, n = 5, k = 7), allow(launch_change))
__global__ void halves(const __half *a, const __half *b, __half *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    float sum = 0;
    for (int i = 0; i < k; ++i)
      sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);
    c[row * n + col] = __float2half(sum);
  }
}
void launchHalves(const __half *a, const __half *b, __half *c, int m, int n, int k) {
  halves<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
