// REQUIRES: nvcc
// What keeps thread axes from being exchanged.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright swap-thread-axes > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>


// CHECK-LABEL: unasked (
// CHECK: declined  swap-thread-axes: it would change the launch, which allow(launch_change) does not admit
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), out(out[n * n]), shape(n = 64))
__global__ void unasked(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    out[row * n + col] = in[row * n + col];
}

// CHECK-LABEL: warped (
// CHECK: declined  swap-thread-axes: 'shfl{{.*}}' depends on which lanes make up a warp
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), out(out[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void warped(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  float v = row < n && col < n ? in[row * n + col] : 0.0f;
  v += __shfl_xor_sync(0xffffffff, v, 1);
  if (row < n && col < n)
    out[row * n + col] = v;
}

// CHECK-LABEL: unlaunched (
// CHECK: declined  swap-thread-axes: no launch in this file could be redirected: there is none
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), out(out[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void unlaunched(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    out[row * n + col] = in[row * n + col];
}

// CHECK-LABEL: otherwise (
// CHECK: declined  swap-thread-axes: no launch in this file can be redirected: the launch at line [[#@LINE+16]] was not proved to have the annotation's grid
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), out(out[n * n]), shape(n = 64),
                allow(launch_change))
__global__ void otherwise(const float *in, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    out[row * n + col] = in[row * n + col];
}

void launch(const float *in, float *out, int n) {
  dim3 grid((n + 15) / 16, (n + 15) / 16), block(16, 16);
  unasked<<<grid, block>>>(in, out, n);
  warped<<<grid, block>>>(in, out, n);
  // The grid is one of the old n.
  --n;
  (void)n;
  otherwise<<<grid, block>>>(in, out, n);
}
