// REQUIRES: nvcc
// Lanes of a warp meet: shuffles, votes, matches, reductions. Each kernel checks itself and prints what is wrong.
//
// RUN: echo '[{"name": "shuffles", "grid": [2], "block": [64]}, {"name": "votes", "grid": [1], "block": [64]},' > %t.json
// RUN: echo ' {"name": "matches", "grid": [1], "block": [32]}, {"name": "reductions", "grid": [1], "block": [40]},' >> %t.json
// RUN: echo ' {"name": "halves", "grid": [3], "block": [32]}, {"name": "barriers", "grid": [5], "block": [96]},' >> %t.json
// RUN: echo ' {"name": "prints", "grid": [1], "block": [32]}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json --output %t.out -- -arch=sm_90
// RUN: FileCheck %s < %t.out
// RUN: validate %source_dir/docs/schema/counters-1.json %t.out
//
// CHECK: "name": "shuffles"
// CHECK-NOT: "printed"
// CHECK: "name": "prints"
// CHECK: "printed": "line {{[0-9]+}}: lane 3\n"
#include <cstdio>

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d: lane %d\n", __LINE__, int(threadIdx.x))

constexpr unsigned full = 0xffffffffu;

__global__ void shuffles() {
  int lane = threadIdx.x % 32;
  CHECK(__shfl_sync(full, lane * 3, 5) == 15);
  CHECK(__shfl_sync(full, lane, lane + 1) == (lane + 1) % 32);
  CHECK(__shfl_up_sync(full, lane, 2) == (lane < 2 ? lane : lane - 2));
  CHECK(__shfl_down_sync(full, lane, 30) == (lane < 2 ? lane + 30 : lane));
  CHECK(__shfl_xor_sync(full, lane, 31) == 31 - lane);
  CHECK(__shfl_sync(full, lane, 1, 8) == lane / 8 * 8 + 1);
  CHECK(__shfl_up_sync(full, lane, 1, 4) == (lane % 4 ? lane - 1 : lane));
  CHECK(__shfl_down_sync(full, lane, 3, 16) == (lane % 16 < 13 ? lane + 3 : lane));
  CHECK(__shfl_xor_sync(full, double(lane) + 0.5, 4) == (lane ^ 4) + 0.5);
  CHECK(__shfl_sync(full, (long long)(lane) << 40, 9) == 9ll << 40);
  float sum = lane;
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(full, sum, step);
  CHECK(lane || sum == 496.0f);
}

__global__ void votes() {
  int lane = threadIdx.x % 32;
  CHECK(__ballot_sync(full, lane % 3 == 0) == 0x49249249u);
  CHECK(__any_sync(full, lane == 7));
  CHECK(!__any_sync(full, lane == 32));
  CHECK(__all_sync(full, lane < 32));
  CHECK(!__all_sync(full, lane < 31));
  CHECK(__activemask() == full);
  if (lane < 10) {
    CHECK(__activemask() == 0x3ffu);
    CHECK(__ballot_sync(0x3ffu, lane & 1) == 0x2aau);
  } else {
    CHECK(__activemask() == ~0x3ffu);
  }
  __syncwarp();
}

__global__ void matches() {
  int lane = threadIdx.x;
  CHECK(__match_any_sync(full, lane / 8) == 0xffu << lane / 8 * 8);
  int same = -1;
  CHECK(__match_all_sync(full, 5ll, &same) == full && same == 1);
  CHECK(__match_all_sync(full, lane, &same) == 0 && same == 0);
}

__global__ void reductions() {
  unsigned mask = threadIdx.x < 32 ? full : 0xffu;
  int lane = threadIdx.x % 32, lanes = threadIdx.x < 32 ? 32 : 8;
  CHECK(__reduce_add_sync(mask, lane) == lanes * (lanes - 1) / 2);
  CHECK(__reduce_min_sync(mask, lane - 5) == -5);
  CHECK(__reduce_max_sync(mask, unsigned(lane)) == lanes - 1);
  CHECK(__reduce_or_sync(mask, 1u << lane) == mask);
  CHECK(__reduce_and_sync(mask, ~(1u << lane)) == ~mask);
  CHECK(__reduce_xor_sync(mask, 3u) == 0);
}

__global__ void halves() {
  int lane = threadIdx.x;
  int other;
  if (lane < 16) other = __shfl_xor_sync(0x0000ffffu, lane, 1);
  else other = __shfl_xor_sync(0xffff0000u, lane, 2);
  CHECK(other == (lane ^ (lane < 16 ? 1 : 2)));
}

__global__ void barriers() {
  __shared__ int values[96];
  int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    values[t] = t * i;
    __syncthreads();
    CHECK(values[95 - t] == (95 - t) * i);
    __syncthreads();
  }
  CHECK(__syncthreads_count(t % 2) == 48);
  CHECK(__syncthreads_or(t == 90));
  CHECK(!__syncthreads_and(t != 90));
  CHECK(__syncthreads_and(t < 96));
}

__global__ void prints() {
  CHECK(threadIdx.x != 3);
}
