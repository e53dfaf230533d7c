// Which blocks there are, and where the points of a block begin.

#include "rewriters/transposes/IndexText.h"
#include "rewriters/transposes/TileCode.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

bool isProductOnly(llvm::StringRef text) {
  return !text.contains('+') && !text.contains('-') && !text.contains('?');
}

/// `(n + 31) / 32`.
std::string dividedUp(const std::string &text, const std::string &divisor) {
  if (divisor == "1")
    return text;
  bool isNumber = llvm::all_of(divisor, llvm::isDigit);
  std::string round = isNumber ? std::to_string(std::stoll(divisor) - 1) : divisor + " - 1";
  return "(" + text + " + " + round + ") / " + bracketed(divisor);
}

} // namespace

bool isAtom(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

std::string bracketed(const std::string &text) {
  return isAtom(text) ? text : "(" + text + ")";
}

int64_t TileCode::extentOf(unsigned coordinate) const {
  return coordinate == plan_.reading ? shape_.across : coordinate == plan_.writing ? shape_.down : 1;
}

std::string TileCode::chooseGrid() {
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  // Blocks that follow each other write next to each other: what is written goes to memory in pieces, what is
  // read comes in whole lines anyhow.
  bool keepsGrid = extentOf(plan_.reading) == space_.block()[coordinates[plan_.reading].axis] &&
                   extentOf(plan_.writing) == space_.block()[coordinates[plan_.writing].axis] &&
                   shape_.keepsGrid;
  isNative_ = keepsGrid || coordinates[plan_.writing].axis == 0;
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    unsigned axis = coordinates[i].axis;
    isNative_ &= coordinates[i].isWholeAxis();
    isNative_ &= space_.extentOf(axis).isLaunched;
    isNative_ &= isTiled(i) ? axis == 0 || extentOf(i) >= space_.block()[axis] : space_.block()[axis] == 1;
  }
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    bool isSingle =
        !isTiled(i) && coordinates[i].isWholeAxis() && space_.extentOf(coordinates[i].axis).things == "1";
    if (isNative_ && !isTiled(i))
      origin_.push_back(std::string("blockIdx.") + "xyz"[coordinates[i].axis]);
    else
      origin_.push_back(isSingle ? "0" : names_.take(coordinates[i].name + "0"));
    if (!isNative_ && blocksAlong(i, /*inDeviceCode=*/false).empty())
      return "how many '" + coordinates[i].name + "' there are is no expression of parameters";
  }
  return {};
}

/// How many blocks share out the values of a coordinate.
std::string TileCode::blocksAlong(unsigned coordinate, bool inDeviceCode) const {
  const PointCoordinate &one = space_.coordinates()[coordinate];
  std::string text;
  if (one.extent) {
    text = space_.textOf(*one.extent).value_or("");
  } else {
    PointSpace::Extent extent = space_.extentOf(one.axis);
    std::optional<Expression> exact =
        extent.value ? PointSpace::exactQuotient(*extent.value, one.weight) : std::nullopt;
    std::optional<std::string> weight = space_.textOf(one.weight);
    if (std::optional<std::string> whole = exact ? space_.textOf(*exact) : std::nullopt) {
      text = *whole;
    } else if (weight && inDeviceCode) {
      std::map<std::string, std::string> same;
      llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(extent.things);
      if (parsed)
        text = dividedUp(toHostCode(*parsed, same), *weight);
      else
        llvm::consumeError(parsed.takeError());
    } else if (weight) {
      text = *weight == "1" ? extent.things : "ceil_div(" + extent.things + ", " + *weight + ")";
    }
  }
  if (text.empty() || extentOf(coordinate) == 1)
    return text;
  std::string tile = std::to_string(extentOf(coordinate));
  return inDeviceCode ? dividedUp(text, tile) : "ceil_div(" + text + ", " + tile + ")";
}

NewLaunch TileCode::launch() const {
  NewLaunch launch;
  if (shape_.isPlane())
    launch.block = {"32", std::to_string(shape_.threads / 32)};
  else
    launch.block = {std::to_string(shape_.threads)};
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  if (isNative_) {
    launch.grid = {"1", "1", "1"};
    for (unsigned i = 0; i < coordinates.size(); ++i)
      launch.grid[coordinates[i].axis] = blocksAlong(i, /*inDeviceCode=*/false);
    if (launch.grid.back() == "1")
      launch.grid.pop_back();
    return launch;
  }
  std::string product;
  auto multiply = [&](unsigned i) {
    std::string blocks = blocksAlong(i, /*inDeviceCode=*/false);
    if (blocks != "1")
      product +=
          (product.empty() ? "" : " * ") +
          (isProductOnly(blocks) || llvm::StringRef(blocks).starts_with("ceil_div(") ? blocks
                                                                                     : "(" + blocks + ")");
  };
  multiply(plan_.writing);
  multiply(plan_.reading);
  for (unsigned i = 0; i < coordinates.size(); ++i)
    if (!isTiled(i))
      multiply(i);
  launch.grid = {product};
  return launch;
}

/// Where the points of a block begin.
CodeLines TileCode::origins() {
  CodeLines code;
  if (shape_.keepsLaunch) {
    return code;
  }
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  std::string head = "const " + type_ + " ";
  auto scaled = [&](const std::string &block, unsigned i) {
    return block + (extentOf(i) == 1 ? "" : " * " + std::to_string(extentOf(i)));
  };
  if (isNative_) {
    for (unsigned i = 0; i < coordinates.size(); ++i)
      if (isTiled(i))
        code.line(head + origin_[i] + " = " +
                  scaled(std::string("blockIdx.") + "xyz"[coordinates[i].axis], i) + ";");
    return code;
  }
  std::vector<unsigned> order = {plan_.writing, plan_.reading};
  for (unsigned i = 0; i < coordinates.size(); ++i)
    if (!isTiled(i) && origin_[i] != "0")
      order.push_back(i);
  std::string rest = "blockIdx.x";
  for (size_t at = 0; at < order.size(); ++at) {
    unsigned i = order[at];
    if (at + 1 == order.size()) {
      code.line(head + origin_[i] + " = " + scaled(rest, i) + ";");
      break;
    }
    std::string blocks = blocksAlong(i, /*inDeviceCode=*/true);
    if (!isAtom(blocks)) {
      std::string name = names_.take(coordinates[i].name + "Blocks");
      code.line(head + name + " = " + blocks + ";");
      blocks = name;
    }
    code.line(head + origin_[i] + " = " + scaled(rest + " % " + blocks, i) + ";");
    if (at + 2 == order.size()) {
      rest += " / " + blocks;
    } else {
      std::string next = names_.take("block");
      code.line(head + next + " = " + rest + " / " + blocks + ";");
      rest = next;
    }
  }
  return code;
}

} // namespace warpwright
