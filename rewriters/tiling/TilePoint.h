#pragma once

#include <cstdint>
#include <vector>

namespace warpwright {

/// One point of the parameter space of a tiled kernel.
struct TilePoint {
  /// Of a coordinate: threads of a block along it, and outputs of each of them.
  struct Share {
    int64_t threads = 1;
    int64_t perThread = 1;
    int64_t tile() const { return threads * perThread; }
  };
  std::vector<Share> shares; ///< in the order of the nest's coordinates
  int64_t strip = 0;         ///< iterations of the strip-mined loop that go through shared memory at a time
  int64_t stages = 1;        ///< strips in shared memory at a time
  bool isStaged = false;     ///< whether anything goes through shared memory
  int64_t minBlocks = 0;     ///< resident blocks to ask ptxas for; 0: as it likes

  int64_t threads() const {
    int64_t product = 1;
    for (const Share &share : shares)
      product *= share.threads;
    return product;
  }
};

} // namespace warpwright
