// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors %s
// RUN: %nvcc -arch=sm_90 -I%source_dir/include -c %s -o %t.o
// What each rule finds where no change goes with it, and the same mended by hand: all doors find the first and are silent on the
// second.
#include <warpwright/annotate.h>
#include <cstdlib>
#include <vector>

// rule: divergent-barrier
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void divergent_barrier(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x < 40) {
    __syncthreads(); // finding: divergent-barrier: 8 of 32 lanes
    y[threadIdx.x] = s[127 - threadIdx.x];
  }
  y[blockIdx.x * 128 + threadIdx.x] += 1;
}
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void common_barrier(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 40)
    y[threadIdx.x] = s[127 - threadIdx.x];
}

// rule: divergent-loop
KERNEL_OPTIMIZE(grid(n), block(32), inout(a[n * 1024]), shape(n = 64))
__global__ void divergent_loop(float *a, int n) {
  float sum = 0.0f;
  for (int j = 0; j < threadIdx.x; ++j) // finding: divergent-loop: lanes of a warp leave this loop in different iterations
    sum += a[blockIdx.x * 1024 + j * 32 + threadIdx.x];
  a[blockIdx.x * 1024 + threadIdx.x] = sum;
}
KERNEL_OPTIMIZE(grid(n), block(32), inout(a[n * 1024]), shape(n = 64))
__global__ void whole_rows(float *a, int n) {
  float sum = 0.0f;
  for (int j = 0; j < 32; ++j)
    sum += a[blockIdx.x * 1024 + j * 32 + threadIdx.x];
  a[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// rule: host-pointer-argument
__global__ void scale(float *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] *= 2;
}
cudaError_t host_pointer_argument(std::vector<float> &v) {
  scale<<<1, 64>>>(v.data(), 64); // finding: host-pointer-argument: the elements of the std::vector 'v'
  return cudaGetLastError();
}
cudaError_t device_pointer(std::vector<float> &v) {
  float *x = nullptr;
  if (cudaError_t error = cudaMalloc(&x, 256); error != cudaSuccess)
    return error;
  if (cudaError_t error = cudaMemcpy(x, v.data(), 256, cudaMemcpyDefault); error != cudaSuccess)
    return error;
  scale<<<1, 64>>>(x, 64);
  return cudaGetLastError();
}

// rule: local-array
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[16384]), shape(n = 64))
__global__ void local_array(const int *in, int *out, int n) {
  int mine[16] = {}; // finding: local-array: 64 bytes a thread
  for (int k = 0; k < n; ++k)
    mine[in[k * 1024 + threadIdx.x] & 15] += 1;
  for (int k = 0; k < 16; ++k)
    out[k * 1024 + blockIdx.x * 256 + threadIdx.x] = mine[k];
}
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[16384]), shape(n = 64))
__global__ void registers(const int *in, int *out, int n) {
  int mine[16] = {};
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int j = 0; j < 16; ++j)
      mine[j] += (in[k * 1024 + threadIdx.x] & 15) == j;
#pragma unroll
  for (int k = 0; k < 16; ++k)
    out[k * 1024 + blockIdx.x * 256 + threadIdx.x] = mine[k];
}

// rule: low-ilp
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), out(y[n * 128]), shape(n = 132))
__global__ void low_ilp(float *__restrict__ y, int n) {
  extern __shared__ float tile[];
  float s = 0.0f;
  for (int i = threadIdx.x; i < 51200; i += 128)
    s = sqrtf(s + tile[i]); // finding: low-ilp
  y[blockIdx.x * 128 + threadIdx.x] = s;
}
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), out(y[n * 128]), shape(n = 132))
__global__ void four_chains(float *__restrict__ y, int n) {
  extern __shared__ float tile[];
  float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
  for (int i = threadIdx.x; i < 51200; i += 512) {
    a = sqrtf(a + tile[i]);
    b = sqrtf(b + tile[i + 128]);
    c = sqrtf(c + tile[i + 256]);
    d = sqrtf(d + tile[i + 384]);
  }
  y[blockIdx.x * 128 + threadIdx.x] = a + b + c + d;
}

// rule: misaligned-access
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 1]), out(out[n]), shape(n = 1024))
__global__ void misaligned_access(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x + 1]; // finding: misaligned-access: load of 'in' starts off
}
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 8]), out(out[n]), shape(n = 1024))
__global__ void aligned_access(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x + 8];
}

// rule: missing-barrier
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void missing_barrier(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[127 - threadIdx.x]; // finding: missing-barrier: what thread 63 reads here
}
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void with_barrier(const float *x, float *y, int n) {
  __shared__ float s[128];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[127 - threadIdx.x];
}

// rule: no-reuse-staging
KERNEL_OPTIMIZE(grid(n / 16, n / 16), block(16, 16), require(n % 16 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 256))
__global__ void no_reuse_staging(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + col]; // finding: no-reuse-staging: each element of 'a'
  // finding@-1: no-reuse-staging: each element of 'b'
  c[row * n + col] = sum;
}
KERNEL_OPTIMIZE(grid(n / 16, n / 16), block(16, 16), require(n % 16 == 0), in(a[n * n]), in(b[n * n]), out(c[n * n]), shape(n = 256))
__global__ void staged(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float rows[16][17], columns[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < n; begin += 16) {
    rows[threadIdx.y][threadIdx.x] = a[row * n + begin + threadIdx.x];
    columns[threadIdx.y][threadIdx.x] = b[(begin + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum += rows[threadIdx.y][k] * columns[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// rule: partial-warp-exchange
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void partial_warp_exchange(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffffffu, v, 8); // finding: partial-warp-exchange: its mask names 32
  y[threadIdx.x] = v;
}
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void own_mask(const float *x, float *y, int n) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffu, v, 8);
  y[threadIdx.x] = v;
}

