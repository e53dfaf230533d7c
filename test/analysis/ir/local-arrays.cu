// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// An index known only at run time keeps the array in memory.
// CHECK: "source_name": "in_memory"
// CHECK: "index": "kept[at]",
// CHECK: "local_arrays": [
// CHECK: "name": "kept",
// CHECK-NEXT: "bytes": 32,
// CHECK-NEXT: "type": "[8 x float]",
// CHECK-NEXT: "dynamic_index": true,
__global__ void in_memory(const float *in, float *out, int at) {
  float kept[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    kept[i] = in[i * 32 + threadIdx.x];
  out[threadIdx.x] = kept[at];
}

// Constant indices after unrolling leave registers alone.
// CHECK: "source_name": "in_registers"
// CHECK: "local_arrays": [],
__global__ void in_registers(const float *in, float *out) {
  float kept[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    kept[i] = in[i * 32 + threadIdx.x];
  out[threadIdx.x] = kept[0] + kept[1] + kept[2] + kept[3];
}
