// REQUIRES: nvcc
// Each launch given has findings of its own: the same kernel is fine with one scalar and not with another.
//
// RUN: echo '[{"name": "strided", "grid": [4], "block": [256], "args": {"n": 1}},' > %t.json
// RUN: echo ' {"name": "strided", "grid": [4], "block": [256], "args": {"n": 3}}]' >> %t.json
// RUN: %warpwright analyze --no-ptxas %s --launches %t.json -- -arch=sm_90 | FileCheck %s

// CHECK: "global_ld_sectors": 128
// CHECK: "findings": []
// CHECK: "global_ld_sectors": 384
// CHECK: "findings": [
// CHECK: "id": "uncoalesced-access"
// CHECK: "sectors": 384
// CHECK-NEXT: "ideal sectors": 128
extern "C" __global__ void strided(const float *in, float *out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[(blockIdx.x * blockDim.x + threadIdx.x) * n];
}
