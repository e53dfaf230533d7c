#include "rewriters/tiling/Footprint.h"

#include "rewriters/tiling/Polynomials.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>
#include <set>
#include <tuple>

namespace warpwright {
namespace {

/// How much further apart reads of one buffer may lie to share a tile.
constexpr int64_t widestHalo = 32;
/// How often an element must be read for its way through shared memory to pay.
constexpr int64_t leastReuse = 2;

unsigned degreeOf(const Expression &expression) {
  unsigned degree = 0;
  for (const auto &[monomial, coefficient] : expression.terms())
    degree = std::max<unsigned>(degree, monomial.size());
  return degree;
}

int64_t contentOf(const Expression &expression) {
  int64_t content = 0;
  bool isNegative = true;
  for (const auto &[monomial, coefficient] : expression.terms()) {
    content = std::gcd(content, coefficient);
    isNegative &= coefficient < 0;
  }
  return isNegative ? -content : content;
}

/// A coordinate or a counter in an index, with its coefficient as a number times a primitive polynomial.
struct Variable {
  TileDimension::Part part;
  Expression primitive;
  int64_t factor = 1;
};

class Finder {
public:
  Finder(const Nest &nest, const TilePoint &point, std::optional<unsigned> strip)
      : nest_(nest), point_(point), strip_(strip) {}

  /// The tile of one read alone; nothing where it has none.
  std::optional<StagedTile> tileOf(const NestRead &read) {
    // A tile is filled once a strip, so that what is read outside of it stays as it is.
    if (!read.whyNot.empty() || (strip_ && !llvm::is_contained(read.loops, *strip_)))
      return std::nullopt;
    std::optional<std::vector<Variable>> variables = variablesOf(read);
    if (!variables)
      return std::nullopt;
    StagedTile tile;
    tile.base = read.base;
    tile.type = read.type;
    tile.isWide = read.isWide;
    tile.rest = read.index;
    for (const Variable &variable : *variables)
      tile.rest = tile.rest.without(symbolOf(variable.part));
    group(*variables, tile);
    TileRead own{&read, {}, false};
    for (TileDimension &dimension : tile.dimensions) {
      int64_t offset = multiplesOf(dimension.unit, tile.rest);
      tile.rest = tile.rest - dimension.unit * Expression(offset);
      own.offsets.push_back(offset);
      dimension.low = dimension.high = offset;
    }
    tile.reads.push_back(std::move(own));
    bound(read, tile);
    return tile;
  }

private:
  const Symbol *symbolOf(const TileDimension::Part &part) const {
    return part.isCoordinate ? nest_.coordinates[part.position].symbol : nest_.loops[part.position].symbol;
  }

  bool isWithinTile(unsigned loop) const {
    if (!strip_)
      return true;
    for (std::optional<unsigned> one = loop; one; one = nest_.loops[*one].parent)
      if (*one == *strip_)
        return true;
    return false;
  }

  std::optional<std::vector<Variable>> variablesOf(const NestRead &read) const {
    std::vector<Variable> variables;
    auto add = [&](const Symbol *symbol, TileDimension::Part part) {
      Expression coefficient = *read.index.coefficient(symbol);
      if (coefficient.isZero())
        return;
      int64_t content = contentOf(coefficient);
      variables.push_back({part, *coefficient.dividedBy(content), content});
    };
    for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
      add(nest_.coordinates[i].symbol, {true, i, 1, point_.shares[i].tile() - 1});
    for (unsigned loop : read.loops) {
      if (!isWithinTile(loop))
        continue;
      const NestLoop &one = nest_.loops[loop];
      int64_t count = loop == strip_ ? point_.strip : one.trips.value_or(-1);
      if (count < 1)
        return std::nullopt;
      add(one.symbol, {false, loop, 1, (count - 1) * one.step});
    }
    return variables;
  }

