#include <warpwright/annotate.h>

KERNEL_OPTIMIZE(grid(rows), block(128), in(x[rows * 128]), out(y[rows * 128]), shape(rows = 64), shape(rows = 5),
                shape(rows = 1), require(rows > 0), allow(launch_change))
__global__ void scan(const int *x, int *y, int rows) {
  int sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i)
    sum += x[blockIdx.x * 128 + i];
  y[blockIdx.x * 128 + threadIdx.x] = sum;
}

//! reject wrong-output: exclusive instead of inclusive
__global__ void scan_exclusive(const int *x, int *y, int rows) {
  int sum = 0;
  for (unsigned i = 0; i < threadIdx.x; ++i)
    sum += x[blockIdx.x * 128 + i];
  y[blockIdx.x * 128 + threadIdx.x] = sum;
}
//! reject shared-race: one buffer, read and written in the same step
__global__ void scan_in_place(const int *x, int *y, int rows) {
  __shared__ int sums[128];
  int t = threadIdx.x;
  sums[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    if (t >= step)
      sums[t] += sums[t - step];
    __syncthreads();
  }
  y[blockIdx.x * 128 + t] = sums[t];
}
//! accept: one buffer, and a barrier between reading and writing
__global__ void scan_two_barriers(const int *x, int *y, int rows) {
  __shared__ int sums[128];
  int t = threadIdx.x;
  sums[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    int other = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  y[blockIdx.x * 128 + t] = sums[t];
}
//! accept: two buffers in turn
__global__ void scan_double_buffer(const int *x, int *y, int rows) {
  __shared__ int sums[2][128];
  int t = threadIdx.x, now = 0;
  sums[0][t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    sums[1 - now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  y[blockIdx.x * 128 + t] = sums[now][t];
}
//! reject wrong-output: the last of seven steps is left out
__global__ void scan_six_steps(const int *x, int *y, int rows) {
  __shared__ int sums[2][128];
  int t = threadIdx.x, now = 0;
  sums[0][t] = x[blockIdx.x * 128 + t];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    sums[1 - now][t] = sums[now][t] + (t >= step ? sums[now][t - step] : 0);
    now = 1 - now;
    __syncthreads();
  }
  y[blockIdx.x * 128 + t] = sums[now][t];
}

template <bool Offsets, bool Barrier> __device__ void warps(const int *x, int *y) {
  __shared__ int ends[4];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int sum = x[blockIdx.x * 128 + t];
  for (int step = 1; step < 32; step *= 2) {
    int other = __shfl_up_sync(0xffffffff, sum, step);
    if (lane >= step)
      sum += other;
  }
  if (lane == 31)
    ends[warp] = sum;
  if (Barrier)
    __syncthreads();
  if (Offsets)
    for (int i = 0; i < warp; ++i)
      sum += ends[i];
  y[blockIdx.x * 128 + t] = sum;
}
//! accept: shuffles, and the sums of earlier warps
__global__ void scan_shuffle(const int *x, int *y, int rows) { warps<true, true>(x, y); }
//! reject wrong-output: every warp begins from zero
__global__ void scan_warps_apart(const int *x, int *y, int rows) { warps<false, true>(x, y); }
//! reject shared-race uninitialised-read: the sums of earlier warps are read without a barrier
__global__ void scan_no_barrier(const int *x, int *y, int rows) { warps<true, false>(x, y); }
//! reject wrong-output: sums in 16 bits, right while they are small
__global__ void scan_short(const int *x, int *y, int rows) {
  short sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i)
    sum = static_cast<short>(sum + x[blockIdx.x * 128 + i] * 2) ;
  y[blockIdx.x * 128 + threadIdx.x] = sum / 2;
}
//! accept: one thread a row
//! steps [{"launch": "scan_serial", "grid": ["ceil_div(rows, 32)"], "block": [32]}]
__global__ void scan_serial(const int *x, int *y, int rows) {
  int row = blockIdx.x * 32 + threadIdx.x, sum = 0;
  if (row >= rows)
    return;
  for (int i = 0; i < 128; ++i)
    y[row * 128 + i] = sum += x[row * 128 + i];
}
