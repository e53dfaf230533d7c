// REQUIRES: nvcc
// Mistakes in annotations are said at the clause and cost that clause alone. The tool exits with 3; a build goes on unless
// it is strict.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %source_dir/test/cli/Inputs/exit-code.py 3 %warpwright optimize %s --output-dir %t/out -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s
// RUN: %warpwright cc -- %nvcc -arch=sm_90 -I%source_dir/include -c %s -o %t/object.o 2>&1 | FileCheck %s
// RUN: ls %t/object.o
// RUN: not %warpwright cc --strict -- %nvcc -arch=sm_90 -I%source_dir/include -c %s -o %t/strict.o
//
// CHECK: bad-annotation.cu:[[#]]:58: warning: 'm' is no parameter of the kernel
// CHECK: unknown clause 'shpe' [warpwright-annotation]
// CHECK: did you mean 'shape'?
// CHECK: the tolerance 'rel' is not positive
// CHECK: the kernel 'nobody' is annotated, but has no body
// CHECK: 'host' is annotated, but it is no kernel
#include <warpwright/annotate.h>
KERNEL_OPTIMIZE(grid(n / 32), block(32), in(x[n]), out(y[m]), shpe(n = 32), tolerance(rel = -1))
__global__ void k(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
KERNEL_OPTIMIZE(grid(1), block(32))
__global__ void nobody(float *x);
KERNEL_OPTIMIZE(grid(1), block(32))
void host(float *x) {}
