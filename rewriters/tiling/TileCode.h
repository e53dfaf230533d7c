#pragma once

#include "rewriters/tiling/Footprint.h"
#include "rewriters/tiling/LeafWriter.h"
#include "rewriters/tiling/NestReader.h"
#include "rewriters/tiling/TileFrame.h"
#include "rewriters/tiling/TilePoint.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A kernel's body at one point of the parameter space.
struct TiledBody {
  CodeLines code;
  std::vector<std::string> grid; ///< expressions of annotations
  std::vector<std::string> assumptions;
  int64_t sharedBytes = 0;
  bool isDynamic = false; ///< the launch brings them
  unsigned staged = 0; ///< tiles in shared memory
  std::string whyNot;  ///< why there is none; empty where there is
};

/// What the kernel is written from; all of it outlives the writing.
struct TileSource {
  const RewriteContext &context;
  const Nest &nest;
  const NestReader &reader;
  SymbolTable &table;            ///< of the nest
  std::optional<unsigned> strip; ///< the loop that is strip-mined
  const BufferExtents &extents;
  unsigned fastest; ///< the coordinate along which neighbouring lanes lie
};

TiledBody writeTileCode(const TileSource &source, const TilePoint &point);

/// The loop to strip-mine: the outermost whose inner loops are short and of constant length. Nothing where
/// there is no loop, or all of them together are that.
std::optional<unsigned> chooseStrip(const Nest &nest);

} // namespace warpwright
