// REQUIRES: nvcc
// What the annotation does not give is inferred, and the verdict says so: extents from what the original touches, the launch from
// this file.
// RUN: rm -rf %t && mkdir %t
// RUN: sed 's/in\[i\] + 1/in[i] + 2/' %s > %t/two.cu
// RUN: %warpwright verify %s %s -- -arch=sm_90 | FileCheck %s
// RUN: exits 1 %warpwright verify %s %t/two.cu -- -arch=sm_90 | FileCheck --check-prefix=TWO %s
// RUN: sed 's/in\[i\] + 1/in[i] + (in[i + 1] == 12345) + 1/' %s > %t/beyond.cu
// RUN: exits 1 %warpwright verify %s %t/beyond.cu -- -arch=sm_90 | FileCheck --check-prefix=BEYOND %s

// CHECK: increment: accepted
// CHECK-DAG: note: the grid is that of the launch in this file
// CHECK-DAG: note: the extent of 'in' is what the original touches
// CHECK-DAG: note: no shape() gives a value for 'n', so one was supposed
// TWO: increment: declined [wrong-output]
// BEYOND: increment: declined [out-of-bounds]
__global__ void increment(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

void launch(const int *in, int *out) { increment<<<8, 64>>>(in, out, 500); }