  /// Variables whose values overlap in memory count one dimension together, `row + dy`; what lies further
  /// apart than all that is nearer goes is a dimension of its own.
  static void group(std::vector<Variable> &variables, StagedTile &tile) {
    llvm::sort(variables, [](const Variable &left, const Variable &right) {
      unsigned leftDegree = degreeOf(left.primitive), rightDegree = degreeOf(right.primitive);
      return std::tuple(leftDegree, std::abs(left.factor), !left.part.isCoordinate, left.part.position) <
             std::tuple(rightDegree, std::abs(right.factor), !right.part.isCoordinate, right.part.position);
    });
    std::vector<std::pair<Expression, int64_t>> units;
    std::vector<TileDimension> found;
    for (const Variable &variable : variables) {
      int chosen = -1;
      for (size_t i = 0; i < found.size(); ++i)
        if (units[i].first == variable.primitive && variable.factor % units[i].second == 0 &&
            std::abs(variable.factor / units[i].second) <= found[i].extent())
          chosen = static_cast<int>(i);
      if (chosen < 0) {
        chosen = static_cast<int>(found.size());
        units.emplace_back(variable.primitive, std::abs(variable.factor));
        found.emplace_back();
        found.back().unit = variable.primitive * Expression(std::abs(variable.factor));
      }
      TileDimension::Part part = variable.part;
      part.factor = variable.factor / units[chosen].second;
      found[chosen].parts.push_back(part);
    }
    tile.dimensions.assign(found.rbegin(), found.rend());
  }

  /// The smallest and the largest value of a part, over all threads that do anything.
  std::pair<Expression, Expression> rangeOf(const TileDimension::Part &part) const {
    if (part.isCoordinate) {
      const NestCoordinate &one = nest_.coordinates[part.position];
      return {one.lowest.value_or(one.origin), *one.end - Expression(1)};
    }
    const NestLoop &one = nest_.loops[part.position];
    Expression last =
        one.trips ? one.first + Expression((*one.trips - 1) * one.step) : one.end - Expression(1);
    return {one.first, last};
  }

  /// Which elements of the box are read: those that some thread reads. Whoever reads no more than that reads
  /// nothing that lies outside of the buffer.
  void bound(const NestRead &read, StagedTile &tile) {
    std::vector<bool> isUsed(read.condition.atLeastZero.size(), false);
    for (TileDimension &dimension : tile.dimensions) {
      Expression lower(dimension.low), last(dimension.low);
      for (const TileDimension::Part &part : dimension.parts) {
        auto [first, final] = rangeOf(part);
        lower = lower + (part.factor > 0 ? first : final) * Expression(part.factor);
        last = last + (part.factor > 0 ? final : first) * Expression(part.factor);
      }
      dimension.lowers = {lower};
      dimension.ends = {last + Expression(1)};
      for (size_t i = 0; i < isUsed.size(); ++i)
        isUsed[i] = isUsed[i] || tighten(read.condition.atLeastZero[i], dimension);
    }
    bool allUsed = read.condition.isKnown && llvm::all_of(isUsed, [](bool used) { return used; });
    tile.reads.front().isPadded = allUsed && !isUsed.empty();
    // Conditions that are not in the bounds leave elements that nobody may read, and so do guards that may
    // leave nobody at all.
    tile.needsProof = !allUsed || mayBeEmpty();
  }

  /// Whether there may be a block none of whose threads passes the guards.
  bool mayBeEmpty() const {
    return llvm::any_of(nest_.coordinates, [](const NestCoordinate &one) { return !one.isFilled; });
  }

