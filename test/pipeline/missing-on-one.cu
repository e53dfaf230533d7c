// REQUIRES: nvcc
// A kernel that one of the architectures does not have is reported and keeps its text; where all have it, it is changed.
//
// RUN: rm -rf %t && %warpwright optimize %s --output-dir %t/one -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=ALL %s
// RUN: %warpwright optimize %s --output-dir %t/last -- -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=SOME %s
// RUN: %warpwright optimize %s --output-dir %t/first -- -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=sm_80 -I%source_dir/include | FileCheck --check-prefix=SOME %s
//
// ALL: column  (missing-on-one.cu
// ALL: changed   pad-shared-array pad=1
// SOME: column  (missing-on-one.cu
// SOME-NOT: changed
// SOME: kept      not every architecture of the command has it
// SOME-NOT: declined
#include <warpwright/annotate.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact))
__global__ void column(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
}
#endif
