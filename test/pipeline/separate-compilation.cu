// REQUIRES: nvcc
// With separate compilation, registers are known when the program is linked; until then nothing is decided, and that is said.
// Without it, the same kernel is rewritten.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -rdc=true -I%source_dir/include -c %s -o %t/object.o 2>&1 | FileCheck --check-prefix=LATER %s
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -rdc=false -I%source_dir/include -c %s -o %t/object.o 2>&1 | FileCheck --check-prefix=NOW %s
//
// LATER: remark: 'column' stays as it is: undecided: resources are unknown until linked
// NOW: remark: 'column' improved by pad-shared-array
#include <warpwright/annotate.h>
KERNEL_OPTIMIZE(grid(1), block(32), in(in[32]), out(out[32]), shape(n = 1), tolerance(exact))
__global__ void column(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x][0] + n;
}
