// REQUIRES: nvcc
// Trees in shared memory, however they are written: the fold in slot 0 comes from shuffles, with one slot a warp.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright shuffle-reduction > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/trees.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/trees.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/trees.cubin %t/trees.cu
#include <warpwright/annotate.h>

//   slot[t] = x; barrier; for stride = 1, 2, 4 ..: if t % (2 stride) == 0: slot[t] += slot[t + stride]; barrier
// Only thread 0 reads the sum, so the last barrier goes as well.
// CHECK-LABEL: interleaved (
// CHECK: changed   shuffle-reduction, line {{.*}}: 'partial' holds one value a warp from now on
// CHECK: changed   shuffle-reduction, line {{.*}}: a tree folds 'partial'
// TEXT-LABEL: void interleaved(
// TEXT: __shared__ float partial[256 / 32];
// TEXT: // Each warp folds its values by shuffles; the block waits for one slot a warp.
// TEXT-NEXT: float warpSum = i < n ? in[i] : 0.0f;
// TEXT-NEXT: for (int offset = 16; offset > 0; offset /= 2) {
// TEXT-NEXT: warpSum += __shfl_down_sync(0xffffffff, warpSum, offset);
// TEXT-NEXT: }
// TEXT-NEXT: if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = warpSum;
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: if (threadIdx.x < 8) {
// TEXT-NEXT: warpSum = partial[threadIdx.x];
// TEXT-NEXT: for (int offset = 4; offset > 0; offset /= 2) {
// TEXT-NEXT: warpSum += __shfl_down_sync(0xff, warpSum, offset, 8);
// TEXT-NEXT: }
// TEXT-NEXT: if (threadIdx.x == 0) partial[0] = warpSum;
// TEXT-NEXT: }
// TEXT-NEXT: {{^  }}if (threadIdx.x == 0)
// TEXT-NEXT: out[blockIdx.x] = partial[0];
// VERIFY: interleaved: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[ceil_div(n, 256)]), shape(n = 2000),
                shape(n = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void interleaved(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0];
}

//   largest of a block that is no power of two, three warps, in two steps; all threads read it, so a barrier stays
// The author's four spaces are kept, and the variable that only the tree used goes.
// CHECK-LABEL: three_warps (
// CHECK: changed   shuffle-reduction
// TEXT-LABEL: void three_warps(
// TEXT-NOT: int half
// TEXT: {{^    }}if (t < 32) {
// TEXT-NEXT: {{^        }}top = s[t < 3 ? t : 0];
// TEXT: {{^            }}float other = __shfl_down_sync(0xffffffff, top, offset);
// TEXT-NEXT: {{^            }}if (t + offset < 3) top = fmaxf(top, other);
// TEXT: if (t == 0) s[0] = top;
// TEXT-NEXT: }
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: y[blockIdx.x * 96 + t] = x[blockIdx.x * 96 + t] - s[0];
// VERIFY: three_warps: accepted
KERNEL_OPTIMIZE(grid(rows), block(96), in(x[rows * 96]), out(y[rows * 96]), shape(rows = 3), shape(rows = 1))
__global__ void three_warps(const float *x, float *y, int rows)
{
    __shared__ float s[96];
    const int t = threadIdx.x;
    float top = x[blockIdx.x * 96 + t];
    s[t] = top;
    __syncthreads();
    if (t < 32)
        s[t] = fmaxf(fmaxf(s[t], s[t + 32]), s[t + 64]);
    __syncthreads();
    int half = 16;
    while (half != 0) {
        if (t < half)
            s[t] = fmaxf(s[t], s[t + half]);
        __syncthreads();
        half /= 2;
    }
    y[blockIdx.x * 96 + t] = x[blockIdx.x * 96 + t] - s[0];
}

//   a function of its own; rows of twelve threads; the last warp is not full; the larger of two by comparison
// CHECK-LABEL: helper (
// CHECK: changed   shuffle-reduction
// TEXT-LABEL: int largest(
// TEXT: __shared__ int best[2];
// TEXT: unsigned lanes = id < 32 ? 0xffffffff : 0xfffffff;
// TEXT: int other = __shfl_sync(lanes, v, id + offset < 60 ? id + offset : id);
// TEXT-NEXT: if (id + offset < 60 && v < other) v = other;
// VERIFY: helper: accepted
__device__ int largest(int v) {
  __shared__ int best[60];
  int id = threadIdx.y * blockDim.x + threadIdx.x;
  best[id] = v;
  __syncthreads();
  for (int n = 60; n > 1;) {
    int half = (n + 1) / 2;
    if (id < n / 2 && best[id + half] > best[id])
      best[id] = best[id + half];
    __syncthreads();
    n = half;
  }
  return best[0];
}

KERNEL_OPTIMIZE(grid(4), block(12, 5), in(x[240]), out(y[4]), shape(n = 240), shape(n = 1))
__global__ void helper(const int *x, int *y, int n) {
  int i = blockIdx.x * 60 + threadIdx.y * 12 + threadIdx.x;
  int m = largest(i < n ? x[i] : -1);
  if (threadIdx.x + threadIdx.y == 0)
    y[blockIdx.x] = m;
}

//   slots that are filled in more than one statement are read back, a barrier apart
// CHECK-LABEL: filled_before (
// CHECK: changed   shuffle-reduction
// TEXT-LABEL: void filled_before(
// TEXT: __shared__ unsigned bits[64];
// TEXT: else
// TEXT-NEXT: bits[threadIdx.x] = 0;
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: // Each warp
// TEXT-NEXT: unsigned warpBits = bits[threadIdx.x];
// TEXT: warpBits |= __shfl_down_sync(
// TEXT: }
// TEXT-NEXT: __syncthreads();
// TEXT-NEXT: if (threadIdx.x % 32 == 0) bits[threadIdx.x / 32] = warpBits;
// VERIFY: filled_before: accepted
KERNEL_OPTIMIZE(grid(2), block(64), in(x[n]), out(y[2]), shape(n = 100), shape(n = 1), shape(n = 128))
__global__ void filled_before(const unsigned *x, unsigned *y, int n) {
  __shared__ unsigned bits[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    bits[threadIdx.x] = x[i];
  else
    bits[threadIdx.x] = 0;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (threadIdx.x < d)
      bits[threadIdx.x] |= bits[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = bits[0];
}
