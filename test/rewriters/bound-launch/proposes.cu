// REQUIRES: nvcc
// Bounds from the annotation's block, and, where other files cannot launch the kernel, from its launches.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// Registers keep blocks out here; ptxas pays for every bound with more instructions, so the original stays.
// CHECK-LABEL: products
// CHECK: kept      no candidate is proved better by facts alone
// CHECK: declined  bound-launch threads=256 on 'launch bounds', declined at dominance
// CHECK: declined  bound-launch min_blocks=[[#]] threads=256 on 'launch bounds', declined at dominance: worse:
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[16 * n]), out(out[n]), shape(n = 4096), shape(n = 100),
                shape(n = 33))
__global__ void products(const float *__restrict__ in, float *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v[16];
#pragma unroll
  for (int j = 0; j < 16; ++j)
    v[j] = in[j * n + i];
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 16; ++j)
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += v[j] * v[k] + sqrtf(v[j]);
  out[i] = sum;
}

// CHECK-LABEL: launched_here
// CHECK: launch    block (64, 2, 1) as launched at line [[#]]
// CHECK: declined  bound-launch threads=128 on 'launch bounds'
KERNEL_OPTIMIZE(grid(n / 64), out(out[n]), shape(n = 640))
static __global__ void launched_here(float *out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = n; }

void launch(float *out, int n) {
  dim3 block(64, 2);
  launched_here<<<n / 64, block>>>(out, n);
}
