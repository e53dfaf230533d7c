// RUN: %warpwright analyze --no-ptxas --format json %s -- -arch=sm_90 | FileCheck %s

// A condition on the block is the same for all of its threads: no hazard.
// CHECK: "source_name": "barriers"
// CHECK: "synchronisations": [
__global__ void barriers(float *a) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x];
  // CHECK: "line": [[@LINE+3]],
  // CHECK: "kind": "barrier",
  // CHECK: "divergent_control": false,
  __syncthreads();
  if (threadIdx.x < 32) {
    // CHECK: "line": [[@LINE+3]],
    // CHECK: "kind": "warp-sync",
    // CHECK: "divergent_control": true,
    __syncwarp();
    s[0] += s[threadIdx.x];
  }
  // CHECK: "line": [[@LINE+4]],
  // CHECK: "kind": "barrier",
  // CHECK: "divergent_control": false,
  if (blockIdx.x == 0)
    __syncthreads();
  a[threadIdx.x] = s[255 - threadIdx.x];
}

// CHECK: "source_name": "hazard"
// CHECK: "kind": "barrier",
// CHECK: "divergent_control": true,
__global__ void hazard(float *a) {
  if (threadIdx.x < 16)
    __syncthreads();
  a[threadIdx.x] = 0;
}

// CHECK: "source_name": "in_loop"
// CHECK: "contains_barrier": true,
// CHECK: "synchronisations": [
// CHECK: "loop": 0
__global__ void in_loop(float *a, int n) {
  for (int i = 0; i < n; ++i) {
    a[i * blockDim.x + threadIdx.x] += 1;
    __syncthreads();
  }
}
