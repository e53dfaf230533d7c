#pragma once

#include "rewriters/transposes/PointBody.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright {

/// Which way the reads and the writes of a kernel run, and what goes through shared memory between them.
struct TransposePlan {
  unsigned reading = 0; ///< the coordinate along which what is transposed is read
  unsigned writing = 0; ///< the coordinate along which it is written
  /// The positions of loads that are staged, each in a tile of its own; empty: the values of all stores are.
  std::vector<unsigned> staged;
  std::string example; ///< a load, for reports
  std::vector<std::string> assumptions;

  bool stagesValues() const { return staged.empty(); }
};

/// Nothing where no load runs across its store; then `whyNot` says what is in the way where something is.
std::optional<TransposePlan> planTranspose(const RewriteContext &context, const PointSpace &space,
                                           const PointBody &body, std::string &whyNot);

/// How the points go to threads.
struct TileShape {
  int64_t across = 32; ///< points along the reads
  int64_t down = 32;   ///< points along the writes
  int64_t threads = 256;
  bool keepsLaunch = false; ///< the tile is what a block of the original works on, a point a thread
  bool keepsGrid = false;   ///< likewise, several points a thread

  bool isPlane() const { return across >= 32 && down >= 32; } ///< rows of 32 lanes serve both sides
  int64_t lanesAlong(bool reads) const;
};

} // namespace warpwright
