// REQUIRES: nvcc
// Neighbouring lanes walk down columns; exchanged, they walk along rows. The original stays for launches that are not
// the annotated one.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/swaps.cu %s
// RUN: %warpwright verify %s %t/swaps.cu --kernel transposed -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
#include <warpwright/annotate.h>

// CHECK-LABEL: transposed (
// CHECK: changed   swap-thread-axes x=16 y=16
// CHECK: launch    changed: grid ceil_div(n, 16), ceil_div(n, 16), block 16, 16
// CHECK: because   {{.*}}sectors
// SAME: transposed{{.*}}accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), out(out[n * n]), shape(n = 256),
                shape(n = 100), shape(n = 5), tolerance(rel = 1e-5), allow(launch_change),
                forbid(bound-launch, coarsen-threads, qualify-restrict, resize-block))
__global__ void transposed(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    out[row * n + col] = 2.0f * in[row * n + col];
}
// TEXT: {{^}}__global__ void transposed(const float *in
// TEXT-NEXT: int row = blockIdx.x * blockDim.x + threadIdx.x;
// TEXT: // 'transposed' as it is launched in this file: swap-thread-axes x=16 y=16.
// TEXT-NEXT: KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16),
// TEXT: {{^}}__global__ void transposed_warpwright(const float *in
// TEXT-NEXT: int row = blockIdx.x * blockDim.y + threadIdx.y;
// TEXT-NEXT: int col = blockIdx.y * blockDim.x + threadIdx.x;

void launch(const float *in, float *out, int n) {
  const int tile = 16;
  dim3 grid((n + tile - 1) / tile, (n - 1) / tile + 1), block(tile, tile);
  // TEXT: {{^}}  transposed_warpwright<<<grid, dim3(16, 16)>>>(in, out, n);
  transposed<<<grid, block>>>(in, out, n);
  // TEXT: {{^}}  transposed<<<grid, 256>>>(in, out, n);
  transposed<<<grid, 256>>>(in, out, n);
}
