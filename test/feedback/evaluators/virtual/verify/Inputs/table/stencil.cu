#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(width, 16), ceil_div(height, 8)), block(16, 8), in(in[width * height]),
                out(out[width * height]), shape(width = 1024, height = 1024), shape(width = 100, height = 37),
                shape(width = 16, height = 64), require(width > 0 && height > 0), allow(launch_change))
__global__ void stencil(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float left = x > 0 ? in[y * width + x - 1] : 0, right = x + 1 < width ? in[y * width + x + 1] : 0;
  float up = y > 0 ? in[(y - 1) * width + x] : 0, down = y + 1 < height ? in[(y + 1) * width + x] : 0;
  out[y * width + x] = in[y * width + x] + (left + right) + (up + down);
}

template <bool Barrier, bool Halo> __device__ void staged(const float *in, float *out, int width, int height) {
  __shared__ float tile[10][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  auto value = [&](int u, int v) { return u >= 0 && u < width && v >= 0 && v < height ? in[v * width + u] : 0.0f; };
  tile[threadIdx.y + 1][threadIdx.x + 1] = value(x, y);
  if (threadIdx.x == 0)
    tile[threadIdx.y + 1][0] = value(x - 1, y);
  if (threadIdx.x == 15)
    tile[threadIdx.y + 1][17] = Halo ? value(x + 1, y) : 0;
  if (threadIdx.y == 0)
    tile[0][threadIdx.x + 1] = value(x, y - 1);
  if (threadIdx.y == 7)
    tile[9][threadIdx.x + 1] = value(x, y + 1);
  if (Barrier)
    __syncthreads();
  if (x >= width || y >= height)
    return;
  const auto *at = &tile[threadIdx.y + 1][threadIdx.x + 1];
  out[y * width + x] = at[0] + (at[-1] + at[1]) + (at[-18] + at[18]);
}
//! accept: staged in shared memory
__global__ void stencil_staged(const float *in, float *out, int width, int height) {
  staged<true, true>(in, out, width, height);
}
//! reject shared-race uninitialised-read: the barrier after staging is lost
__global__ void stencil_no_barrier(const float *in, float *out, int width, int height) {
  staged<false, true>(in, out, width, height);
}
//! reject wrong-output: the right halo is zero, right for one block
__global__ void stencil_no_halo(const float *in, float *out, int width, int height) {
  staged<true, false>(in, out, width, height);
}
//! reject out-of-bounds: the edge is not looked after
__global__ void stencil_no_edge(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const float *at = in + y * width + x;
  out[y * width + x] = at[0] + (at[-1] + at[1]) + (at[-width] + at[width]);
}
//! reject out-of-bounds: neighbours are loaded before it is known whether they exist, and then not used
__global__ void stencil_eager(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  const volatile float *at = in + y * width + x;
  float left = at[-1], right = at[1], up = at[-width], down = at[width];
  left = x > 0 ? left : 0;
  right = x + 1 < width ? right : 0;
  up = y > 0 ? up : 0;
  down = y + 1 < height ? down : 0;
  out[y * width + x] = at[0] + (left + right) + (up + down);
}
//! reject wrong-output: edges repeat instead of being zero
__global__ void stencil_clamped(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float left = in[y * width + max(x - 1, 0)], right = in[y * width + min(x + 1, width - 1)];
  float up = in[max(y - 1, 0) * width + x], down = in[min(y + 1, height - 1) * width + x];
  out[y * width + x] = in[y * width + x] + (left + right) + (up + down);
}
//! reject wrong-output zero-sign: summed in another order, which nothing allows
__global__ void stencil_reordered(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float left = x > 0 ? in[y * width + x - 1] : 0, right = x + 1 < width ? in[y * width + x + 1] : 0;
  float up = y > 0 ? in[(y - 1) * width + x] : 0, down = y + 1 < height ? in[(y + 1) * width + x] : 0;
  out[y * width + x] = (((in[y * width + x] + left) + right) + up) + down;
}
//! reject block-race uninitialised-read: reads the output of its neighbours
__global__ void stencil_in_place(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  out[y * width + x] = in[y * width + x];
  __syncthreads();
  float left = x > 0 ? out[y * width + x - 1] : 0, right = x + 1 < width ? out[y * width + x + 1] : 0;
  float up = y > 0 ? out[(y - 1) * width + x] : 0, down = y + 1 < height ? out[(y + 1) * width + x] : 0;
  __syncthreads();
  out[y * width + x] = in[y * width + x] + (left + right) + (up + down);
}
//! accept: four rows a thread
//! steps [{"launch": "stencil_rows", "grid": ["ceil_div(width, 32)", "ceil_div(height, 4)"], "block": [32]}]
__global__ void stencil_rows(const float *__restrict__ in, float *__restrict__ out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  if (x >= width)
    return;
  for (int y = blockIdx.y * 4; y < height && y < blockIdx.y * 4 + 4; ++y) {
    float left = x > 0 ? __ldg(&in[y * width + x - 1]) : 0, right = x + 1 < width ? __ldg(&in[y * width + x + 1]) : 0;
    float up = y > 0 ? in[(y - 1) * width + x] : 0, down = y + 1 < height ? in[(y + 1) * width + x] : 0;
    out[y * width + x] = in[y * width + x] + (left + right) + (up + down);
  }
}
//! accept: axes of the grid swapped
//! steps [{"launch": "stencil_swapped", "grid": ["grid.y", "grid.x"]}]
__global__ void stencil_swapped(const float *in, float *out, int width, int height) {
  int x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float left = x > 0 ? in[y * width + x - 1] : 0, right = x + 1 < width ? in[y * width + x + 1] : 0;
  float up = y > 0 ? in[(y - 1) * width + x] : 0, down = y + 1 < height ? in[(y + 1) * width + x] : 0;
  out[y * width + x] = in[y * width + x] + (left + right) + (up + down);
}
