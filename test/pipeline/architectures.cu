// REQUIRES: nvcc
// An edit has to be legal on every architecture that the command compiles for: one of them sees code that the other does
// not.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t/one -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=ONE %s
// RUN: %warpwright optimize %s --output-dir %t/two -- -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=TWO %s
// RUN: %warpwright optimize %s --output-dir %t/ptx -- -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=TWO %s
//
// ONE: changed   pad-shared-array pad=1
// TWO: kept
// TWO: declined  pad-shared-array: 'tile': its address escapes
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact))
__global__ void column(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
#if __CUDA_ARCH__ < 900
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + sizeof(tile) + n;
#else
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
#endif
}
