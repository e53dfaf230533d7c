// REQUIRES: nvcc
// Elements of one thread that lie side by side, in straight-line code and in a loop.
//
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s
#include <warpwright/annotate.h>

// CHECK: neighbours.cu:[[#@LINE+6]]:{{.*}}: warning: each thread reads neighbouring elements of 'in' one by one: 4 accesses of 4 bytes could be one of 16 [warpwright-scalar-access-vectorisable]
// CHECK: note: a neighbouring element
// CHECK: note: read through a 16-byte type such as float4, which the pointer must be aligned for
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[4 * n]), out(out[n]), shape(n = 65536))
__global__ void four(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[4 * i]
         + in[4 * i + 1]
         + in[4 * i + 2]
         + in[4 * i + 3];
}

// The same through a type that is aligned: the compiler joins them.
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(in[n]), out(out[n]), shape(n = 65536))
__global__ void joined(const float4 *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 v = in[i];
  out[i] = v.x + v.y + v.z + v.w;
}

// CHECK: neighbours.cu:[[#@LINE+4]]:{{.*}}: warning: each thread reads neighbouring elements of 'in' in turn, one an iteration: 4 accesses of 4 bytes could be one of 16
// CHECK: note: {{.*}}this needs rows that start aligned, as they do for the given n
KERNEL_OPTIMIZE(grid(4), block(256), in(in[1024 * n]), out(out[1024]), shape(n = 512))
__global__ void rows(const float *in, float *out, int n) {
  float sum = 0; for (int k = 0; k < n; ++k) sum += in[(blockIdx.x * 256 + threadIdx.x) * n + k];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Rows of 7 elements start anywhere.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[7 * 1024]), out(out[1024]), shape(n = 7))
__global__ void odd_rows(const float *in, float *out, int n) {
  float sum = 0; for (int k = 0; k < n; ++k) sum += in[(blockIdx.x * 256 + threadIdx.x) * n + k];
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Windows of neighbouring threads overlap: no thread's window starts aligned.
KERNEL_OPTIMIZE(grid(4), block(256), in(in[n + 2]), out(out[n]), shape(n = 1024))
__global__ void window(const float *in, float *out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] + in[i + 1];
}

// CHECK-NOT: warpwright-scalar-access-vectorisable
