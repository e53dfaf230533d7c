#include "rewriters/tiling/TileSpace.h"

#include "rewriters/tiling/TileFrame.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Of two coordinates along which operands are shared: {threads, outputs a thread} of the second and of the
/// fastest, and the strip. For operands of 4 bytes.
struct ProductPoint {
  TilePoint::Share second, fastest;
  int64_t strip;
  int64_t stages;
};
constexpr ProductPoint productPoints[] = {
    {{16, 8}, {16, 8}, 16, 2}, {{8, 8}, {16, 8}, 16, 2}, {{8, 8}, {16, 4}, 16, 2},  {{16, 8}, {16, 4}, 16, 2},
    {{16, 4}, {16, 4}, 16, 2}, {{8, 4}, {16, 4}, 16, 2}, {{16, 2}, {16, 2}, 32, 1}, {{16, 8}, {32, 8}, 16, 2},
};
/// The same with a patch of outputs that share a window.
struct PatchPoint {
  TilePoint::Share second, patch, fastest;
  int64_t strip;
};
constexpr PatchPoint patchPoints[] = {
    {{4, 8}, {8, 1}, {8, 4}, 4},
    {{2, 4}, {8, 1}, {16, 2}, 4},
    {{2, 8}, {8, 1}, {16, 2}, 8},
    {{4, 8}, {4, 2}, {16, 2}, 4},
};
/// The same where a row of outputs is short: all of it, four outputs a thread.
constexpr PatchPoint rowPoints[] = {
    {{2, 8}, {8, 1}, {0, 4}, 4},
    {{4, 8}, {4, 1}, {0, 4}, 4},
    {{2, 8}, {4, 1}, {0, 4}, 4},
    {{1, 8}, {8, 1}, {0, 4}, 8},
};
constexpr int64_t shortestRow = 12, longestRow = 64;
/// Of one coordinate, or two, that share a window alone.
struct WindowPoint {
  TilePoint::Share second, fastest;
};
constexpr WindowPoint windowPoints[] = {
    {{1, 8}, {128, 1}}, {{4, 4}, {64, 1}}, {{8, 4}, {32, 1}}, {{8, 8}, {32, 1}}, {{8, 1}, {32, 4}},
};
/// Of one that is read along the second and written along the fastest.
constexpr WindowPoint turnPoints[] = {{{8, 4}, {32, 1}}, {{8, 8}, {32, 2}}, {{16, 2}, {32, 1}}};
constexpr WindowPoint linePoints[] = {{{1, 1}, {256, 4}}, {{1, 1}, {128, 8}}, {{1, 1}, {256, 1}}};

bool dependsOn(const NestRead &read, const NestCoordinate &coordinate) {
  return read.index.mentions([&](const Symbol &symbol) { return &symbol == coordinate.symbol; });
}

/// The reads that do not change along the coordinate.
std::vector<bool> sharedAlong(const Nest &nest, const NestCoordinate &coordinate) {
  std::vector<bool> shared;
  for (const NestRead &read : nest.reads)
    shared.push_back(!dependsOn(read, coordinate));
  return shared;
}

bool any(const std::vector<bool> &values) {
  return llvm::is_contained(values, true);
}

/// Whether a counter, or another read, meets the coordinate at one place: `row + dy`, `row - 1`.
bool hasWindow(const Nest &nest, const NestCoordinate &coordinate) {
  for (const NestRead &read : nest.reads) {
    std::optional<Expression> own = read.index.coefficient(coordinate.symbol);
    if (!own || own->isZero())
      continue;
    for (unsigned loop : read.loops)
      if (std::optional<Expression> other = read.index.coefficient(nest.loops[loop].symbol);
          other && *other == *own)
        return true;
    for (const NestRead &other : nest.reads)
      if (other.base == read.base && !(other.index == read.index))
        return true;
  }
  return false;
}

TilePoint pointOf(const Nest &nest) {
  TilePoint point;
  point.shares.resize(nest.coordinates.size());
  return point;
}

/// Threads with many outputs do with 128 registers, but ptxas has to be told to.
int64_t minBlocksOf(const TilePoint &point, int64_t width) {
  int64_t outputs = width;
  for (const TilePoint::Share &share : point.shares)
    outputs *= share.perThread;
  return point.isStaged && outputs >= 32 && outputs <= 64 ? 512 / point.threads() : 0;
}

int64_t largestElement(const Nest &nest) {
  int64_t largest = 4;
  for (const NestRead &read : nest.reads)
    largest = std::max<int64_t>(largest, static_cast<int64_t>(bytesOf(read.type)));
  return largest;
}

} // namespace

