// REQUIRES: nvcc
// RUN: %warpwright analyze --no-ptxas %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-low-ilp]'
#include <warpwright/annotate.h>

// 200 KB of shared memory let one block in: a warp a scheduler, with a square root and a sum to wait for.
// CHECK: :[[@LINE+7]]:{{.*}}warning: each iteration waits 47 cycles or more for the last one (fadd, sqrt{{.*}}), and the 1.00 warps of a scheduler fill at most {{[0-9]+}}% of them [warpwright-low-ilp]
// CHECK: note: let a thread work on several independent elements
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), out(y[n * 128]), shape(n = 132))
__global__ void one_chain(float *__restrict__ y, int n) {
  extern __shared__ float tile[];
  float s = 0.0f;
  for (int i = threadIdx.x; i < 51200; i += 128)
    s = sqrtf(s + tile[i]);
  y[blockIdx.x * 128 + threadIdx.x] = s;
}

// Four chains fill each other's waits.
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), out(y[n * 128]), shape(n = 132))
__global__ void four_chains(float *__restrict__ y, int n) {
  extern __shared__ float tile[];
  float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
  for (int i = threadIdx.x; i < 51200; i += 512) {
    a = sqrtf(a + tile[i]);
    b = sqrtf(b + tile[i + 128]);
    c = sqrtf(c + tile[i + 256]);
    d = sqrtf(d + tile[i + 384]);
  }
  y[blockIdx.x * 128 + threadIdx.x] = a + b + c + d;
}

// Four times the warps do as well.
KERNEL_OPTIMIZE(grid(n), block(512), dynamic_shared(200 * 1024), out(y[n * 512]), shape(n = 132))
__global__ void more_warps(float *__restrict__ y, int n) {
  extern __shared__ float tile[];
  float s = 0.0f;
  for (int i = threadIdx.x; i < 51200; i += 512)
    s = sqrtf(s + tile[i]);
  y[blockIdx.x * 512 + threadIdx.x] = s;
}

// The sum of a list: the next element's place is in this one.
// CHECK: :[[@LINE+6]]:{{.*}}warning: each iteration waits 33 cycles or more for the last one (load.global), and the 1.00 warps of a scheduler fill at most {{[0-9]+}}% of them [warpwright-low-ilp]
// CHECK: note: let a thread follow several chains at a time
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), in(next[n * 4096]), out(y[n * 128]), shape(n = 132))
__global__ void walk(const int *__restrict__ next, int *__restrict__ y, int n) {
  int at = blockIdx.x * 128 + threadIdx.x;
  for (int i = 0; i < 1000; ++i)
    at = next[at];
  y[blockIdx.x * 128 + threadIdx.x] = at;
}

// How long a call takes that is not inlined is not known.
__device__ __noinline__ float step(float s) { return s * s + 1.0f; }
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(200 * 1024), out(y[n * 128]), shape(n = 132))
__global__ void unknown(float *__restrict__ y, int n) {
  float s = 0.0f;
  for (int i = 0; i < 1000; ++i)
    s = step(s);
  y[blockIdx.x * 128 + threadIdx.x] = s;
}
