// REQUIRES: nvcc
// Tiles beyond 48 KiB are parts of dynamic shared memory, and the launch asks the driver for it.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright stage-shared-tile > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --no-verify --policy %t/policy.json --candidates-dir %t --output-dir %t/out -- -arch=sm_90 -I%source_dir/include
// RUN: FileCheck --input-file="%t/product/stage-shared-tile_col_outputs=8_col_threads=32_row_outputs=8_row_threads=16_stages=2_strip=16.cu" %s
// RUN: FileCheck --check-prefix=STATIC --input-file="%t/product/stage-shared-tile_col_outputs=8_col_threads=16_row_outputs=8_row_threads=16_stages=2_strip=16.cu" %s
#include <warpwright/annotate.h>

// CHECK: block(512), dynamic_shared(49664),
// CHECK-LABEL: product_warpwright(
// CHECK: {{^  }}extern __shared__ __align__(16) unsigned char sharedTiles[];
// CHECK-NEXT: {{^  }}auto &aTile = *reinterpret_cast<float (*)[2][iStrip][rowTile + 4]>(sharedTiles);
// CHECK: {{^  }}auto &bTile = *reinterpret_cast<float (*)[2][iStrip][colTile]>(sharedTiles + 16896);
// CHECK: {{^  }}(cudaFuncSetAttribute(product_warpwright, cudaFuncAttributeMaxDynamicSharedMemorySize, 49664), product_warpwright<<<{{.*}}, 512, 49664>>>(a, b, c, m, n, k));
// STATIC-LABEL: product_warpwright(
// STATIC: {{^  }}__shared__ __align__(16) float aTile[2][iStrip][rowTile + 4];
// STATIC-NOT: cudaFuncSetAttribute
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 19, n = 37, k = 21), shape(m = 5, n = 3, k = 2), allow(launch_change))
__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n)
    return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
void launch(const float *a, const float *b, float *c, int m, int n, int k) {
  product<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, c, m, n, k);
}
