// REQUIRES: nvcc
// Another block where the kernel cannot tell, and the twins that can.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright resize-block > %t/policy.json
// RUN: %warpwright optimize %s --choose-any --policy %t/policy.json --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/resizes.cu %s
#include <warpwright/annotate.h>

struct Extent {
  size_t rows, cols;
};

// CHECK-LABEL: scaled (
// CHECK: launch    changed: grid ceil_div(e.rows * e.cols, 256), block 256
// TEXT: {{^}}__global__ void scaled_warpwright(
// TEXT: {{^}}  scaled_warpwright<<<(static_cast<long long>(e.rows) * e.cols + 255LL) / 256, 256>>>(in, out, e);
KERNEL_OPTIMIZE(grid(ceil_div(e.rows * e.cols, 64)), block(64), in(in[e.rows * e.cols]), out(out[e.rows * e.cols]),
                shape(e.rows = 50, e.cols = 100), allow(launch_change), forbid(bound-launch, coarsen-threads, qualify-restrict))
__global__ void scaled(const float *in, float *out, Extent e) {
  const size_t i = threadIdx.x + static_cast<size_t>(blockIdx.x) * blockDim.x;
  if (i < e.rows * e.cols)
    out[i] = 2.0f * in[i];
}

// CHECK-LABEL: counted (
// CHECK: declined  resize-block: the block's size is observable: 'blockDim.x' at line [[#@LINE+5]] is used for more than the thread's place in the grid
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(in[n]), out(out[n]), shape(n = 1000), allow(launch_change))
__global__ void counted(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * blockDim.x;
}

// CHECK-LABEL: unguarded (
// CHECK: declined  resize-block: the block's size is observable: threads beyond 'n' along x were not proved to do nothing
KERNEL_OPTIMIZE(grid(ceil_div(n, 64)), block(64), in(in[n]), out(out[n]), shape(n = 1024), require(n % 64 == 0), allow(launch_change))
__global__ void unguarded(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

void launch(const float *in, float *out, Extent e, int n) {
  scaled<<<(e.rows * e.cols + 63) / 64, 64>>>(in, out, e);
  counted<<<(n + 63) / 64, 64>>>(in, out, n);
  unguarded<<<(n + 63) / 64, 64>>>(in, out, n);
}
