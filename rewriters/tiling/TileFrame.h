#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/tiling/Footprint.h"
#include "rewriters/tiling/Nest.h"
#include "rewriters/tiling/TilePoint.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Who computes what in a tiled kernel, in words of code: where a block's tile begins along each coordinate,
/// where a thread stands in it, and the loops over what a thread computes.
class TileFrame {
public:
  /// `fastest` is the coordinate along which neighbouring lanes lie.
  TileFrame(const Nest &nest, const TilePoint &point, llvm::ArrayRef<StagedTile> tiles, unsigned fastest,
            FreshNames &names);

  /// Constants, where the block's tile begins and where the thread stands in it.
  void declare(CodeLines &code) const;
  /// The loops over a thread's outputs; `closeLoops` ends as many.
  void openLoops(CodeLines &code) const;
  void closeLoops(CodeLines &code) const;

  /// "[rowStep][colStep]", or with `extents` "[rowPerThread][colPerThread]".
  std::string subscripts(bool extents) const;
  /// Whether the coordinate is one value for the whole block, under its own name.
  bool isUniform(unsigned coordinate) const;
  /// Its declaration within the loops over outputs: "const int row = rowBegin + rowInTile + rowStep;".
  std::string declaration(unsigned coordinate) const;
  /// Where an output stands in the block's tile, within the loops over outputs. Empty for the tile's one.
  std::string offset(unsigned coordinate) const;
  /// The variable that holds its first value in the block's tile.
  std::string begin(unsigned coordinate) const;
  /// The constant that says how many of its values a tile has; empty where it is one.
  unsigned fastest() const { return fastest_; }
  std::string tileName(unsigned coordinate) const { return frames_[coordinate].tile; }
  /// The grid, an annotation's expressions by axis; an axis without coordinates has `kept`.
  std::vector<std::string> grid(llvm::ArrayRef<std::string> kept) const;

private:
  struct Frame {
    std::string tile, perThread, begin, inTile, step, offset, blocks;
    int64_t group = 1; ///< outputs that stand side by side, before the next thread's
  };
  std::string offsetCode(unsigned coordinate) const;
  std::string blockCode(unsigned coordinate) const;
  std::string threadCode(unsigned coordinate) const;

  const Nest &nest_;
  const TilePoint &point_;
  unsigned fastest_;
  std::vector<Frame> frames_;
  std::vector<unsigned> lanes_; ///< coordinates with several threads, the fastest first
};

/// The dimension of a tile that lies in shared memory element by element: that along which neighbouring lanes
/// lie, or else that along which a thread takes several, so that it reads them together.
unsigned innermostOf(const StagedTile &tile, const TilePoint &point, unsigned fastest);
/// Bytes of an element; 0 where it is not known.
uint64_t bytesOf(clang::QualType type);

} // namespace warpwright
