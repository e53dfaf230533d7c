// REQUIRES: nvcc
// Where nothing can be said that is said, with an exit code of its own.
// RUN: exits 2 %warpwright verify %s %s --kernel unlaunched -- -arch=sm_90 | FileCheck %s
// CHECK: unlaunched: undecided [not-run]: no launch is known
__global__ void unlaunched(int *out) { out[threadIdx.x] = 1; }

// RUN: exits 2 %warpwright verify %s %s --kernel faulty -- -arch=sm_90 | FileCheck %s --check-prefix=FAULTY
// FAULTY: faulty: undecided [not-run]: the original itself is at fault on every input
__global__ void faulty(int *out) {
  out[threadIdx.x] = 1;
  asm volatile("trap;");
}
void launch(int *out) { faulty<<<1, 32>>>(out); }