TileRoles rolesOf(const Nest &nest, unsigned fastest) {
  TileRoles roles;
  roles.fastest = fastest;
  std::vector<bool> alongFastest = sharedAlong(nest, nest.coordinates[fastest]);
  size_t most = 0;
  for (unsigned i = 0; i < nest.coordinates.size(); ++i) {
    if (i == fastest)
      continue;
    std::vector<bool> shared = sharedAlong(nest, nest.coordinates[i]);
    size_t own = 0;
    for (size_t read = 0; read < shared.size(); ++read)
      own += shared[read] && !alongFastest[read];
    if (own > most) {
      most = own;
      roles.second = i;
    }
  }
  // What is read along another coordinate than it is written turns round in a tile.
  for (unsigned i = 0; i < nest.coordinates.size() && !nest.nest && !roles.patch; ++i)
    if (i != fastest && llvm::any_of(nest.reads, [&](const NestRead &read) {
          std::optional<Expression> own = read.index.coefficient(nest.coordinates[i].symbol);
          return own && *own == Expression(1) && dependsOn(read, nest.coordinates[fastest]);
        }))
      roles.turned = i;
  for (unsigned i = 0; i < nest.coordinates.size() && !roles.patch; ++i)
    if (i != fastest && roles.second != i && hasWindow(nest, nest.coordinates[i]) &&
        (!nest.nest || any(sharedAlong(nest, nest.coordinates[i]))))
      roles.patch = i;
  return roles;
}

std::vector<TilePoint> tilePoints(const Nest &nest, const TileRoles &roles, TilingKind kind,
                                  bool isStripped) {
  std::vector<TilePoint> points;
  const bool isStaged = kind == TilingKind::Shared;
  // An operand twice as wide takes twice the registers.
  const int64_t width = largestElement(nest) / 4;
  auto add = [&](TilePoint point, int64_t strip) {
    point.isStaged = isStaged;
    point.strip = point.isStaged && isStripped ? strip : 0;
    point.minBlocks = minBlocksOf(point, width);
    bool isSame = llvm::any_of(points, [&](const TilePoint &other) {
      return other.strip == point.strip && other.stages == point.stages &&
             llvm::all_of(llvm::zip(other.shares, point.shares), [](const auto &pair) {
               return std::get<0>(pair).threads == std::get<1>(pair).threads &&
                      std::get<0>(pair).perThread == std::get<1>(pair).perThread;
             });
    });
    if (!isSame)
      points.push_back(std::move(point));
  };
  auto narrowed = [&](TilePoint::Share share) {
    if (width > 1 && share.perThread == 8)
      share.perThread = 4;
    return share;
  };
  if (roles.second && roles.patch) {
    std::vector<PatchPoint> patches(std::begin(patchPoints), std::end(patchPoints));
    if (roles.row >= shortestRow && roles.row <= longestRow)
      for (PatchPoint one : llvm::reverse(rowPoints)) {
        one.fastest.threads = (roles.row + one.fastest.perThread - 1) / one.fastest.perThread;
        patches.insert(patches.begin(), one);
      }
    for (const PatchPoint &one : patches) {
      TilePoint point = pointOf(nest);
      point.shares[*roles.second] = narrowed(one.second);
      point.shares[*roles.patch] = one.patch;
      point.shares[roles.fastest] = one.fastest;
      add(std::move(point), one.strip);
    }
    return points;
  }
  if (roles.second) {
    for (const ProductPoint &one : productPoints) {
      TilePoint point = pointOf(nest);
      point.shares[*roles.second] = narrowed(one.second);
      point.shares[roles.fastest] = narrowed(one.fastest);
      point.stages = isStaged && isStripped ? one.stages : 1;
      add(std::move(point), one.strip);
    }
    return points;
  }
  if (roles.turned && isStaged)
    for (const WindowPoint &one : turnPoints) {
      TilePoint point = pointOf(nest);
      point.shares[*roles.turned] = one.second;
      point.shares[roles.fastest] = one.fastest;
      add(std::move(point), 0);
    }
  for (const WindowPoint &one : roles.patch ? llvm::ArrayRef(windowPoints) : llvm::ArrayRef(linePoints)) {
    TilePoint point = pointOf(nest);
    if (roles.patch)
      point.shares[*roles.patch] = one.second;
    point.shares[roles.fastest] = one.fastest;
    add(std::move(point), 32);
  }
  return points;
}

} // namespace warpwright
