// REQUIRES: nvcc
// How long a thread may stay in a loop without an end in sight is an option.
//
// RUN: echo '[{"name": "collatz", "grid": [1], "block": [32], "args": {"n": 27}, "buffers": {"out": {"elements": 32, "type": "int32"}}}]' > %t.json
// RUN: %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90 -I%source_dir/include
// RUN: exits 1 %warpwright run %s --launches %t.json --step-limit 100 --output %t.out -- -arch=sm_90 -I%source_dir/include 2>&1 | FileCheck %s
// CHECK: step-limit.cu:[[#@LINE+15]]:{{.*}}is still in a loop after 100 iterations [step-limit]
//
// RUN: exits 3 %warpwright run %s --launches %t.json --step-limit many -- -arch=sm_90 2>&1 | FileCheck --check-prefix=USAGE %s
// USAGE: --step-limit
//
// The original that ends in no time leaves nothing to compare.
// RUN: %warpwright verify %s %s -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SAME %s
// SAME: collatz: accepted
// RUN: exits 2 %warpwright verify %s %s --step-limit 100 -- -arch=sm_90 -I%source_dir/include | FileCheck --check-prefix=SHORT %s
// SHORT: collatz: undecided
#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(1), block(32), out(out[32]), shape(n = 27))
__global__ void collatz(int *out, int n) {
  int steps = 0;
  for (int at = 27 + threadIdx.x % 2; at > 1; ++steps) at = at % 2 ? 3 * at + 1 : at / 2;
  out[threadIdx.x] = steps + n;
}
