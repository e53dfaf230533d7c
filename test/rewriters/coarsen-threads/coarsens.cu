// REQUIRES: nvcc
// Blocks that do the work of several: a stream repeats its body, a sum is taken before the block meets.
//
// RUN: rm -rf %t && %warpwright optimize %s --choose-any --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/coarsens.cu %s
// RUN: %warpwright verify %s %t/coarsens.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: %nvcc -arch=sm_90 -I%source_dir/include -c %t/coarsens.cu -o %t/object.o
#include <warpwright/annotate.h>

// CHECK-LABEL: scaled (
// CHECK: changed   coarsen-threads factor=4
// CHECK: launch    changed: grid ceil_div(ceil_div(n, 256), 4), block 256
// SAME: scaled{{.*}}accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), out(out[n]), shape(n = 5000), shape(n = 7),
                allow(launch_change), forbid(bound-launch, qualify-restrict, resize-block))
__global__ void scaled(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i] = 2.0f * in[i];
}
// TEXT: {{^}}__global__ void scaled_warpwright(
// TEXT: for (unsigned virtualBlock = blockIdx.x; virtualBlock < (n + 255LL) / 256; virtualBlock += gridDim.x) {
// TEXT-NEXT: {{^}}    int i = virtualBlock * blockDim.x + threadIdx.x;
// TEXT-NEXT: {{^}}    if (i >= n)
// TEXT-NEXT: {{^}}      continue;
// TEXT-NEXT: {{^}}    out[i] = 2.0f * in[i];
// TEXT-NEXT: {{^}}  }

// CHECK-LABEL: total (
// CHECK: changed   coarsen-threads blocks=1056
// CHECK: launch    changed: grid min(ceil_div(n, 256), 1056), block 256
// SAME: total{{.*}}accepted
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), init(in, uniform(0, 1)), init(out, zeros),
                shape(n = 5000), shape(n = 7), tolerance(rel = 1e-3), allow(reassociate, launch_change),
                forbid(bound-launch, qualify-restrict, resize-block))
__global__ void total(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    if (threadIdx.x < stride)
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(out, partial[0]);
}

// A product of the block's values is no sum.
// CHECK-LABEL: multiplied (
// CHECK: declined  coarsen-threads: what a block makes of its threads' values is no plain sum
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), shape(n = 5000), tolerance(rel = 1e-3),
                allow(reassociate, launch_change), forbid(bound-launch, qualify-restrict, resize-block))
__global__ void multiplied(const float *in, float *out, int n) {
  __shared__ float partial[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 1.0f;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, partial[0] * partial[1]);
}

void launch(const float *in, float *out, int n) {
  scaled<<<(n + 255) / 256, 256>>>(in, out, n);
  total<<<(n + 255) / 256, 256>>>(in, out, n);
  multiplied<<<(n + 255) / 256, 256>>>(in, out, n);
}
