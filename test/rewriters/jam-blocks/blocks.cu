// REQUIRES: nvcc
// Neighbouring blocks run side by side where they have a tile in common; the grid need not divide.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright jam-blocks > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/blocks.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/blocks.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
#include <warpwright/annotate.h>

//   a product by tiles: blocks along x have the tile of A in common, and its loads stand once
// CHECK-LABEL: product (
// CHECK: changed   jam-blocks x=2
// TEXT-LABEL: void product_warpwright(
// TEXT: {{^  }}const unsigned lastBlock = ({{.*}}n + 15LL) / 16 - 1;
// TEXT-NEXT: {{^  }}const unsigned block[2] = {blockIdx.x * 2, min(blockIdx.x * 2 + 1, lastBlock)};
// TEXT-NEXT: {{^  }}__shared__ float left[16][16];
// TEXT-NEXT: {{^  }}__shared__ float right[2][16][17];
// TEXT-NEXT: {{^  }}int row = blockIdx.y * 16 + threadIdx.y;
// TEXT-NEXT: {{^  }}int col[2];
// TEXT-NEXT: {{^  }}float sum[2];
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^  }}for (int copy = 0; copy < 2; ++copy) {
// TEXT-NEXT: {{^    }}col[copy] = block[copy] * 16 + threadIdx.x;
// TEXT-NEXT: {{^    }}sum[copy] = 0.0f;
// TEXT-NEXT: {{^  }}}
// TEXT-NEXT: {{^  }}for (int k0 = 0; k0 < k; k0 += 16) {
// TEXT-NEXT: {{^    }}// both tiles
// TEXT-NEXT: {{^    }}left[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : 0.0f;
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int copy = 0; copy < 2; ++copy) {
// TEXT-NEXT: {{^      }}right[copy][threadIdx.y][threadIdx.x] = k0 + threadIdx.y < k && col[copy] < n ? b[(k0 + threadIdx.y) * n + col[copy]] : 0.0f;
// TEXT-NEXT: {{^    }}}
// TEXT-NEXT: {{^    }}__syncthreads();
// TEXT: {{^        }}sum[copy] += left[threadIdx.y][i] * right[copy][i][threadIdx.x];
// TEXT: {{^    }}if (row < m && col[copy] < n)
// TEXT-NEXT: {{^      }}c[row * n + col[copy]] = sum[copy];
// TEXT: product_warpwright<<<dim3(((n + 15LL) / 16 + 1LL) / 2, (m + 15LL) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
// VERIFY: product -> product_warpwright: accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 40, n = 37, k = 50), shape(m = 5, n = 7, k = 3), shape(m = 16, n = 64, k = 16), allow(launch_change))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float left[16][16], right[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    // both tiles
    left[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : 0.0f;
    right[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < k && col < n ? b[(k0 + threadIdx.y) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}
void launchProduct(const float *a, const float *b, float *c, int m, int n, int k) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}

//   control that depends on the block is copied as a whole; a variable that it sets, and a loop that it leaves, too
// CHECK-LABEL: windows (
// CHECK: changed   jam-blocks x=2
// TEXT-LABEL: void windows_warpwright(
// TEXT: {{^    }}if (block[copy] % 2 == 1)
// TEXT-NEXT: {{^      }}limit[copy] = 7;
// TEXT: {{^    }}for (int i = 0; i < 64; ++i) {
// TEXT-NEXT: {{^      }}if (i > limit[copy])
// TEXT-NEXT: {{^        }}break;
// TEXT-NEXT: {{^      }}sum[copy] += weights[i] * block[copy];
// TEXT: {{^  }}for (int i = 0; i < 64; i += 2) {
// TEXT-NEXT: {{^}}#pragma unroll
// TEXT-NEXT: {{^    }}for (int copy = 0; copy < 2; ++copy) {
// TEXT-NEXT: {{^      }}sum[copy] += weights[i] * block[copy];
// VERIFY: windows -> windows_warpwright: accepted
KERNEL_OPTIMIZE(grid(n), block(64), in(w[64]), out(y[n * 64]), shape(n = 5), shape(n = 2), allow(launch_change))
__global__ void windows(const float *w, float *y, int n) {
  __shared__ float weights[64];
  weights[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  int limit = threadIdx.x;
  if (blockIdx.x % 2 == 1)
    limit = 7;
  float sum = 0;
  for (int i = 0; i < 64; ++i) {
    if (i > limit)
      break;
    sum += weights[i] * blockIdx.x;
  }
  for (int i = 0; i < 64; i += 2)
    sum += weights[i] * blockIdx.x;
  y[blockIdx.x * 64 + threadIdx.x] = sum;
}
void launchWindows(const float *w, float *y, int n) { windows<<<n, 64>>>(w, y, n); }
