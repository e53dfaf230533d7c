// REQUIRES: nvcc, clang-tidy
// RUN: %three_doors --fix --arch sm_86 %s
// What each rule finds where a change goes with it: all doors find it, each makes its change, then none of them finds it any more,
// and nvcc compiles the result.
#include <warpwright/annotate.h>
#include <cstdio>
#include <cstdlib>

// rule: bank-conflict
KERNEL_OPTIMIZE(grid(1), block(32, 32), in(in[n * n]), out(out[n * n]), shape(n = 32))
__global__ void bank_conflict(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // finding: bank-conflict: 'tile' takes 32 wavefronts
}

// rule: divergent-branch
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(x[n]), out(y[n]), shape(n = 65536))
__global__ void divergent_branch(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  if (threadIdx.x % 2 == 0) // finding: divergent-branch: lanes of a warp disagree
    y[i] = (v * 2.0f + 1.0f) * (v - 4.0f) * v;
  else
    y[i] = (v * v - 3.0f) * (v + 2.0f) + 0.5f;
}

// rule: double-in-float-code
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(x[n]), out(y[n]), shape(n = 4096), allow(fast_math))
__global__ void double_in_float_code(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i] * 0.1; // finding: double-in-float-code: a double literal
}

// rule: index-overflow
KERNEL_OPTIMIZE(grid(n / 32, n / 8), block(32, 8), out(y[n * n]), shape(n = 65536))
__global__ void index_overflow(float *y, int n) {
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  y[row * n + col] = 1; // finding: index-overflow: overflows int
}

// rule: integer-division-in-loop
KERNEL_OPTIMIZE(grid(4), block(256), in(weight[n]), in(column[width * 1024]), out(y[1024]), shape(n = 4096, width = 100))
__global__ void integer_division_in_loop(const float *__restrict__ weight, const float *__restrict__ column,
                                         float *__restrict__ y, int n, int width) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += weight[i / width] * column[(i % width) * 1024 + threadIdx.x]; // finding: integer-division-in-loop: by 'width'
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}

// rule: missing-restrict
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024 * n]), shape(n = 64))
__global__ void missing_restrict(const float *in, float *out, int n) { // finding: missing-restrict: 'in' and 'out' may overlap
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[k * 1024 + i] = in[k * 1024 + i] * 2;
}

// rule: redundant-barrier
KERNEL_OPTIMIZE(grid(4), block(64), in(in[256]), out(out[256]), shape(n = 64))
__global__ void redundant_barrier(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads(); // finding: redundant-barrier: it orders nothing
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x] * n;
}

// rule: redundant-copy
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024]), out(out[65536]), shape(n = 64))
__global__ void redundant_copy(const float *__restrict__ in, float *__restrict__ out, int n) {
  __shared__ float mine[256];
  mine[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x]; // finding: redundant-copy: 'mine'
  __syncthreads();
  for (int k = 0; k < n; ++k)
    out[k * 1024 + blockIdx.x * 256 + threadIdx.x] = mine[threadIdx.x] * k;
}

// rule: redundant-global-load
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(first[n]), out(second[n]), shape(n = 65536))
__global__ void redundant_global_load(const float *in, float *first, float *second, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  first[i] = in[i] * 2;
  second[i] = in[i] + 1; // finding: redundant-global-load: this element of 'in' was loaded before
}

// rule: scalar-access-vectorisable
struct Particle {
  float x, y, z, mass;
};
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(out[n]), aligned(in, 16), shape(n = 65536))
__global__ void scalar_access_vectorisable(const Particle *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i].mass * (in[i].x + in[i].y + in[i].z); // finding: scalar-access-vectorisable: 4 accesses of 4 bytes
}

// rule: serialised-atomics
KERNEL_OPTIMIZE(grid(n / 256), block(256), require(n % 256 == 0), in(in[n]), inout(sum[1]), shape(n = 65536), allow(reassociate))
__global__ void serialised_atomics(const float *__restrict__ in, float *__restrict__ sum, int n) {
  atomicAdd(sum, in[blockIdx.x * 256 + threadIdx.x]); // finding: serialised-atomics: 32 lanes of a warp to one address
}

// rule: single-thread-section
KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), out(y[rows * cols]), shape(rows = 64, cols = 1024), allow(reassociate))
__global__ void single_thread_section(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += x[blockIdx.x * cols + c];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { // finding: single-thread-section: one thread does 255 loads
    for (int t = 1; t < blockDim.x; ++t)
      sums[0] += sums[t];
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] / sums[0];
}

// rule: unchecked-api-call
#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if (cudaError_t error = (call); error != cudaSuccess) {                                                            \
      std::printf("%s\n", cudaGetErrorString(error));                                                                 \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)
void unchecked_api_call(float **x) {
  CHECK(cudaMalloc(x, 256));
  if (*x)
    cudaMemset(*x, 0, 128); // finding: unchecked-api-call: what 'cudaMemset' returns is dropped
  cudaMemset(*x + 32, 1, 128); // finding: unchecked-api-call: what 'cudaMemset' returns is dropped
}

// rule: unchecked-launch
__global__ void scale(float *x) { x[threadIdx.x] *= 2; }
int main() {
  float *x = nullptr;
  CHECK(cudaMalloc(&x, 256));
  scale<<<1, 64>>>(x); // finding: unchecked-launch: nothing after this launch of 'scale'
}

// rule: uncoalesced-access
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 32), require(n % 32 == 0), in(in[n * n]), out(out[n * n]), shape(n = 1024))
__global__ void uncoalesced_access(const float *__restrict__ in, float *__restrict__ out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[y * n + x] = in[x * n + y]; // finding: uncoalesced-access: load of 'in' moves 32 sectors
}

// rule: unsigned-wrap
KERNEL_OPTIMIZE(grid(4), block(128), in(x[512]), out(y[512]), shape(n = 512))
__global__ void unsigned_wrap(const float *x, float *y, int n) {
  y[threadIdx.x] = x[threadIdx.x] + float(threadIdx.x - blockDim.x / 2); // finding: unsigned-wrap: is -64 in thread 0
  if (n - blockDim.x < 0) // finding: unsigned-wrap: always false
    y[0] = 0;
}
