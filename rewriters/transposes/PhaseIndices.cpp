// Which point a thread computes on one side of the barrier, and the indices that follow from it.

#include "rewriters/transposes/IndexText.h"
#include "rewriters/transposes/TileCode.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {

/// Which point of the block's a thread computes in the phase: names and code for both tiled coordinates.
void TileCode::place(Phase &phase, std::string &slow, std::string &fast) const {
  unsigned fastOne = phase.reads ? plan_.reading : plan_.writing;
  unsigned slowOne = phase.reads ? plan_.writing : plan_.reading;
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    std::string local = i == fastOne ? fast : i == slowOne ? slow : "";
    std::string origin = shape_.keepsLaunch
                             ? std::string("blockIdx.") + "xyz"[coordinates[i].axis] +
                                   (extentOf(i) == 1 ? "" : " * " + std::to_string(extentOf(i)))
                             : origin_[i];
    phase.coordinates.push_back(local.empty() ? origin : origin + " + " + local);
  }
  phase.row = phase.reads ? slow : fast;
  phase.column = phase.reads ? fast : slow;
}

/// A part of an axis' number, from the coordinates that make it up.
std::string TileCode::partText(const Phase &phase, const Expression &value) const {
  if (std::optional<int64_t> number = value.asConstant())
    return std::to_string(*number);
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  std::string text;
  for (unsigned i = coordinates.size(); i-- > 0;) {
    std::optional<Expression> factor = value.coefficient(coordinates[i].symbol);
    if (!factor || factor->isZero())
      continue;
    if (text.empty())
      text = phase.coordinates[i];
    else
      text = bracketed(text) + " * " + bracketed(space_.textOf(*coordinates[i].extent).value_or("?")) +
             " + " + phase.coordinates[i];
  }
  return text;
}

/// What a register or the loop's counter would hold in the thread that computes the point in the original.
std::string TileCode::askText(const Phase &phase, const PointSpace::Ask &ask) const {
  unsigned slowOne = phase.reads ? plan_.writing : plan_.reading;
  unsigned fastOne = phase.reads ? plan_.reading : plan_.writing;
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  std::string number = bracketed(partText(phase, space_.numberAlong(ask.axis)));
  for (unsigned i : {slowOne, fastOne}) {
    // A block's points are the original block's.
    bool isSame = isNative_ && coordinates[i].axis == ask.axis && extentOf(i) == space_.block()[ask.axis];
    if (!isSame)
      continue;
    if (ask.kind == PointSpace::Ask::Kind::Block)
      return std::string("blockIdx.") + "xyz"[ask.axis];
    bool isSameThread =
        i == slowOne && phase.slowThreads == space_.threads()[ask.axis] && !phase.slowTurn.empty();
    bool isSameTurn = isSameThread && space_.loop() && space_.loop()->step == phase.slowThreads;
    if (isSameThread && ask.kind == PointSpace::Ask::Kind::Thread)
      return phase.slowThread;
    if (isSameTurn && ask.kind == PointSpace::Ask::Kind::Counter)
      return phase.slowTurn;
    number = bracketed(i == slowOne ? (phase.reads ? phase.row : phase.column)
                                    : (phase.reads ? phase.column : phase.row));
  }
  std::string points = std::to_string(space_.block()[ask.axis]);
  std::string threads = std::to_string(space_.threads()[ask.axis]);
  switch (ask.kind) {
  case PointSpace::Ask::Kind::Block:
    return "(" + number + " / " + points + ")";
  case PointSpace::Ask::Kind::Thread:
    return "(" + number + " % " + threads + ")";
  case PointSpace::Ask::Kind::Counter:
    break;
  }
  std::string step = space_.loop()->step == 1 ? "" : " * " + std::to_string(space_.loop()->step);
  return "(" + number + " % " + points + " / " + threads + step + ")";
}

