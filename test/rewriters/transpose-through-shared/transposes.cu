// REQUIRES: nvcc
// Transposes and permutations through a tile in shared memory: with the launch as it is, and with a launch of their own.
//
// RUN: rm -rf %t && %warpwright optimize %s --no-verify --output-dir %t --candidates-dir %t/all -- -arch=sm_90 -I%source_dir/include > %t.log
// RUN: FileCheck --check-prefix=KEPT --input-file=%t/all/kept/transpose-through-shared_across=16_down=16_threads=256.cu %s
// RUN: FileCheck --check-prefix=SUM --input-file=%t/all/sum/transpose-through-shared_across=32_down=32_threads=256.cu %s
// RUN: FileCheck --check-prefix=FLAT --input-file=%t/all/flat/transpose-through-shared_across=4_down=256_threads=256.cu %s
// RUN: %warpwright verify %s %t/all/kept/transpose-through-shared_across=16_down=16_threads=256.cu --kernel kept -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %warpwright verify %s %t/all/flat/transpose-through-shared_across=4_down=256_threads=256.cu --kernel flat -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <warpwright/annotate.h>

// SAME: {{kept|flat}}{{.*}}: accepted

// The block is a square, and each of its points goes to the thread across.
// KEPT-LABEL: {{^}}__global__ void kept(
// KEPT:      __shared__ double tile[16][16 + 1];
// KEPT:        int c = blockIdx.x * blockDim.x + threadIdx.x;
// KEPT:        if (r < rows && c < cols) {
// KEPT-NEXT:     double v = 2.0 * in[r * cols + c];
// KEPT-NEXT:     tile[threadIdx.y][threadIdx.x] = v;
// KEPT:      {{^}}  __syncthreads();
// KEPT:        const int thread = threadIdx.y * 16 + threadIdx.x;
// KEPT-NEXT:   const int lane = thread % 16, row = thread / 16;
// KEPT-NEXT:   int c = blockIdx.x * 16 + row;
// KEPT-NEXT:   int r = blockIdx.y * 16 + lane;
// KEPT-NEXT:   if (r < rows && c < cols) {
// KEPT-NEXT:     out[c * rows + r] = tile[lane][row];
KERNEL_OPTIMIZE(grid(ceil_div(cols, 16), ceil_div(rows, 16)), block(16, 16), in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 64, cols = 48), shape(rows = 17, cols = 5), tolerance(exact),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, pad-shared-array, swap-thread-axes))
__global__ void kept(const double *in, double *out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols)
    return;
  double v = 2.0 * in[r * cols + c];
  out[c * rows + r] = v;
}

// Only one of two operands runs across: it alone is staged.
// SUM-LABEL: {{^}}__global__ void sum_warpwright(
// SUM:      __shared__ float tile[32][32 + 1];
// SUM:      const int x0 = blockIdx.x * 32;
// SUM:      for (int j = 0; j < 32; j += 8) {
// SUM-NEXT:   int x = x0 + threadIdx.y + j, y = y0 + threadIdx.x;
// SUM-NEXT:   if (x < n && y < n) {
// SUM-NEXT:     tile[threadIdx.y + j][threadIdx.x] = b[x * n + y];
// SUM:      int here = y * n + x;
// SUM-NEXT: c[here] += a[here] + 3.0f * tile[threadIdx.x][threadIdx.y + j];
// SUM:      sum_warpwright<<<dim3((n + 31LL) / 32, (n + 31LL) / 32), dim3(32, 8)>>>(a, b, c, n);
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(a[n * n]), in(b[n * n]), inout(c[n * n]),
                shape(n = 64), shape(n = 37), tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, pad-shared-array, swap-thread-axes))
__global__ void sum(const float *a, const float *b, float *c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int here = y * n + x;
  c[here] += a[here] + 3.0f * b[x * n + y];
}

// One number a thread, taken apart into coordinates: they become the blocks' and the threads' own.
// FLAT-LABEL: {{^}}__global__ void flat_warpwright(
// FLAT:      __shared__ unsigned char tile[256][4
// FLAT:      const int p0 = blockIdx.x % pBlocks * 256;
// FLAT:      const int c0 = block % cBlocks * 4;
// FLAT-NEXT: const int n0 = block / cBlocks;
// FLAT:      if (c0 + threadIdx.x % 4 < channels && p0 + threadIdx.x / 4 + j < pixels) {
// FLAT-NEXT:   int i = (n0 * pixels + p0 + threadIdx.x / 4 + j) * channels + c0 + threadIdx.x % 4;
// FLAT-NEXT:   if (i < images * pixels * channels) {
// FLAT:      int p = p0 + threadIdx.x % 64 + i2;
// FLAT:      flat_warpwright<<<(n + 255LL) / 256 * ((channels + 3LL) / 4) * n, 256>>>(bytes, planes, n, n, channels);
KERNEL_OPTIMIZE(grid(ceil_div(images * pixels * channels, 128)), block(128), in(in[images * pixels * channels]),
                out(out[images * pixels * channels]), shape(images = 2, pixels = 300, channels = 3),
                shape(images = 1, pixels = 7, channels = 5), tolerance(exact), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block, pad-shared-array, swap-thread-axes))
__global__ void flat(const unsigned char *in, unsigned char *out, int images, int pixels, int channels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < images * pixels * channels) {
    int c = i % channels;
    int p = i / channels % pixels;
    int n = i / (channels * pixels);
    out[(n * channels + c) * pixels + p] = in[i];
  }
}

void launch(const float *a, const float *b, float *c, int n, const double *in, double *out, const unsigned char *bytes,
            unsigned char *planes, int channels) {
  kept<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(in, out, n, n);
  sum<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
  int total = n * n * channels;
  flat<<<(total + 127) / 128, 128>>>(bytes, planes, n, n, channels);
}
