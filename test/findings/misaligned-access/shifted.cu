// REQUIRES: nvcc
// A row that starts one element late; one that starts a sector late; the window of a stencil.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: shifted.cu:[[#@LINE+4]]:{{.*}}: warning: load of 'in' starts off a 32-byte sector: 5 sectors a request instead of 4 (n = 1024) [warpwright-misaligned-access]
// CHECK: note: begin at a multiple of 32 bytes
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 1]), out(out[n]), shape(n = 1024))
__global__ void late(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x + 1];
}

// Eight elements are a sector.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 8]), out(out[n]), shape(n = 1024))
__global__ void a_sector_late(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x + 8];
}

// The neighbours of a stencil cannot all be aligned.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 2]), out(out[n]), shape(n = 1024))
__global__ void window(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] + in[i + 1] + in[i + 2];
}

// Lanes that lie apart are another finding's.
// CHECK: shifted.cu:[[#@LINE+3]]:{{.*}}[warpwright-uncoalesced-access]
KERNEL_OPTIMIZE(grid(4), block(256), in(in[2 * n]), out(out[n]), shape(n = 1024))
__global__ void apart(const float *in, float *out, int n) {
  out[blockIdx.x * 256 + threadIdx.x] = in[(blockIdx.x * 256 + threadIdx.x) * 2 + 1];
}

// CHECK-NOT: warpwright-{{misaligned|uncoalesced}}-access
