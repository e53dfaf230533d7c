#pragma once

#include "rewriters/tiling/Nest.h"
#include "rewriters/tiling/TilePoint.h"
#include "rewriters/tiling/TilingProposals.h"

#include <vector>

namespace warpwright {

/// What the choice of tiles depends on.
struct TileRoles {
  unsigned fastest = 0;           ///< neighbouring lanes lie along this coordinate
  std::optional<unsigned> second; ///< operands are shared along this one that are not along the fastest
  std::optional<unsigned> turned; ///< reads go along this one where writes go along the fastest
  int64_t row = 0;                ///< how many places it has in the main shape; 0 where that is not known
  std::optional<unsigned> patch;  ///< windows overlap along this one as along the fastest
};

TileRoles rolesOf(const Nest &nest, unsigned fastest);

/// The points to propose, the most promising first.
std::vector<TilePoint> tilePoints(const Nest &nest, const TileRoles &roles, TilingKind kind, bool isStripped);

} // namespace warpwright
