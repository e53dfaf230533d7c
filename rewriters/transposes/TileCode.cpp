#include "rewriters/transposes/TileCode.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "analysis/simt/HardwareRules.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

constexpr uint64_t staticSharedLimit = 48 * 1024;

/// The variables that a piece of code mentions, but for the pieces that are left out.
class Mentions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Mentions(llvm::DenseSet<const VarDecl *> &found, llvm::ArrayRef<const Expr *> without)
      : found_(found), without_(without) {}
  bool TraverseStmt(const Stmt *statement) override {
    if (statement && llvm::is_contained(without_, statement))
      return true;
    return clang::ConstDynamicRecursiveASTVisitor::TraverseStmt(statement);
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl()))
      found_.insert(variable);
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> &found_;
  llvm::ArrayRef<const Expr *> without_;
};

bool isAtom(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}
std::string bracketed(const std::string &text) {
  return isAtom(text) ? text : "(" + text + ")";
}
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

TileCode::TileCode(const RewriteContext &context, PointSpace &space, const PointBody &body,
                   const TransposePlan &plan, TileShape shape)
    : ast_(context.unit.ast()), kernel_(*context.analysis.kernel.declaration), space_(space), body_(body),
      plan_(plan), shape_(shape), edits_(ast_), names_(kernel_, ast_),
      indentation_(indentationAt(
          llvm::cast<clang::CompoundStmt>(kernel_.getBody())->body_front()->getBeginLoc(), kernel_, ast_)) {
  whyNot_ = choose();
}

std::string TileCode::choose() {
  if (std::string why = chooseTypes(); !why.empty())
    return why;
  if (sharedBytes() > staticSharedLimit)
    return "its tiles take more than 48 KB of shared memory";
  if (shape_.keepsLaunch) {
    thread_ = names_.take("thread");
    return {};
  }
  return chooseGrid();
}

std::string TileCode::chooseTypes() {
  size_t count = plan_.stagesValues() ? body_.stores.size() : plan_.staged.size();
  for (size_t i = 0; i < count; ++i) {
    clang::QualType type;
    if (!plan_.stagesValues())
      type = body_.loads[plan_.staged[i]].element;
    else if (body_.stores[i].operation == "=")
      type = body_.stores[i].target.element;
    else
      type = body_.stores[i].value->IgnoreParenImpCasts()->getType();
    if (type->isRecordType() && !type.isTrivialType(ast_))
      return "elements of type '" + type.getAsString() + "' cannot lie in shared memory as they are";
    Tile tile;
    tile.name = names_.take("tile");
    if (const auto *parameter = type->getAs<clang::SubstTemplateTypeParmType>())
      tile.type = parameter->getReplacedParameter()->getName().str();
    else
      tile.type = type.getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
    tile.elementBytes = ast_.getTypeSizeInChars(type).getQuantity();
    tile.pad = padFor(tile.elementBytes);
    tiles_.push_back(std::move(tile));
  }
  type_ = "int";
  for (const PointSpace::Place &place : space_.places())
    if (ast_.getTypeSize(place.expression->getType()) > 32)
      type_ = "long long";
  return {};
}

uint64_t TileCode::sharedBytes() const {
  uint64_t bytes = 0;
  for (const Tile &tile : tiles_)
    bytes += shape_.down * (shape_.across + tile.pad) * tile.elementBytes;
  return bytes;
}

/// Passes through the banks that a warp takes to write its part of the tile and to read it.
uint64_t TileCode::passes(uint64_t elementBytes, int64_t pad) const {
  uint64_t sum = 0;
  for (bool reads : {true, false}) {
    simt::LaneAddresses addresses{};
    int64_t lanes = shape_.lanesAlong(reads);
    for (int64_t lane = 0; lane < 32; ++lane) {
      int64_t fast = lane % lanes, slow = lane / lanes;
      int64_t column = reads ? fast : slow, row = reads ? slow : fast;
      addresses[lane] = (row * (shape_.across + pad) + column) * elementBytes;
    }
    sum += simt::costOfShared(addresses, ~simt::LaneMask(0), elementBytes, /*isLoad=*/!reads).wavefronts;
  }
  return sum;
}

