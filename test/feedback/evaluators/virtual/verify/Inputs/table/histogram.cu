#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(ceil_div(n, 128)), block(128), in(data[n]), inout(bins[64]), init(data, integers(0, 63)),
                init(bins, zeros), shape(n = 1048576), shape(n = 1000), shape(n = 50), require(n > 0),
                allow(launch_change))
__global__ void histogram(const int *data, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[data[i]], 1u);
}

template <bool Clear, bool FirstBarrier, bool SecondBarrier, bool Atomic>
__device__ void privatised(const int *data, unsigned *bins, int n) {
  __shared__ unsigned own[64];
  if (Clear && threadIdx.x < 64)
    own[threadIdx.x] = 0;
  if (FirstBarrier)
    __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&own[data[i]], 1u);
  if (SecondBarrier)
    __syncthreads();
  if (threadIdx.x < 64) {
    if (Atomic)
      atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
    else
      bins[threadIdx.x] += own[threadIdx.x];
  }
}
//! accept: counted in shared memory first
__global__ void histogram_shared(const int *data, unsigned *bins, int n) {
  privatised<true, true, true, true>(data, bins, n);
}
//! reject uninitialised-read: the shared counts are not cleared
__global__ void histogram_uncleared(const int *data, unsigned *bins, int n) {
  privatised<false, true, true, true>(data, bins, n);
}
//! reject shared-race uninitialised-read: no barrier after clearing
__global__ void histogram_no_first_barrier(const int *data, unsigned *bins, int n) {
  privatised<true, false, true, true>(data, bins, n);
}
//! reject shared-race: no barrier before the counts are taken
__global__ void histogram_no_second_barrier(const int *data, unsigned *bins, int n) {
  privatised<true, true, false, true>(data, bins, n);
}
//! reject block-race: blocks add without atomics
__global__ void histogram_plain_merge(const int *data, unsigned *bins, int n) {
  privatised<true, true, true, false>(data, bins, n);
}
//! reject block-race: counts without atomics
__global__ void histogram_plain(const int *data, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bins[data[i]] += 1;
}
//! reject unwritten-output wrong-output: the last bin is taken for an overflow
__global__ void histogram_last_bin(const int *data, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && data[i] < 63)
    atomicAdd(&bins[data[i]], 1u);
}
//! reject wrong-output unwritten-output: counts of eight bits, right while no bin has 256
//! steps [{"launch": "histogram_bytes", "grid": [1], "block": [64]}]
__global__ void histogram_bytes(const int *data, unsigned *bins, int n) {
  unsigned char count = 0;
  for (int i = 0; i < n; ++i)
    count += data[i] == threadIdx.x;
  bins[threadIdx.x] += count;
}
//! reject wrong-output: the loop over the grid takes some elements twice
//! steps [{"launch": "histogram_twice", "grid": ["max(grid.x / 2, 1)"]}]
__global__ void histogram_twice(const int *data, unsigned *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&bins[data[i]], 1u);
}
//! accept: a loop over the grid
//! steps [{"launch": "histogram_strided", "grid": ["max(grid.x / 2, 1)"]}]
__global__ void histogram_strided(const int *data, unsigned *bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i]], 1u);
}
//! accept: a thread a bin
//! steps [{"launch": "histogram_owner", "grid": [1], "block": [64]}]
__global__ void histogram_owner(const int *data, unsigned *bins, int n) {
  unsigned count = 0;
  for (int i = 0; i < n; ++i)
    count += data[i] == threadIdx.x;
  bins[threadIdx.x] += count;
}
//! accept: lanes that count the same bin agree on one of them to do it
__global__ void histogram_match(const int *data, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(0xffffffff, i < n);
  if (i >= n)
    return;
  unsigned same = __match_any_sync(active, data[i]);
  if (threadIdx.x % 32 == __ffs(same) - 1)
    atomicAdd(&bins[data[i]], static_cast<unsigned>(__popc(same)));
}
