#include "rewriters/tiling/TileFill.h"

#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

std::string identifierOf(llvm::StringRef base) {
  std::string name;
  for (char c : base)
    name += c == '.' ? '_' : c;
  return name;
}

} // namespace

TileFill::TileFill(const Nest &nest, const TilePoint &point, const StagedTile &tile, const TileFrame &frame,
                   std::optional<Strip> strip, SymbolTable &table, FreshNames &names)
    : nest_(nest), point_(point), tile_(tile), frame_(frame), strip_(std::move(strip)), table_(table) {
  std::string name = identifierOf(tile.base);
  array_ = names.take(name + "Tile");
  elements_ = names.take(name + "Elements");
  next_ = names.take(name + "Next");
  aligned_ = names.take(name + "IsAligned");
  unsigned innermost = innermostOf(tile, point, frame.fastest());
  for (unsigned i = 0; i < tile.dimensions.size(); ++i) {
    const TileDimension &dimension = tile.dimensions[i];
    std::optional<std::string> base = toCode(baseOf(dimension));
    if (!base)
      whyNot_ = "where a tile of '" + tile.base + "' begins was not understood";
    std::string code = base.value_or("");
    bool hasName =
        dimension.extent() == 1 && llvm::all_of(code, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    axes_.push_back({i, extentCode(dimension), hasName ? code : nameOf(dimension), code});
    if (dimension.extent() > 1 && i != innermost)
      storage_.push_back(i);
  }
  storage_.push_back(innermost);
  decode();
  // Neighbouring lanes that fill a tile along another axis than it is read along spread over the banks; rows
  // stay aligned to 16 bytes.
  unsigned fastestInMemory = tile.dimensions.size() - 1;
  while (fastestInMemory > 0 && tile.dimensions[fastestInMemory].extent() == 1)
    --fastestInMemory;
  int64_t size = std::max<int64_t>(1, static_cast<int64_t>(bytesOf(tile.type)));
  if (innermost != fastestInMemory)
    padding_ = std::max<int64_t>(1, 16 / size);
  bool takesSeveral = llvm::any_of(tile.dimensions[innermost].parts, [&](const TileDimension::Part &part) {
    return part.isCoordinate && point.shares[part.position].perThread > 1;
  });
  if (padding_ > 1 && !takesSeveral)
    padding_ = 1;
  // What a thread takes together starts at a multiple of 16 bytes in every row.
  if (padding_ == 0 && takesSeveral && storage_.size() > 1)
    padding_ = (16 / size - tile.dimensions[innermost].extent() % (16 / size)) % (16 / size);
  chooseVector();
}

/// Neighbouring lanes take neighbours in memory.
void TileFill::decode() {
  unsigned slowest = 0;
  while (slowest + 1 < axes_.size() && tile_.dimensions[slowest].extent() == 1)
    ++slowest;
  std::string faster;
  for (Axis &axis : llvm::reverse(axes_)) {
    if (tile_.dimensions[axis.dimension].extent() == 1)
      continue;
    std::string extent = axis.extent.find(' ') == std::string::npos ? axis.extent : "(" + axis.extent + ")";
    axis.decoded = "element" + faster + (axis.dimension == slowest ? "" : " % " + extent);
    faster += " / " + extent;
    elementCount_ = extent + (elementCount_.empty() ? "" : " * " + elementCount_);
  }
}

/// Whether several neighbours may be read at a time where the buffer is aligned for it. What depends on the
/// launch becomes a condition.
void TileFill::chooseVector() {
  int64_t size = static_cast<int64_t>(bytesOf(tile_.type)), width = size == 4 ? 4 : size == 8 ? 2 : 0;
  const TileDimension &dense = tile_.dimensions.back();
  bool isPlain = dense.unit == Expression(1) && dense.parts.size() == 1 && dense.parts.front().factor == 1 &&
                 dense.low == dense.high;
  if (width == 0 || !isPlain || vectorType(width).empty() || dense.extent() % width != 0)
    return;
  bool divides = true;
  std::vector<std::string> conditions;
  auto mustDivide = [&](const Expression &value) {
    if (value.dividedBy(width))
      return;
    std::optional<std::string> code = toFactor(value);
    divides &= code && !value.asConstant();
    std::string condition = code.value_or("") + " % " + std::to_string(width) + " == 0";
    if (!llvm::is_contained(conditions, condition))
      conditions.push_back(condition);
  };
  const TileDimension::Part &part = dense.parts.front();
  bool isStrip = !part.isCoordinate && strip_ && part.position == strip_->loop;
  mustDivide(Expression(part.isCoordinate ? point_.shares[part.position].tile()
                        : isStrip         ? point_.strip
                                          : 0));
  mustDivide(
      (part.isCoordinate ? nest_.coordinates[part.position].origin : nest_.loops[part.position].first) +
      Expression(dense.low));
  for (const Expression &end : dense.ends)
    if (!isSure(dense, end, false))
      mustDivide(end);
  for (const Expression &lower : dense.lowers)
    divides &= isSure(dense, lower, true);
  for (size_t i = 0; i + 1 < tile_.dimensions.size(); ++i)
    mustDivide(tile_.dimensions[i].unit);
  mustDivide(tile_.rest);
  if (!divides)
    return;
  conditions.push_back("reinterpret_cast<size_t>(" + tile_.base + ") % 16 == 0");
  vector_ = width;
  isAligned_ = llvm::join(conditions, " && ");
}

std::string TileFill::vectorType(int64_t width) const {
  const auto *builtin = tile_.type->getAs<clang::BuiltinType>();
  if (!builtin)
    return {};
  switch (builtin->getKind()) {
  case clang::BuiltinType::Float:
    return "float" + std::to_string(width);
  case clang::BuiltinType::Double:
    return "double" + std::to_string(width);
  case clang::BuiltinType::Int:
    return "int" + std::to_string(width);
  case clang::BuiltinType::UInt:
    return "uint" + std::to_string(width);
  default:
    return {};
  }
}

Expression TileFill::named(const std::string &name) const {
  Symbol symbol;
  symbol.kind = SymbolKind::LoopCounter; // printed before what it is multiplied by
  symbol.text = name;
  return Expression(table_.intern(std::move(symbol)));
}

std::string TileFill::extentCode(const TileDimension &dimension) const {
  std::string name;
  int64_t count = 0;
  unsigned varying = 0;
  for (const TileDimension::Part &part : dimension.parts) {
    std::string own = part.isCoordinate                         ? frame_.tileName(part.position)
                      : strip_ && part.position == strip_->loop ? strip_->length
                                                                : "";
    if (own.empty())
      continue;
    name = own;
    count = part.span + 1;
    varying += part.factor == 1 ? 1 : 2;
  }
  if (varying != 1)
    return std::to_string(dimension.extent());
  int64_t rest = dimension.extent() - count;
  return rest == 0 ? name : name + " + " + std::to_string(rest);
}

/// The smallest value of the dimension's sum in the block's tile.
Expression TileFill::baseOf(const TileDimension &dimension) const {
  Expression base(dimension.low - dimension.shift());
  for (const TileDimension::Part &part : dimension.parts) {
    Expression first = part.isCoordinate                         ? named(frame_.begin(part.position))
                       : strip_ && part.position == strip_->loop ? named(strip_->begin)
                                                                 : nest_.loops[part.position].first;
    base = base + first * Expression(part.factor);
  }
  return base;
}

std::string TileFill::nameOf(const TileDimension &dimension) const {
  for (const TileDimension::Part &part : dimension.parts)
    if (part.isCoordinate) {
      const std::string &name = nest_.coordinates[part.position].name;
      bool isPlain = dimension.parts.size() == 1 && dimension.low == dimension.high && part.factor == 1;
      return isPlain && !frame_.isUniform(part.position) ? name : name + "At";
    }
  const auto &leading = *llvm::max_element(
      dimension.parts, [](const TileDimension::Part &left, const TileDimension::Part &right) {
        return std::abs(left.factor) < std::abs(right.factor);
      });
  std::string name = nest_.loops[leading.position].name;
  return dimension.parts.size() == 1 ? name : name + "At";
}

/// Whether the bound holds for every element of every block's tile.
bool TileFill::isSure(const TileDimension &dimension, const Expression &bound, bool isLower) const {
  Expression extreme(isLower ? dimension.low : dimension.high);
  for (const TileDimension::Part &part : dimension.parts) {
    bool wantsFirst = isLower == (part.factor > 0);
    Expression value;
    if (part.isCoordinate) {
      const NestCoordinate &own = nest_.coordinates[part.position];
      if (!wantsFirst && !(own.isLaunchBound && frame_.isUniform(part.position)))
        return false;
      value = wantsFirst ? own.origin : *own.end - Expression(1);
    } else {
      const NestLoop &own = nest_.loops[part.position];
      bool isStrip = strip_ && part.position == strip_->loop;
      if (!wantsFirst && (!own.trips || (isStrip && *own.trips % point_.strip != 0)))
        return false;
      value = wantsFirst ? own.first : own.first + Expression((*own.trips - 1) * own.step);
    }
    extreme = extreme + value * Expression(part.factor);
  }
  std::optional<int64_t> slack = (isLower ? extreme - bound : bound - Expression(1) - extreme).asConstant();
  return slack && *slack >= 0;
}

std::string TileFill::predicate() const {
  std::string text;
  auto add = [&](const std::string &value, const char *relation, const Expression &bound) {
    text += (text.empty() ? "" : " && ") + value + relation + toFactor(bound).value_or("");
  };
  for (const Axis &axis : axes_) {
    const TileDimension &dimension = tile_.dimensions[axis.dimension];
    for (const Expression &lower : dimension.lowers)
      if (!isSure(dimension, lower, true))
        add(axis.value, " >= ", lower);
    for (const Expression &end : dimension.ends)
      if (!isSure(dimension, end, false))
        add(axis.value, " < ", end);
  }
  return text;
}

/// The place in memory; in 64 bits where the source computes it so.
std::string TileFill::index() const {
  Expression index = tile_.rest;
  if (tile_.isWide)
    tile_.rest.forEachSymbol([&](const Symbol *symbol) {
      if (nest_.coordinateOf(symbol) || nest_.loopOf(symbol))
        index = index.substitute(symbol, named("static_cast<long long>(" + symbol->text + ")"));
    });
  for (const Axis &axis : axes_)
    index = index +
            tile_.dimensions[axis.dimension].unit * named(tile_.isWide && axis.value == axis.base
                                                              ? "static_cast<long long>(" + axis.value + ")"
                                                              : axis.value);
  return toCode(index).value_or("");
}

bool TileFill::isZeroBeyondStrip() const {
  return strip_ && tile_.variesWithLoop(strip_->loop);
}

int64_t TileFill::bytes() const {
  int64_t rows = 1;
  for (unsigned dimension : storage_)
    rows *= tile_.dimensions[dimension].extent() + (dimension == storage_.back() ? padding_ : 0);
  return rows * static_cast<int64_t>(bytesOf(tile_.type)) * (isBuffered() ? point_.stages : 1);
}

std::string TileFill::element(const TileRead &read) const {
  std::string text = array_ + (isBuffered() ? "[" + strip_->buffer + "]" : "");
  for (unsigned i : storage_) {
    const TileDimension &dimension = tile_.dimensions[i];
    std::string sum;
    auto add = [&](const std::string &part) {
      bool isNegative = !sum.empty() && part.front() == '-';
      sum += isNegative ? " - " + part.substr(1) : (sum.empty() ? "" : " + ") + part;
    };
    Expression loops(read.offsets[i] - dimension.low + dimension.shift());
    for (const TileDimension::Part &part : dimension.parts) {
      if (!part.isCoordinate) {
        bool isStrip = strip_ && part.position == strip_->loop;
        const NestLoop &own = nest_.loops[part.position];
        loops = loops + Expression(part.factor) *
                            (isStrip ? named(strip_->step) : Expression(own.symbol) - own.first);
        continue;
      }
      std::string offset = frame_.offset(part.position);
      if (offset.empty())
        continue;
      if (part.factor == 1)
        add(offset);
      else
        add(std::to_string(part.factor) + " * (" + offset + ")");
    }
    if (!loops.isZero() || sum.empty())
      add(toCode(loops).value_or("0"));
    text += "[" + sum + "]";
  }
  return text;
}

} // namespace warpwright