int64_t TileCode::padFor(uint64_t elementBytes) const {
  if (!llvm::isPowerOf2_64(elementBytes) || elementBytes > 16)
    return 1;
  int64_t best = 0;
  for (int64_t pad = 1; pad <= 8; ++pad)
    if (passes(elementBytes, pad) < passes(elementBytes, best))
      best = pad;
  return best;
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
  std::vector<const Expr *> staged;
  if (!phase.reads)
    for (unsigned i = 0; i < plan_.staged.size(); ++i) {
      const Expr *load = body_.loads[plan_.staged[i]].expression;
      staged.push_back(load);
      phase.text.replace(load->getSourceRange(), tileElement(phase, i));
    }
  const clang::SourceManager &sources = ast_.getSourceManager();
  for (const PointSpace::Place &place : space_.places()) {
    if (isNative || !isMoved(place))
      continue;
    bool isInStaged = llvm::any_of(staged, [&](const Expr *load) {
      return sources.isPointWithin(place.expression->getBeginLoc(), load->getBeginLoc(), load->getEndLoc());
    });
    if (isInStaged)
      continue;
    std::string text = partText(phase, place.value);
    phase.text.replace(place.expression->getSourceRange(), place.needsBrackets ? bracketed(text) : text);
  }
  for (const PointSpace::Ask &ask : space_.asks()) {
    bool isInStaged = llvm::any_of(staged, [&](const Expr *load) {
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

/// The variables on which what the phase is for depends.
void TileCode::findNeeded(Phase &phase) const {
  std::vector<const Expr *> without;
  if (!phase.reads)
    for (unsigned load : plan_.staged)
      without.push_back(body_.loads[load].expression);
  // What is written anew needs nothing of what it was made of.
  unsigned fastOne = phase.reads ? plan_.reading : plan_.writing;
  if (!shape_.keepsLaunch || space_.coordinates()[fastOne].axis != 0)
    for (const PointSpace::Place &place : space_.places())
      if (isMoved(place))
        without.push_back(place.expression);
  auto need = [&](const Stmt *code) { Mentions(phase.needed, without).TraverseStmt(code); };
  for (const PointItem &item : body_.items)
    if (item.kind == PointItem::Kind::Leave || item.kind == PointItem::Kind::Enter)
      need(llvm::cast<clang::IfStmt>(item.statement)->getCond());
  for (const PointStore &store : body_.stores) {
    if (phase.reads == plan_.stagesValues())
      need(store.value);
    if (!phase.reads)
      need(store.target.expression);
  }
  if (phase.reads)
    for (unsigned load : plan_.staged)
      need(body_.loads[load].expression);
  // A variable that code changes may need what stands before it, twice where code runs in loops of its own.
  for (size_t before = 0; before != phase.needed.size();) {
    before = phase.needed.size();
    for (const PointItem &item : llvm::reverse(body_.items)) {
      if (item.kind != PointItem::Kind::Code)
        continue;
      if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(item.statement)) {
        for (const clang::Decl *one : declaration->decls())
          if (const auto *variable = llvm::dyn_cast<VarDecl>(one);
              variable && phase.needed.contains(variable) && variable->getInit())
            need(variable->getInit());
        continue;
      }
      std::vector<const VarDecl *> changed = effectsOf(*item.statement).variables;
      if (llvm::any_of(changed, [&](const VarDecl *variable) { return phase.needed.contains(variable); }))
        need(item.statement);
    }
  }
}

std::string TileCode::negated(const Phase &phase, const Expr &condition) const {
  const Expr *inner = condition.IgnoreParenImpCasts();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner)) {
    auto side = [&](const Expr *operand) {
      std::string text = negated(phase, *operand);
      const auto *under = llvm::dyn_cast<clang::BinaryOperator>(operand->IgnoreParenImpCasts());
      return under && under->isLogicalOp() ? "(" + text + ")" : text;
    };
    if (binary->isLogicalOp()) {
      bool sameAbove = binary->getOpcode() == clang::BO_LOr;
      auto chained = [&](const Expr *operand) {
        const auto *under = llvm::dyn_cast<clang::BinaryOperator>(operand->IgnoreParenImpCasts());
        return under && under->getOpcode() == binary->getOpcode() ? negated(phase, *operand) : side(operand);
      };
      return chained(binary->getLHS()) + (sameAbove ? " && " : " || ") + chained(binary->getRHS());
    }
    if (binary->isComparisonOp() && binary->getLHS()->getType()->isIntegerType() &&
        binary->getRHS()->getType()->isIntegerType())
      return phase.text.of(binary->getLHS()->getSourceRange()).value_or("") + " " +
             clang::BinaryOperator::getOpcodeStr(
                 clang::BinaryOperator::negateComparisonOp(binary->getOpcode()))
                 .str() +
             " " + phase.text.of(binary->getRHS()->getSourceRange()).value_or("");
  }
  if (const auto *negation = llvm::dyn_cast<clang::UnaryOperator>(inner);
      negation && negation->getOpcode() == clang::UO_LNot)
    return phase.text.of(negation->getSubExpr()->getSourceRange()).value_or("");
  return "!(" + phase.text.of(inner->getSourceRange()).value_or("") + ")";
}

/// A statement that declares more than the phase needs is taken apart.
bool TileCode::writeDeclaration(const Phase &phase, const Stmt &statement, CodeLines &code) const {
  const auto &declaration = llvm::cast<clang::DeclStmt>(statement);
  std::vector<const VarDecl *> wanted;
  size_t all = 0;
  for (const clang::Decl *one : declaration.decls()) {
    ++all;
    if (const auto *variable = llvm::dyn_cast<VarDecl>(one); variable && phase.needed.contains(variable))
      wanted.push_back(variable);
  }
  if (wanted.empty())
    return true;
  if (wanted.size() == all) {
    std::optional<std::string> text = phase.text.of(statement.getSourceRange());
    if (!text)
      return false;
    code.moved(*text, indentationAt(statement.getBeginLoc(), kernel_, ast_).base);
    return true;
  }
  for (const VarDecl *variable : wanted) {
    if (!variable->getType()->isBuiltinType() ||
        (variable->getInit() && variable->getInitStyle() != VarDecl::CInit))
      return false;
    std::string line = variable->getType().getAsString(clang::PrintingPolicy(ast_.getLangOpts())) + " " +
                       variable->getNameAsString();
    if (variable->getInit()) {
      std::optional<std::string> value = phase.text.of(variable->getInit()->getSourceRange());
      if (!value)
        return false;
      line += " = " + *value;
    }
    code.line(line + ";");
  }
  return true;
}

bool TileCode::writeItems(Phase &phase, CodeLines &code) const {
  unsigned nested = 0;
  auto textOf = [&](const Stmt &statement) { return phase.text.of(statement.getSourceRange()); };
  auto writeStaged = [&](const Stmt &item) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    for (unsigned i = 0; i < plan_.staged.size(); ++i) {
      const Expr *load = body_.loads[plan_.staged[i]].expression;
      if (!sources.isPointWithin(load->getBeginLoc(), item.getBeginLoc(), item.getEndLoc()))
        continue;
      std::optional<std::string> text = textOf(*load);
      if (!text)
        return false;
      code.line(tileElement(phase, i) + " = " + *text + ";");
    }
    return true;
  };
  if (std::vector<std::string> bounds = boundsOf(phase); !bounds.empty()) {
    code.open("if (" + llvm::join(bounds, " && ") + ") {");
    ++nested;
  }
  for (const PointItem &item : body_.items) {
    if (item.kind == PointItem::Kind::Leave || item.kind == PointItem::Kind::Enter) {
      const Expr &condition = *llvm::cast<clang::IfStmt>(item.statement)->getCond();
      std::string text =
          item.kind == PointItem::Kind::Leave ? negated(phase, condition) : textOf(condition).value_or("");
      if (text.empty())
        return false;
      code.open("if (" + text + ") {");
      ++nested;
      continue;
    }
    if (item.kind == PointItem::Kind::Code) {
      if (llvm::isa<clang::DeclStmt>(item.statement)) {
        if (!writeDeclaration(phase, *item.statement, code))
          return false;
      } else if (llvm::any_of(effectsOf(*item.statement).variables,
                              [&](const VarDecl *variable) { return phase.needed.contains(variable); })) {
        std::optional<Edit> place =
            edits_.replaceStatements(*item.statement, *item.statement, "", "its place");
        std::optional<std::string> text =
            place ? phase.text.between(place->offset, place->offset + place->length) : std::nullopt;
        if (!text)
          return false;
        code.moved(*text, indentationAt(item.statement->getBeginLoc(), kernel_, ast_).base);
      }
      if (phase.reads && !writeStaged(*item.statement))
        return false;
      continue;
    }
    const PointStore &store = body_.stores[item.store];
    if (phase.reads && !plan_.stagesValues()) {
      if (!writeStaged(*item.statement))
        return false;
      continue;
    }
    std::optional<std::string> target = textOf(*store.target.expression), value = textOf(*store.value);
    if (!target || !value)
      return false;
    std::string indent = indentationAt(item.statement->getBeginLoc(), kernel_, ast_).base;
    if (phase.reads)
      code.moved(tileElement(phase, item.store) + " = " + *value + ";", indent);
    else if (plan_.stagesValues())
      code.moved(*target + " " + store.operation + " " + tileElement(phase, item.store) + ";", indent);
    else
      code.moved(*target + " " + store.operation + " " + *value + ";", indent);
  }
  for (; nested != 0; --nested)
    code.close();
  return true;
}

