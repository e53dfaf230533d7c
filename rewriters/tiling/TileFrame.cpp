#include "rewriters/tiling/TileFrame.h"

#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/Type.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright {
namespace {

constexpr int64_t vectorBytes = 16;

std::string number(int64_t value) {
  return std::to_string(value);
}

bool isWideType(llvm::StringRef type) {
  return type.contains("long") || type.contains("size_t") || type.contains("64");
}

} // namespace

uint64_t bytesOf(clang::QualType type) {
  if (const auto *builtin = type->getAs<clang::BuiltinType>())
    switch (builtin->getKind()) {
    case clang::BuiltinType::Bool:
    case clang::BuiltinType::Char_S:
    case clang::BuiltinType::SChar:
    case clang::BuiltinType::UChar:
      return 1;
    case clang::BuiltinType::Short:
    case clang::BuiltinType::UShort:
      return 2;
    case clang::BuiltinType::Int:
    case clang::BuiltinType::UInt:
    case clang::BuiltinType::Float:
      return 4;
    case clang::BuiltinType::Double:
    case clang::BuiltinType::Long:
    case clang::BuiltinType::ULong:
    case clang::BuiltinType::LongLong:
    case clang::BuiltinType::ULongLong:
      return 8;
    default:
      return 0;
    }
  std::string name = type.getUnqualifiedType().getAsString();
  return name == "__half" || name == "half" || name == "__nv_bfloat16" ? 2 : 0;
}

unsigned innermostOf(const StagedTile &tile, const TilePoint &point, unsigned fastest) {
  unsigned best = tile.dimensions.size() - 1;
  int64_t most = 1;
  for (unsigned i = 0; i < tile.dimensions.size(); ++i)
    for (const TileDimension::Part &part : tile.dimensions[i].parts)
      if (part.isCoordinate && part.position == fastest && std::abs(part.factor) == 1 &&
          point.shares[fastest].threads > 1)
        return i;
      else if (part.isCoordinate && part.factor == 1 && point.shares[part.position].perThread > most) {
        most = point.shares[part.position].perThread;
        best = i;
      }
  // A dimension of one element holds nothing apart.
  while (best > 0 && tile.dimensions[best].extent() == 1)
    --best;
  return best;
}

TileFrame::TileFrame(const Nest &nest, const TilePoint &point, llvm::ArrayRef<StagedTile> tiles,
                     unsigned fastest, FreshNames &names)
    : nest_(nest), point_(point), fastest_(fastest) {
  for (unsigned i = 0; i < nest.coordinates.size(); ++i) {
    const std::string &name = nest.coordinates[i].name;
    const TilePoint::Share &share = point.shares[i];
    Frame frame;
    frame.blocks = names.take(name + "Blocks");
    if (share.tile() > 1) {
      frame.tile = names.take(name + "Tile");
      frame.begin = names.take(name + "Begin");
      frame.inTile = names.take(name + "InTile");
    }
    if (share.perThread > 1) {
      frame.perThread = names.take(name + "PerThread");
      frame.step = names.take(name + "Step");
      frame.offset = names.take(name + "Offset");
    }
    // Read out of a tile 16 bytes at a time, or one lane beside the other, or consecutive.
    int64_t together = 0;
    for (const StagedTile &tile : tiles)
      for (const TileDimension::Part &part : tile.dimensions[innermostOf(tile, point, fastest)].parts)
        if (part.isCoordinate && part.position == i)
          together = std::max<int64_t>(
              together, vectorBytes / std::max<int64_t>(1, static_cast<int64_t>(bytesOf(tile.type))));
    frame.group = together > 0 ? std::min(together, share.perThread) : i == fastest ? 1 : share.perThread;
    if (share.perThread % frame.group != 0)
      frame.group = 1;
    frames_.push_back(std::move(frame));
    if (share.threads > 1)
      lanes_.push_back(i);
  }
  if (auto first = llvm::find(lanes_, fastest); first != lanes_.end())
    std::rotate(lanes_.begin(), first, first + 1);
}

bool TileFrame::isUniform(unsigned coordinate) const {
  return point_.shares[coordinate].tile() == 1;
}

std::string TileFrame::begin(unsigned coordinate) const {
  return isUniform(coordinate) ? nest_.coordinates[coordinate].name : frames_[coordinate].begin;
}

/// Which of the tiles along a coordinate the block has.
std::string TileFrame::blockCode(unsigned coordinate) const {
  const NestCoordinate &own = nest_.coordinates[coordinate];
  std::string code = std::string("blockIdx.") + "xyz"[own.axis];
  bool isLast = true;
  for (unsigned i = 0; i < nest_.coordinates.size(); ++i) {
    if (nest_.coordinates[i].axis != own.axis)
      continue;
    if (i < coordinate)
      code += " / " + frames_[i].blocks;
    isLast &= i <= coordinate;
  }
  return isLast ? code : code + " % " + frames_[coordinate].blocks;
}

std::string TileFrame::threadCode(unsigned coordinate) const {
  int64_t faster = 1;
  std::string code = "threadIdx.x";
  for (unsigned lane : lanes_) {
    if (lane == coordinate) {
      if (faster != 1)
        code += " / " + number(faster);
      if (lane != lanes_.back())
        code += " % " + number(point_.shares[lane].threads);
      return code;
    }
    faster *= point_.shares[lane].threads;
  }
  return "0";
}

