// Blocks that follow each other read next to each other and write far apart. Numbered the other way round they write next
// to each other.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright reorder-blocks > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include > %t.log
// RUN: FileCheck --input-file=%t/reorders.cu %s
// RUN: FileCheck --check-prefix=LOG --input-file=%t.log %s
// RUN: %warpwright verify %s %t/reorders.cu --kernel oblong -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <warpwright/annotate.h>

// SAME: oblong: accepted

// CHECK-LABEL: {{^}}__global__ void square(
// CHECK-NEXT: // Blocks that follow each other write next to each other.
// CHECK-NEXT: const bool isSquare = gridDim.x == gridDim.y;
// CHECK-NEXT: const unsigned blockX = isSquare ? blockIdx.y : blockIdx.x;
// CHECK-NEXT: const unsigned blockY = isSquare ? blockIdx.x : blockIdx.y;
// CHECK:      int x = blockX * 32 + threadIdx.x;
// CHECK-NEXT: int y = blockY * 32 + threadIdx.y;
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 32), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 64), tolerance(exact), forbid(bound-launch, qualify-restrict, swizzle-shared))
__global__ void square(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

// CHECK-LABEL: {{^}}__global__ void oblong(
// CHECK:      const bool fits = gridDim.x <= 65536;
// CHECK-NEXT: const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
// CHECK-NEXT: const unsigned blockX = fits ? block / gridDim.y : blockIdx.x;
// CHECK-NEXT: const unsigned blockY = fits ? block % gridDim.y : blockIdx.y;
KERNEL_OPTIMIZE(grid(n, ceil_div(m, 64)), block(64), in(in[m * n]), out(out[m * n]), shape(n = 12, m = 100),
                shape(n = 3, m = 70), tolerance(exact), forbid(bound-launch, qualify-restrict))
__global__ void oblong(const float *in, float *out, int n, int m) {
  int x = blockIdx.y * 64 + threadIdx.x;
  if (x < m) out[blockIdx.x * m + x] = in[blockIdx.x * m + x] + 1.0f;
}

// It writes next to each other already.
// LOG-LABEL: straight (
// LOG-NOT: reorder-blocks
KERNEL_OPTIMIZE(grid(ceil_div(m, 64), n), block(64), in(in[m * n]), out(out[m * n]), shape(n = 12, m = 100))
__global__ void straight(const float *in, float *out, int n, int m) {
  int x = blockIdx.x * 64 + threadIdx.x;
  if (x < m) out[blockIdx.y * m + x] = in[blockIdx.y * m + x] + 1.0f;
}
// LOG-LABEL: asked (
// LOG: declined  reorder-blocks: 'column' reads blockIdx
__device__ int column() { return blockIdx.y * 64 + threadIdx.x; }
KERNEL_OPTIMIZE(grid(n, ceil_div(m, 64)), block(64), in(in[m * n]), out(out[m * n]), shape(n = 12, m = 100))
__global__ void asked(const float *in, float *out, int n, int m) {
  if (column() < m) out[blockIdx.x * m + column()] = in[blockIdx.x * m + blockIdx.y * 64 + threadIdx.x];
}