std::optional<CodeLines> TileCode::phase(bool reads) {
  Phase phase(reads, ast_);
  int64_t lanes = shape_.lanesAlong(reads), rows = shape_.threads / lanes;
  int64_t fastExtent = reads ? shape_.across : shape_.down, slowExtent = reads ? shape_.down : shape_.across;
  CodeLines code;
  std::string fast, slow;
  unsigned nested = 0;
  if (shape_.keepsLaunch) {
    unsigned fastOne = reads ? plan_.reading : plan_.writing, slowOne = reads ? plan_.writing : plan_.reading;
    const std::vector<PointCoordinate> &coordinates = space_.coordinates();
    code.open("{");
    ++nested;
    if (coordinates[fastOne].axis == 0) {
      fast = "threadIdx.x";
      slow = std::string("threadIdx.") + "xyz"[coordinates[slowOne].axis];
    } else {
      fast = names_.take("lane");
      slow = names_.take("row");
      std::string number = std::string("threadIdx.") + "xyz"[coordinates[fastOne].axis] + " * " +
                           std::to_string(space_.block()[0]) + " + threadIdx.x";
      code.line("const int " + thread_ + " = " + number + ";");
      code.line("const int " + fast + " = " + thread_ + " % " + std::to_string(lanes) + ", " + slow + " = " +
                thread_ + " / " + std::to_string(lanes) + ";");
    }
  } else {
    bool isPlane = shape_.isPlane();
    fast = isPlane ? "threadIdx.x" : "threadIdx.x % " + std::to_string(lanes);
    slow = isPlane ? "threadIdx.y" : "threadIdx.x / " + std::to_string(lanes);
    auto loop = [&](const char *wish, int64_t extent, int64_t step, std::string &local) {
      std::string counter = names_.scoped(wish);
      code.line("#pragma unroll");
      code.open("for (int " + counter + " = 0; " + counter + " < " + std::to_string(extent) + "; " + counter +
                " += " + std::to_string(step) + ") {");
      ++nested;
      local += " + " + counter;
    };
    if (slowExtent > rows) {
      phase.slowThread = slow;
      loop("j", slowExtent, rows, slow);
      phase.slowTurn = llvm::StringRef(slow).rsplit(' ').second.str();
    }
    if (fastExtent > lanes)
      loop("i", fastExtent, lanes, fast);
    if (nested == 0) {
      code.open("{");
      ++nested;
    }
  }
  phase.slowThreads = rows;
  place(phase, slow, fast);
  patch(phase);
  findNeeded(phase);
  if (!writeItems(phase, code))
    return std::nullopt;
  for (; nested != 0; --nested)
    code.close();
  return code;
}