  /// Whether a condition bounds the dimension's sum; then it does.
  bool tighten(const Expression &atLeastZero, TileDimension &dimension) const {
    Expression rest = atLeastZero;
    std::optional<int64_t> sign;
    for (const TileDimension::Part &part : dimension.parts) {
      std::optional<Expression> factor = atLeastZero.coefficient(symbolOf(part));
      std::optional<int64_t> number = factor ? factor->asConstant() : std::nullopt;
      if (!number || *number == 0 || *number % part.factor != 0 || (sign && *sign != *number / part.factor))
        return false;
      sign = *number / part.factor;
      rest = rest.without(symbolOf(part));
    }
    auto varies = [&](const Symbol &symbol) {
      return nest_.coordinateOf(&symbol) != nullptr || nest_.loopOf(&symbol) != nullptr;
    };
    if (!sign || std::abs(*sign) != 1 || rest.mentions(varies) || !toCode(rest))
      return false;
    bool isLower = *sign > 0;
    Expression value = isLower ? Expression(dimension.low) - rest : Expression(dimension.low + 1) + rest;
    for (Expression &other : isLower ? dimension.lowers : dimension.ends)
      if (std::optional<int64_t> difference = (value - other).asConstant()) {
        if (isLower == (*difference > 0))
          other = value;
        return true;
      }
    (isLower ? dimension.lowers : dimension.ends).push_back(value);
    return true;
  }

