// REQUIRES: nvcc
// Rewriters are tried on code that nobody annotated: two hidden options grant every kernel what an annotation could, and
// take what the rewriters propose as it comes. What comes out compiles. Without the second, candidates are screened as
// ever; without the first, nothing is rewritten.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %warpwright optimize %s --annotate-everything --choose-any --output-dir %t/any -- -arch=sm_90 | FileCheck %s
// RUN: FileCheck --check-prefix=SOURCE %s < %t/any/choose-any.cu
// RUN: %nvcc -arch=sm_90 -c %t/any/choose-any.cu -o %t/object.o
// RUN: %warpwright optimize %s --annotate-everything --output-dir %t/screened -- -arch=sm_90 | FileCheck --check-prefix=SCREENED %s
// RUN: %warpwright optimize %s --choose-any --output-dir %t/none -- -arch=sm_90 | FileCheck --check-prefix=NONE %s
// RUN: not ls %t/none/choose-any.cu
//
// CHECK-LABEL: scale {{.*}}
// CHECK: changed bound-launch threads=256
// CHECK: changed demote-double
// CHECK: changed qualify-restrict
// SCREENED-LABEL: scale {{.*}}
// SCREENED-NOT: taken unseen
// SCREENED: bound-launch
// NONE: kept not annotated
//
// SOURCE: __global__ void __launch_bounds__(256) scale(float *__restrict__ y, const float *__restrict__ x, int n)
// SOURCE: y[i] = sqrtf(x[i] * 0.1f) + x[i + 1];
__global__ void scale(float *y, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sqrt(x[i] * 0.1) + x[i + 1];
}

void launch(float *y, const float *x, int n) {
  scale<<<(n + 255) / 256, 256>>>(y, x, n);
}