std::optional<Edit> TileCode::edit() {
  CodeLines code;
  code.comment(
      "Read along '" + space_.coordinates()[plan_.reading].name + "' and written along '" +
      space_.coordinates()[plan_.writing].name +
      "': what is read goes through shared memory, so that neighbouring threads take neighbouring elements "
      "on both sides.");
  for (const Tile &tile : tiles_)
    code.line("__shared__ " + tile.type + " " + tile.name + "[" + std::to_string(shape_.down) + "][" +
              std::to_string(shape_.across) + (tile.pad ? " + " + std::to_string(tile.pad) : "") + "];");
  code.append(origins());
  std::optional<CodeLines> reads = phase(true);
  std::optional<CodeLines> writes = phase(false);
  if (!reads || !writes)
    return std::nullopt;
  code.append(*reads);
  code.line("__syncthreads();");
  code.append(*writes);
  const auto *body = llvm::cast<clang::CompoundStmt>(kernel_.getBody());
  bool isOneLine = ast_.getSourceManager().getExpansionLineNumber(body->getLBracLoc()) ==
                   ast_.getSourceManager().getExpansionLineNumber(body->body_front()->getBeginLoc());
  Indentation inside = indentation_;
  std::string outside = inside.base;
  if (isOneLine)
    inside.base += inside.step;
  else
    outside.resize(outside.size() - std::min(outside.size(), inside.step.size()));
  return edits_.replace(body->getSourceRange(), "{\n" + inside.base + code.str(inside) + "\n" + outside + "}",
                        "what is read in one direction and written in another goes through shared memory");
}

} // namespace warpwright
