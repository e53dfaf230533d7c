// REQUIRES: nvcc
// RUN: %warpwright analyze %s -- -arch=sm_90 -I%source_dir/include | FileCheck %s --implicit-check-not='[warpwright-occupancy-limited]'
#include <warpwright/annotate.h>

// 80 KB a block let two blocks in, 75 KB three.
// CHECK: :[[@LINE+4]]:{{.*}}warning: at most 8 of 64 warps are resident, limited by shared memory; {{[0-9]+}} bytes of shared memory less a block would allow 12 [warpwright-occupancy-limited]
// CHECK: note: use smaller tiles or elements
KERNEL_OPTIMIZE(grid(n), block(128), dynamic_shared(80 * 1024), in(x[n * 20480]), out(y[n * 128]),
                shape(n = 132))
__global__ void large_tile(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < 20480; i += 128)
    tile[i] = x[blockIdx.x * 20480 + i];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 20480; i += 128)
    sum += tile[(i * 33 + threadIdx.x) % 20480];
  y[blockIdx.x * 128 + threadIdx.x] = sum;
}

// The same tile for a block of the most threads fills half of the warps: enough.
KERNEL_OPTIMIZE(grid(n), block(1024), dynamic_shared(120 * 1024), in(x[n * 20480]), out(y[n * 1024]),
                shape(n = 132))
__global__ void large_block(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < 20480; i += 1024)
    tile[i] = x[blockIdx.x * 20480 + i];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 20480; i += 1024)
    sum += tile[(i * 33 + threadIdx.x) % 20480];
  y[blockIdx.x * 1024 + threadIdx.x] = sum;
}

// One block fills the shared memory by design; half of it would be another kernel.
KERNEL_OPTIMIZE(grid(n), block(256), dynamic_shared(220 * 1024), in(x[n * 20480]), out(y[n * 256]),
                shape(n = 132))
__global__ void whole_memory(const float *x, float *y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < 50000; i += 256)
    tile[i] = x[blockIdx.x * 20480 + i];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 50000; i += 256)
    sum += tile[(i * 33 + threadIdx.x) % 50000];
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}

// Full occupancy.
KERNEL_OPTIMIZE(grid(n), block(256), in(x[n * 256]), out(y[n * 256]), shape(n = 132))
__global__ void copy(const float *x, float *y, int n) {
  y[blockIdx.x * 256 + threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
}
