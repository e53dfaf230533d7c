// REQUIRES: nvcc
// Cooperative groups: the block, tiles of it, and the lanes that came together.
//
// RUN: echo '[{"name": "tiles", "grid": [2], "block": [64]}, {"name": "coalesced", "grid": [1], "block": [32]},' > %t.json
// RUN: echo ' {"name": "partitions", "grid": [1], "block": [128]}]' >> %t.json
// RUN: %warpwright run %s --launches %t.json -- -arch=sm_90 | FileCheck %s
//
// CHECK: "name": "tiles"
// CHECK-NOT: "printed"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

#define CHECK(condition)                                                                                               \
  if (!(condition)) printf("line %d: thread %d\n", __LINE__, int(threadIdx.x))

__global__ void tiles() {
  cg::thread_block block = cg::this_thread_block();
  CHECK(block.thread_rank() == threadIdx.x && block.size() == 64 && block.group_index().x == blockIdx.x);
  auto tile = cg::tiled_partition<8>(block);
  CHECK(tile.thread_rank() == threadIdx.x % 8 && tile.meta_group_rank() == threadIdx.x / 8);
  int sum = tile.thread_rank();
  for (int step = 4; step; step /= 2) sum += tile.shfl_xor(sum, step);
  CHECK(sum == 28);
  CHECK(tile.any(tile.thread_rank() == 5) && tile.ballot(tile.thread_rank() < 2) == 3);
  CHECK(cg::reduce(tile, int(threadIdx.x), cg::greater<int>()) == threadIdx.x / 8 * 8 + 7);
  block.sync();
}

__global__ void coalesced() {
  if (threadIdx.x % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    CHECK(group.size() == 11 && group.thread_rank() == threadIdx.x / 3);
    CHECK(group.shfl(int(threadIdx.x), 4) == 12);
    group.sync();
  }
}

__global__ void partitions() {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  auto part = cg::binary_partition(warp, warp.thread_rank() < 20);
  CHECK(part.size() == (warp.thread_rank() < 20 ? 20 : 12));
}