  const Nest &nest_;
  const TilePoint &point_;
  std::optional<unsigned> strip_;
};

bool sameBox(const StagedTile &left, const StagedTile &right) {
  if (left.base != right.base || !(left.rest == right.rest) || left.type != right.type ||
      left.dimensions.size() != right.dimensions.size())
    return false;
  for (auto [one, other] : llvm::zip(left.dimensions, right.dimensions))
    if (!(one.unit == other.unit) || one.parts != other.parts ||
        std::max(one.high, other.high) - std::min(one.low, other.low) > widestHalo)
      return false;
  return true;
}

/// The looser of the bounds of two reads; false where they cannot be compared.
bool loosen(std::vector<Expression> &bounds, const std::vector<Expression> &others, bool isLower) {
  if (bounds == others)
    return true;
  if (bounds.size() != 1 || others.size() != 1)
    return false;
  std::optional<int64_t> difference = (others.front() - bounds.front()).asConstant();
  if (difference && isLower == (*difference < 0))
    bounds = others;
  return difference.has_value();
}

/// Whether the expression is not negative, as its factors are not: sizes that the buffer's own extent is made
/// of.
bool isNatural(const Expression &expression, const Expression &extent) {
  auto isForeign = [&](const Symbol &symbol) {
    return !extent.mentions([&](const Symbol &own) { return &own == &symbol; });
  };
  return expression.valid() && !expression.mentions(isForeign) &&
         llvm::all_of(expression.terms(), [](const auto &term) { return term.second >= 0; });
}

/// Whether the annotation's extent of the buffer holds all of what the tile's bounds leave.
bool liesInBuffer(const StagedTile &tile, const BufferExtents &extents) {
  auto extent = extents.find(tile.base);
  if (extent == extents.end())
    return false;
  Expression first = tile.rest, last = tile.rest;
  for (const TileDimension &dimension : tile.dimensions) {
    if (llvm::any_of(dimension.unit.terms(), [](const auto &term) { return term.second < 0; }))
      return false;
    first = first + dimension.unit * dimension.lowers.front();
    last = last + dimension.unit * (dimension.ends.front() - Expression(1));
  }
  return isNatural(first, extent->second) && isNatural(extent->second - last - Expression(1), extent->second);
}

/// Whether the reads take all corners of their box: those of a cross do not.
bool fillsBox(const StagedTile &tile) {
  std::set<std::vector<int64_t>> all;
  std::vector<std::set<int64_t>> byDimension(tile.dimensions.size());
  for (const TileRead &read : tile.reads) {
    all.insert(read.offsets);
    for (auto [own, offset] : llvm::zip(byDimension, read.offsets))
      own.insert(offset);
  }
  size_t corners = 1;
  for (const std::set<int64_t> &own : byDimension)
    corners *= own.size();
  return all.size() == corners;
}

bool join(StagedTile &tile, const StagedTile &other, const BufferExtents &extents) {
  StagedTile joined = tile;
  for (auto [one, added] : llvm::zip(joined.dimensions, other.dimensions)) {
    if (!loosen(one.lowers, added.lowers, true) || !loosen(one.ends, added.ends, false))
      return false;
    one.low = std::min(one.low, added.low);
    one.high = std::max(one.high, added.high);
  }
  llvm::append_range(joined.reads, other.reads);
  joined.isWide |= other.isWide;
  joined.needsProof |= other.needsProof || !fillsBox(joined);
  if (joined.needsProof && !liesInBuffer(joined, extents))
    return false;
  tile = std::move(joined);
  return true;
}

/// A read is padded by the tile alone where the tile is bounded as the read itself would be.
void checkPadding(StagedTile &tile, const std::vector<StagedTile> &alone) {
  for (auto [read, own] : llvm::zip(tile.reads, alone))
    for (auto [joined, single] : llvm::zip(tile.dimensions, own.dimensions))
      read.isPadded &= joined.lowers == single.lowers && joined.ends == single.ends;
}

/// Whether lanes along the coordinate read far apart what lies side by side along another.
bool liesAcross(const StagedTile &tile, unsigned fastest) {
  auto holds = [&](const TileDimension &dimension) {
    return llvm::any_of(dimension.parts, [&](const TileDimension::Part &part) {
      return part.isCoordinate && part.position == fastest;
    });
  };
  const TileDimension &dense = tile.dimensions.back();
  return dense.unit == Expression(1) && dense.extent() >= 8 && !holds(dense) &&
         llvm::any_of(tile.dimensions, holds);
}

int64_t readsOf(const StagedTile &tile, const Nest &nest, const TilePoint &point,
                std::optional<unsigned> strip) {
  int64_t reads = 0;
  for (const TileRead &one : tile.reads) {
    int64_t times = 1;
    for (const TilePoint::Share &share : point.shares)
      times *= share.tile();
    bool isWithin = !strip;
    for (unsigned loop : one.read->loops) {
      isWithin |= loop == strip;
      if (isWithin)
        times *= loop == strip ? point.strip : nest.loops[loop].trips.value_or(1);
    }
    reads += times;
  }
  return reads;
}

} // namespace

int64_t TileDimension::span() const {
  int64_t sum = 0;
  for (const Part &part : parts)
    sum += std::abs(part.factor) * part.span;
  return sum;
}

int64_t TileDimension::shift() const {
  int64_t sum = 0;
  for (const Part &part : parts)
    sum += part.factor < 0 ? -part.factor * part.span : 0;
  return sum;
}

int64_t StagedTile::elements() const {
  int64_t product = 1;
  for (const TileDimension &dimension : dimensions)
    product *= dimension.extent();
  return product;
}

bool StagedTile::variesWithLoop(unsigned loop) const {
  return llvm::any_of(dimensions, [&](const TileDimension &dimension) {
    return llvm::any_of(dimension.parts, [&](const TileDimension::Part &part) {
      return !part.isCoordinate && part.position == loop;
    });
  });
}

std::vector<StagedTile> findTiles(const Nest &nest, const TilePoint &point, std::optional<unsigned> strip,
                                  unsigned fastest, const BufferExtents &extents) {
  Finder finder(nest, point, strip);
  std::vector<StagedTile> tiles;
  std::vector<std::vector<StagedTile>> alone; // of each tile's reads
  for (const NestRead &read : nest.reads) {
    std::optional<StagedTile> own = finder.tileOf(read);
    if (!own)
      continue;
    bool isJoined = false;
    for (size_t i = 0; i < tiles.size() && !isJoined; ++i)
      if (sameBox(tiles[i], *own) && (isJoined = join(tiles[i], *own, extents)))
        alone[i].push_back(*own);
    if (!isJoined) {
      tiles.push_back(*own);
      alone.push_back({*own});
    }
  }
  for (size_t i = 0; i < tiles.size(); ++i)
    checkPadding(tiles[i], alone[i]);
  llvm::erase_if(tiles, [&](const StagedTile &tile) {
    return (tile.needsProof && !liesInBuffer(tile, extents)) || tile.elements() < 2 ||
           (!liesAcross(tile, fastest) && readsOf(tile, nest, point, strip) < leastReuse * tile.elements());
  });
  return tiles;
}

} // namespace warpwright
