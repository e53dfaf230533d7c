// Loops whose turns are points: threads that go down the rows of a block's points, and through the whole grid. Variables
// that are divided step by step.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright transpose-through-shared > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include > %t.log
// RUN: FileCheck --input-file=%t/loops.cu %s
// RUN: %warpwright verify %s %t/loops.cu --kernel rows -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/loops.cu --kernel stepwise -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: FileCheck --check-prefix=DECLINE --input-file=%t.log %s
#include <warpwright/annotate.h>

// SAME: {{rows|stepwise}}{{.*}}: accepted

// The launch stays, since the block's points are a tile already.
// CHECK-LABEL: {{^}}__global__ void rows(
// CHECK:      __shared__ float tile[32][32 + 1];
// CHECK:      for (int j = 0; j < 32; j += 8) {
// CHECK-NEXT:   int x = x0 + threadIdx.x;
// CHECK-NEXT:   int y = blockIdx.y * 32 + threadIdx.y;
// CHECK-NEXT:   int from = x + width * y;
// CHECK-NEXT:   tile[threadIdx.y + j][threadIdx.x] = in[from + j * width];
// CHECK:        int x = x0 + threadIdx.y + j;
// CHECK-NEXT:   int y = blockIdx.y * 32 + (threadIdx.x % 8);
// CHECK-NEXT:   int to = y + height * x;
// CHECK-NEXT:   out[to + (threadIdx.x % 32 / 8 * 8)] = tile[threadIdx.x][threadIdx.y + j];
KERNEL_OPTIMIZE(grid(width / 32, height / 32), block(32, 8), require(width % 32 == 0 && height % 32 == 0),
                in(in[width * height]), out(out[width * height]), shape(width = 64, height = 32),
                shape(width = 32, height = 96), tolerance(exact),
                forbid(bound-launch, qualify-restrict, reorder-blocks, unroll-loop, vectorise-access))
__global__ void rows(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  int from = x + width * y;
  int to = y + height * x;
  for (int i = 0; i < 32; i += 8)
    out[to + i] = in[from + i * width];
}

// CHECK-LABEL: {{^}}__global__ void stepwise_warpwright(
// CHECK:      const long long c0 = blockIdx.x % cBlocks * 64;
// CHECK:      const long long p0 = block % pBlocks * 64;
// CHECK:        size_t i = (n0 * channels + c0 + threadIdx.y + j) * points + p0 + threadIdx.x + i2;
// CHECK:        int p = p0 + threadIdx.y + j;
// CHECK-NEXT:   int c = c0 + threadIdx.x + i2;
// CHECK-NEXT:   int n = n0;
// CHECK-NEXT:   out[(n * points + p) * channels + c] = tile[
KERNEL_OPTIMIZE(grid(ceil_div(images * channels * points, 256)), block(256), in(in[images * channels * points]),
                out(out[images * channels * points]), shape(images = 2, channels = 40, points = 50),
                shape(images = 1, channels = 3, points = 70), tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block))
__global__ void stepwise(const short *in, short *out, int images, int channels, int points) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)images * channels * points) return;
  size_t rest = i;
  int p = rest % points;
  rest /= points;
  int c = rest % channels;
  rest /= channels;
  int n = rest;
  out[(n * points + p) * channels + c] = in[i];
}

// CHECK-LABEL: {{^}}__global__ void strided_warpwright(
// CHECK-NOT:  gridDim
// CHECK:      if (column0 + threadIdx.x + i2 < columns && (row0 + threadIdx.y + j) * columns + column0 + threadIdx.x + i2 < n) {
KERNEL_OPTIMIZE(grid(min(ceil_div(n, 256), 4)), block(256), in(in[n]), out(out[n]), require(n == rows * columns),
                shape(n = 12000, rows = 120, columns = 100), tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, vectorise-access, unroll-loop))
__global__ void strided(const float *in, float *out, int n, int rows, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int row = i / columns, column = i % columns;
    out[column * rows + row] = 2.0f * in[i];
  }
}

// One turn needs what another made: there are no points.
// DECLINE-LABEL: carried (
// DECLINE-NOT: transpose-through-shared
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]), shape(n = 64))
__global__ void carried(const float *in, float *out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float sum = 0.0f;
  for (int i = 0; i < 32; i += 8) {
    sum += in[x + n * (y + i)];
    out[y + i + n * x] = sum;
  }
}

void launch(const float *in, float *out, int n, int m, const short *from, short *to, int images, int channels) {
  rows<<<dim3(n / 32, m / 32), dim3(32, 8)>>>(in, out, n, m);
  stepwise<<<(images * channels * n + 255) / 256, 256>>>(from, to, images, channels, n);
  strided<<<min((n + 255) / 256, 4), 256>>>(in, out, n, m, images);
}
