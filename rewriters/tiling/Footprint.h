#pragma once

#include "rewriters/tiling/Nest.h"
#include "rewriters/tiling/TilePoint.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One axis of the box of elements that a block reads of a buffer: elements `unit` apart, counted by a sum of
/// coordinates and counters.
struct TileDimension {
  struct Part {
    bool isCoordinate = false;
    unsigned position = 0; ///< in Nest::coordinates or Nest::loops
    int64_t factor = 1;
    int64_t span = 0; ///< how far it goes within a tile: its values less one
    bool operator==(const Part &) const = default;
  };
  Expression unit;
  std::vector<Part> parts;
  int64_t low = 0; ///< of what the reads add to the parts
  int64_t high = 0;
  /// What the sum has to reach and stay below where an element is read at all; only what is not sure.
  std::vector<Expression> lowers, ends;

  int64_t span() const;
  int64_t extent() const { return span() + high - low + 1; }
  /// How far the parts' first values are above the smallest of the sum, because some count it down.
  int64_t shift() const;
};

/// A read that takes its value out of a tile.
struct TileRead {
  const NestRead *read = nullptr;
  std::vector<int64_t> offsets; ///< what it adds, by dimension
  /// The tile holds zero wherever the read's own condition fails.
  bool isPadded = false;
};

/// What a block reads of one buffer, or of one part of it: a box.
struct StagedTile {
  std::string base;
  clang::QualType type;
  bool isWide = false;
  Expression rest;                       ///< of the index, beside the dimensions
  std::vector<TileDimension> dimensions; ///< by falling distance in memory
  std::vector<TileRead> reads;
  /// Not all of it is sure to be read by somebody, so that the buffer must be known to hold it.
  bool needsProof = false;

  int64_t elements() const;
  bool variesWithLoop(unsigned loop) const;
};

/// What is known of buffers: how many elements each has.
using BufferExtents = std::map<std::string, Expression>;

/// The tiles of all reads that gain by them: because they are read again, or because neighbouring lanes,
/// which lie along `fastest`, would read far apart. `strip` is the loop that is strip-mined, if there is one.
std::vector<StagedTile> findTiles(const Nest &nest, const TilePoint &point, std::optional<unsigned> strip,
                                  unsigned fastest, const BufferExtents &extents);

} // namespace warpwright
