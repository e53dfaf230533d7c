// REQUIRES: nvcc
// What is wrong with a file of launches is said, with the launch it is about.
//
// RUN: echo '[{"name": "scale", "grid": [2], "block": [64], "args": {"n": 100}}]' > %t.good.json
// RUN: %warpwright analyze %s --launches %t.good.json --no-ptxas -- -arch=sm_90 | FileCheck %s
// RUN: echo 'no json' > %t.bad.json
// RUN: %python %S/Inputs/exit-code.py 3 %warpwright analyze %s --launches %t.bad.json -- -arch=sm_90 2>&1 | FileCheck --check-prefix=JSON %s
// RUN: echo '[{"name": "other", "grid": [2], "block": [64]}]' > %t.other.json
// RUN: %python %S/Inputs/exit-code.py 3 %warpwright analyze %s --launches %t.other.json --no-ptxas -- -arch=sm_90 2>&1 | FileCheck --check-prefix=OTHER %s
// RUN: echo '[{"name": "scale", "grid": [2], "block": [64]}]' > %t.scalar.json
// RUN: %python %S/Inputs/exit-code.py 3 %warpwright analyze %s --launches %t.scalar.json --no-ptxas -- -arch=sm_90 2>&1 | FileCheck --check-prefix=SCALAR %s
// RUN: echo '[{"name": "scale", "grid": [2], "block": [2048], "args": {"n": 100}}]' > %t.block.json
// RUN: %python %S/Inputs/exit-code.py 3 %warpwright analyze %s --launches %t.block.json --no-ptxas -- -arch=sm_90 2>&1 | FileCheck --check-prefix=BLOCK %s
//
// 100 threads are four warps, the last of four lanes: 4 requests, 12 full sectors and one part.
// CHECK: "name": "scale"
// CHECK: "global_ld_requests": 4
// CHECK: "global_ld_sectors": 13
// JSON: is not JSON
// OTHER: no file given holds a kernel 'other'
// SCALAR: launch 0 of 'scale': {{.*}}n
// BLOCK: launch 0 of 'scale': {{.*}}1024
extern "C" __global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 2 * x[i];
}