bool TileCode::patch(Phase &phase) const {
  unsigned fastOne = phase.reads ? plan_.reading : plan_.writing;
  bool isNative = shape_.keepsLaunch && space_.coordinates()[fastOne].axis == 0;
  std::vector<const clang::Expr *> staged;
  if (!phase.reads)
    for (unsigned i = 0; i < plan_.staged.size(); ++i) {
      const clang::Expr *load = body_.loads[plan_.staged[i]].expression;
      staged.push_back(load);
      phase.text.replace(load->getSourceRange(), tileElement(phase, i));
    }
  const clang::SourceManager &sources = ast_.getSourceManager();
  for (const PointSpace::Place &place : space_.places()) {
    if (isNative || !isMoved(place))
      continue;
    bool isInStaged = llvm::any_of(staged, [&](const clang::Expr *load) {
      return sources.isPointWithin(place.expression->getBeginLoc(), load->getBeginLoc(), load->getEndLoc());
    });
    if (isInStaged)
      continue;
    std::string text = partText(phase, place.value);
    phase.text.replace(place.expression->getSourceRange(), place.needsBrackets ? bracketed(text) : text);
  }
  for (const PointSpace::Ask &ask : space_.asks()) {
    bool isInStaged = llvm::any_of(staged, [&](const clang::Expr *load) {
      return sources.isPointWithin(ask.range.getBegin(), load->getBeginLoc(), load->getEndLoc());
    });
    if (isNative || isInStaged || (shape_.keepsLaunch && ask.kind == PointSpace::Ask::Kind::Block))
      continue;
    phase.text.replace(ask.range, askText(phase, ask));
  }
  return true;
}

/// Whether the place is another where the points go to other threads.
bool TileCode::isMoved(const PointSpace::Place &place) const {
  return !shape_.keepsLaunch || PointSpace::mayDependOn(place.value, space_.coordinates()[plan_.reading]) ||
         PointSpace::mayDependOn(place.value, space_.coordinates()[plan_.writing]);
}

/// Conditions under which the phase's point is one of the original's.
std::vector<std::string> TileCode::boundsOf(const Phase &phase) const {
  std::vector<std::string> bounds;
  if (shape_.keepsLaunch)
    return bounds;
  const std::vector<PointCoordinate> &coordinates = space_.coordinates();
  for (unsigned axis = 0; axis < 3; ++axis) {
    PointSpace::Extent extent = space_.extentOf(axis);
    std::map<std::string, std::string> same;
    unsigned highest = 0;
    for (unsigned i = 0; i < coordinates.size(); ++i) {
      if (coordinates[i].axis != axis)
        continue;
      if (coordinates[i].extent && isTiled(i))
        bounds.push_back(phase.coordinates[i] + " < " +
                         bracketed(space_.textOf(*coordinates[i].extent).value_or("?")));
      if (!coordinates[i].extent)
        highest = i;
    }
    if (extent.isGuarded)
      continue;
    const PointCoordinate &top = coordinates[highest];
    std::optional<Expression> exact =
        extent.value ? PointSpace::exactQuotient(*extent.value, top.weight) : std::nullopt;
    std::optional<std::string> whole = exact ? space_.textOf(*exact) : std::nullopt;
    if (extent.isLaunched && top.isWholeAxis() &&
        (!isTiled(highest) || extentOf(highest) == space_.block()[axis]))
      continue; // as many blocks as before, and of as many points
    if (whole && !isTiled(highest))
      continue;
    if (whole) {
      bounds.push_back(phase.coordinates[highest] + " < " + *whole);
      continue;
    }
    Expression number;
    for (const PointCoordinate &coordinate : coordinates)
      if (coordinate.axis == axis)
        number = number + coordinate.weight * Expression(coordinate.symbol);
    llvm::Expected<ScalarExpression> things = ScalarExpression::parse(extent.things);
    if (!things) {
      llvm::consumeError(things.takeError());
      continue;
    }
    bounds.push_back(partText(phase, number) + " < " + toHostCode(*things, same));
  }
  return bounds;
}

std::string TileCode::tileElement(const Phase &phase, unsigned tile) const {
  return tiles_[tile].name + "[" + phase.row + "][" + phase.column + "]";
}

} // namespace warpwright
