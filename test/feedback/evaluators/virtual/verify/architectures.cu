// REQUIRES: nvcc
// Every architecture of the command is looked at; where the code is the same it is run once.
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/__CUDA_ARCH__ >= 900/__CUDA_ARCH__ >= 900 \&\& 0/' %s > %t/same.cu
// RUN: sed 's/2 \* x/3 * x/' %s > %t/other.cu
// RUN: %warpwright verify %s %s -- -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=BOTH %s
// RUN: %warpwright verify %t/same.cu %t/same.cu -- -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// RUN: exits 1 %warpwright verify %s %t/other.cu -- -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -I%source_dir/include | FileCheck --check-prefix=OTHER %s
// RUN: %warpwright verify %s %t/other.cu -- -arch=sm_80 -I%source_dir/include | FileCheck --check-prefix=OLD %s
// BOTH: scale: accepted
// BOTH: {{[0-9]+}} runs on {{[0-9]+}} shapes for sm_80, sm_90
// SAME: scale: accepted
// SAME: {{[0-9]+}} runs on {{[0-9]+}} shapes for sm_80, sm_90
// OTHER: scale: declined [wrong-output]: y[0] is {{.*}} (for sm_90)
// OLD: scale: accepted
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(x[n]), out(y[n]), shape(n = 512), shape(n = 100), shape(n = 1))
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) {
#if __CUDA_ARCH__ >= 900
    y[i] = 2 * x[i];
#else
    y[i] = x[i] + x[i];
#endif
  }
}
