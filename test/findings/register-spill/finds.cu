// REQUIRES: nvcc
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-register-spill]'
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include -maxrregcount=32 | FileCheck %s --check-prefix=LIMITED

// 64 sums live at once in 32 registers.
// CHECK: :[[@LINE+2]]:{{.*}}warning: {{[0-9]+}} bytes are spilled to local memory and {{[0-9]+}} bytes read back, a thread, with {{[0-9]+}} registers a thread [warpwright-register-spill]
// CHECK: note: ask for fewer resident blocks or smaller blocks in __launch_bounds__
__global__ void __launch_bounds__(1024, 2) many_sums(const float *x, float *y, int n) {
  float sums[64];
#pragma unroll
  for (int j = 0; j < 64; ++j)
    sums[j] = x[j * n + threadIdx.x];
  for (int i = 0; i < n; ++i) {
    float v = x[i];
#pragma unroll
    for (int j = 0; j < 64; ++j)
      sums[j] = sums[j] * v + sums[(j + 1) & 63];
  }
#pragma unroll
  for (int j = 0; j < 64; ++j)
    y[j * n + threadIdx.x] = sums[j];
}

// The same work, and enough registers: nothing spills. With -maxrregcount it does.
// LIMITED: :[[@LINE+2]]:{{.*}}warning: {{[0-9]+}} bytes are spilled
// LIMITED: note: allow more registers (-maxrregcount, __launch_bounds__ with the block that is really used)
__global__ void unbounded(const float *x, float *y, int n) {
  float sums[64];
#pragma unroll
  for (int j = 0; j < 64; ++j)
    sums[j] = x[j * n + threadIdx.x];
  for (int i = 0; i < n; ++i) {
    float v = x[i];
#pragma unroll
    for (int j = 0; j < 64; ++j)
      sums[j] = sums[j] * v + sums[(j + 1) & 63];
  }
#pragma unroll
  for (int j = 0; j < 64; ++j)
    y[j * n + threadIdx.x] = sums[j];
}

// An array in local memory because its index is not constant is no spill.
__global__ void local_array(const int *x, int *y, int n) {
  int counts[32] = {};
  for (int i = 0; i < n; ++i)
    ++counts[x[i] & 31];
  y[threadIdx.x] = counts[threadIdx.x & 31];
}
