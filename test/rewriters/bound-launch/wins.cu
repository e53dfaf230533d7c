// REQUIRES: nvcc
// A bound that pays: left alone, ptxas takes 40 registers a thread, so that six blocks of 256 fill a multiprocessor to three
// quarters. Told of the block, it takes 32 with the same number of instructions, and eight blocks fit. The twin with
// eight elements a thread takes 32 from the start.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t -- -arch=sm_90 -I%source_dir/include | FileCheck %s
// RUN: FileCheck --check-prefix=TEXT --input-file=%t/wins.cu %s
#include <warpwright/annotate.h>

template <int Count> __device__ void eachOf(const float4 *__restrict__ a, float4 *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v[Count];
#pragma unroll
  for (int j = 0; j < Count; ++j)
    v[j] = a[j * n + i];
#pragma unroll
  for (int j = 0; j < Count; ++j)
    out[j * n + i] = make_float4(v[j].x * v[j].z, v[j].y * v[j].x, v[j].z + v[j].y, v[j].w * v[j].w);
}

// CHECK-LABEL: twelve (
// CHECK: changed   bound-launch threads=256
// CHECK: because   allocated registers 40 -> 32, occupancy 75% -> 100%
// TEXT: {{^}}__global__ void __launch_bounds__(256) twelve(
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(a[12 * n]), out(out[12 * n]), shape(n = 65536), shape(n = 256),
                shape(n = 1024))
__global__ void twelve(const float4 *__restrict__ a, float4 *__restrict__ out, int n) { eachOf<12>(a, out, n); }

// CHECK-LABEL: eight (
// CHECK: kept
// CHECK: declined  bound-launch threads=256 on 'launch bounds', declined at dominance: nothing that was counted is better
// TEXT-NOT: {{^}}__global__ void __launch_bounds__
KERNEL_OPTIMIZE(grid(n / 256), block(256), in(a[8 * n]), out(out[8 * n]), shape(n = 65536), shape(n = 256),
                shape(n = 1024))
__global__ void eight(const float4 *__restrict__ a, float4 *__restrict__ out, int n) { eachOf<8>(a, out, n); }
