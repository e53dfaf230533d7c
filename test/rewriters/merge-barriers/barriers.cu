// REQUIRES: nvcc
// Barriers that order nothing go; those between threads that meet stay.
//
// RUN: rm -rf %t && mkdir %t && only-rewriter %warpwright merge-barriers > %t/policy.json
// RUN: %warpwright optimize --choose-any --policy %t/policy.json %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: grep -v "^//" %t/barriers.cu > %t/code.txt
// RUN: FileCheck --strict-whitespace --check-prefix=TEXT --input-file=%t/code.txt %s
// RUN: %warpwright verify %s %t/barriers.cu -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=VERIFY %s
// RUN: %nvcc -arch=sm_90 -cubin -Werror all-warnings -I%source_dir/include -o %t/barriers.cubin %t/barriers.cu
#include <warpwright/annotate.h>

//   each thread reads back its own slot; the barrier at the end orders nothing
// CHECK-LABEL: own (
// CHECK: changed   merge-barriers
// TEXT-LABEL: void own(
// TEXT: {{^  }}tile[threadIdx.y * 16 + threadIdx.x] = in[i];
// TEXT-NEXT: {{^  }}// No barrier here: no thread touches what another has touched since the last one.
// TEXT-NEXT: {{^  }}tile[threadIdx.y * 16 + threadIdx.x] *= 2.0f;
// TEXT-NEXT: {{^  }}__syncthreads();
// TEXT-NEXT: {{^  }}out[i] = tile[255 - (threadIdx.y * 16 + threadIdx.x)];
// TEXT-NEXT: {{^  }}// No barrier here
// TEXT-NEXT: {{^}}}
// VERIFY: own: accepted
KERNEL_OPTIMIZE(grid(n), block(16, 16), in(in[n * 256]), out(out[n * 256]), shape(n = 4), shape(n = 1))
__global__ void own(const float *in, float *out, int n) {
  __shared__ float tile[256];
  unsigned i = blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x;
  tile[threadIdx.y * 16 + threadIdx.x] = in[i];
  __syncthreads();
  tile[threadIdx.y * 16 + threadIdx.x] *= 2.0f;
  __syncthreads();
  out[i] = tile[255 - (threadIdx.y * 16 + threadIdx.x)];
  __syncthreads();
}

//   through global memory: buffers that the annotation keeps apart
// CHECK-LABEL: apart (
// CHECK: changed   merge-barriers
// VERIFY: apart: accepted
KERNEL_OPTIMIZE(grid(1), block(64), in(in[64]), out(a[64]), out(b[64]))
__global__ void apart(const float *in, float *a, float *b) {
  a[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = in[threadIdx.x ^ 1];
}

//   threads share slots, or read their neighbours'
// CHECK-LABEL: neighbours (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), in(in[64]), out(out[64]))
__global__ void neighbours(const float *in, float *out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

// CHECK-LABEL: pairs (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), in(in[64]), out(out[64]))
__global__ void pairs(const float *in, float *out) {
  __shared__ float tile[64];
  if (threadIdx.x % 2 == 0)
    tile[threadIdx.x / 2] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x / 2];
}

//   buffers that may be one, and a block that is not known
// CHECK-LABEL: aliased (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(64), inout(a[64]), inout(b[64]), may_alias(a, b))
__global__ void aliased(float *a, float *b) {
  a[threadIdx.x] = 1.0f;
  __syncthreads();
  b[threadIdx.x] += b[threadIdx.x ^ 1];
}

// CHECK-LABEL: sized (
// CHECK: kept
KERNEL_OPTIMIZE(grid(1), block(n, 2), in(in[64]), out(out[64]), shape(n = 32), shape(n = 16))
__global__ void sized(const float *in, float *out, int n) {
  __shared__ float tile[64];
  tile[threadIdx.y * 16 + threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.y * 16 + threadIdx.x];
}