void TileFrame::declare(CodeLines &code) const {
  for (unsigned i = 0; i < frames_.size(); ++i) {
    const Frame &frame = frames_[i];
    if (!frame.perThread.empty())
      code.line("constexpr int " + frame.perThread + " = " + number(point_.shares[i].perThread) + ";");
    if (!frame.tile.empty())
      code.line("constexpr int " + frame.tile + " = " + number(point_.shares[i].tile()) + ";");
  }
  for (unsigned i = 0; i < frames_.size(); ++i) {
    const NestCoordinate &own = nest_.coordinates[i];
    bool isLast = i + 1 == frames_.size() || nest_.coordinates[i + 1].axis != own.axis;
    const std::string type = isWideType(own.type) ? own.type : "int";
    if (!isLast)
      code.line("const " + type + " " + frames_[i].blocks + " = " +
                (isUniform(i)
                     ? own.placesCode
                     : "(" + own.placesCode + " + " + frames_[i].tile + " - 1) / " + frames_[i].tile) +
                ";");
  }
  for (unsigned i = 0; i < frames_.size(); ++i) {
    const NestCoordinate &own = nest_.coordinates[i];
    std::string block = blockCode(i);
    if (!isUniform(i)) {
      bool isCompound = block.find(' ') != std::string::npos;
      if (isWideType(own.type))
        block = "static_cast<" + own.type + ">(" + block + ")";
      else if (isCompound)
        block = block.find('%') == std::string::npos ? "(" + block + ")" : block;
      block += " * " + frames_[i].tile;
    }
    if (!own.origin.isZero())
      block = toCode(own.origin).value_or("0") + " + " + block;
    code.line("const " + own.type + " " + begin(i) + " = " + block + ";");
    if (!own.endName.empty())
      code.line("const " + own.type + " " + own.endName + " = " + own.endCode + ";");
  }
  for (unsigned lane : lanes_)
    code.line("const int " + frames_[lane].inTile + " = " + threadCode(lane) +
              (frames_[lane].group > 1 ? " * " + number(frames_[lane].group) : "") + ";");
}

void TileFrame::openLoops(CodeLines &code) const {
  for (unsigned i = 0; i < frames_.size(); ++i)
    if (const Frame &frame = frames_[i]; !frame.step.empty())
      code.line("#pragma unroll")
          .open("for (int " + frame.step + " = 0; " + frame.step + " < " + frame.perThread + "; ++" +
                frame.step + ") {")
          .line("const int " + frame.offset + " = " + offsetCode(i) + ";");
}

void TileFrame::closeLoops(CodeLines &code) const {
  for (const Frame &frame : frames_)
    if (!frame.step.empty())
      code.close();
}

std::string TileFrame::subscripts(bool extents) const {
  std::string text;
  for (const Frame &frame : frames_)
    if (!frame.step.empty())
      text += "[" + (extents ? frame.perThread : frame.step) + "]";
  return text;
}

std::string TileFrame::offset(unsigned coordinate) const {
  const Frame &frame = frames_[coordinate];
  if (point_.shares[coordinate].perThread > 1)
    return frame.offset;
  return point_.shares[coordinate].threads > 1 ? frame.inTile : "";
}

/// Of a coordinate with several outputs a thread.
std::string TileFrame::offsetCode(unsigned coordinate) const {
  const Frame &frame = frames_[coordinate];
  const TilePoint::Share &share = point_.shares[coordinate];
  std::string text = share.threads > 1 ? frame.inTile : "";
  if (!text.empty())
    text += " + ";
  if (frame.group == share.perThread)
    return text + frame.step;
  std::string spacing = number(frame.group * share.threads);
  if (frame.group == 1)
    return text + frame.step + " * " + spacing;
  return text + frame.step + " / " + number(frame.group) + " * " + spacing + " + " + frame.step + " % " +
         number(frame.group);
}

std::string TileFrame::declaration(unsigned coordinate) const {
  const NestCoordinate &own = nest_.coordinates[coordinate];
  std::string within = offset(coordinate);
  return "const " + own.type + " " + own.name + " = " + begin(coordinate) +
         (within.empty() ? "" : " + " + within) + ";";
}

std::vector<std::string> TileFrame::grid(llvm::ArrayRef<std::string> kept) const {
  std::vector<std::string> axes;
  for (unsigned axis = 0; axis < 3; ++axis) {
    std::string product;
    for (unsigned i = 0; i < frames_.size(); ++i) {
      if (nest_.coordinates[i].axis != axis)
        continue;
      const std::string &places = nest_.coordinates[i].places;
      std::string blocks =
          isUniform(i) ? places : "ceil_div(" + places + ", " + number(point_.shares[i].tile()) + ")";
      if (isUniform(i) && places.find(' ') != std::string::npos)
        blocks = "(" + blocks + ")";
      product += (product.empty() ? "" : " * ") + blocks;
    }
    axes.push_back(!product.empty() ? product : axis < kept.size() ? kept[axis] : "1");
  }
  while (axes.size() > 1 && axes.back() == "1")
    axes.pop_back();
  return axes;
}

} // namespace warpwright
