// Lets several layers of threads take turns in the loop in which one thread gathered, and combines what they
// gathered in shared memory: where there are few outputs and long loops, a GPU is idle otherwise.
//
// Legal where threads share nothing, the loop does nothing but gather, and what rounds may be taken in
// another order. All that stands before the loop is declarations and guards, which each layer repeats; what
// stands behind it is done by the first layer alone. Every thread reaches the barrier in between.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/EarlyReturns.h"
#include "analysis/ast/LoopReductions.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LaunchChange.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/folds/FoldCode.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/CounterRoom.h"
#include "rewriters/mapping/Effects.h"
#include "rewriters/mapping/RepeatedBody.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "split-reduction";

/// Threads of a layer, and layers.
struct Layers {
  int64_t x, y, parts;
};
constexpr Layers layersOfPlane[] = {{32, 4, 8}, {32, 2, 16}, {16, 8, 8}};
constexpr Layers layersOfRow[] = {{128, 1, 8}, {64, 1, 16}, {32, 1, 32}};
constexpr int64_t mostParts[] = {8, 4, 16};
constexpr int64_t mostThreads = 1024;

/// The loop, and what stands around it.
struct SplitLoop {
  const CanonicalLoop *loop = nullptr;
  std::vector<LoopReduction> reductions;
  /// Declarations before the first guard, then guards and declarations, in order.
  std::vector<const clang::Stmt *> before, guarded;
  std::vector<const clang::Stmt *> behind;
  const clang::IfStmt *around = nullptr; ///< the `if` that holds the loop and what is behind it
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), shape_(context), axes_(annotatedAxes(context.analysis)),
        loops_(findCanonicalLoops(kernel_, ast_, context.analysis.facts)) {}

  llvm::Expected<Proposals> propose() {
    const auto *body = llvm::dyn_cast<clang::CompoundStmt>(kernel_.getBody());
    if (!body || !findLoop(*body))
      return std::move(proposals_);
    LaunchChange change(context_);
    std::string why = whyNot();
    if (why.empty())
      why = change.whyNot();
    if (!why.empty()) {
      declineLoop(split_.loop->statement->getForLoc(), why);
      return std::move(proposals_);
    }
    for (const Layers &layers : choices())
      if (llvm::Error error = add(layers, change))
        return std::move(error);
    return std::move(proposals_);
  }

private:
  /// The only loop of the kernel that gathers and whose iterations are not counted by a small constant, among
  /// the statements of the body or of the `if` that ends it.
  bool findLoop(const clang::CompoundStmt &body) {
    std::vector<const clang::Stmt *> statements(body.body_begin(), body.body_end());
    if (findAmong(statements))
      return true;
    const auto *around = statements.empty() ? nullptr : llvm::dyn_cast<clang::IfStmt>(statements.back());
    const auto *inner = around && !around->getElse() && !around->isConstexpr() && !around->getInit() &&
                                !around->getConditionVariable()
                            ? llvm::dyn_cast<clang::CompoundStmt>(around->getThen())
                            : nullptr;
    if (!inner || !findAmong({inner->body_begin(), inner->body_end()}))
      return false;
    split_.around = around;
    std::vector<const clang::Stmt *> path(statements.begin(), statements.end() - 1);
    path.push_back(around);
    path.insert(path.end(), split_.guarded.begin(), split_.guarded.end());
    split_.guarded = std::move(path);
    return true;
  }

  bool findAmong(const std::vector<const clang::Stmt *> &statements) {
    for (size_t i = 0; i < statements.size(); ++i)
      for (const CanonicalLoop &loop : loops_) {
        bool known = loop.facts && loop.facts->tripCount.known();
        bool small = known && loop.facts->tripCount.value().asConstant().value_or(64) < 64;
        if (loop.statement != statements[i] || small || loop.changes.changed().empty())
          continue;
        split_.loop = &loop;
        split_.guarded.assign(statements.begin(), statements.begin() + i);
        split_.behind.assign(statements.begin() + i + 1, statements.end());
        return true;
      }
    return false;
  }

  std::string whyNot() {
    if (!axes_)
      return "the annotation gives no constant block";
    if (!shape_.uses().obstacle.empty())
      return shape_.uses().obstacle;
    if ((*axes_)[2].block != 1 || shape_.uses().reads(SymbolKind::ThreadIndex, 2) ||
        shape_.uses().reads(SymbolKind::BlockExtent, 2))
      return "the block has layers of threads already";
    if (!analysis_.facts.synchronisations.empty() || !analysis_.facts.sharedVariables.empty())
      return "its threads share memory, or wait for each other";
    const CanonicalLoop &loop = *split_.loop;
    if (!loop.upward || loop.inclusive || loop.notEqual || !loop.declaresCounter ||
        (loop.constantStep && *loop.constantStep < 1))
      return "it does not count upwards to a bound";
    if (std::string why = whyNotGathered(); !why.empty())
      return why;
    return whyNotRepeated();
  }

  /// The loop only gathers, in variables that start with a constant.
  std::string whyNotGathered() {
    const clang::SourceManager &sources = ast_.getSourceManager();
    const CanonicalLoop &loop = *split_.loop;
    Effects effects = effectsOf(*loop.body);
    if (effects.seenByOthers() || effects.leaves)
      return "it does more than gather";
    for (const clang::VarDecl *variable : loop.changes.changed()) {
      if (sources.isPointWithin(variable->getLocation(), loop.statement->getBeginLoc(),
                                loop.statement->getEndLoc()))
        continue;
      std::optional<LoopReduction> reduction = reductionOf(loop, *variable);
      const std::string name = "'" + variable->getNameAsString() + "'";
      if (!reduction)
        return name + " goes from one iteration to the next";
      if (reduction->rounds && !analysis_.annotation->allows(Permission::Reassociate))
        return name + " is a floating-point sum and would be taken in another order, which needs "
                      "allow(reassociate)";
      if (!variable->getInit() || !variable->getInit()->isEvaluatable(ast_) ||
          !variable->getType()->isArithmeticType())
        return name + " does not start with a constant";
      split_.reductions.push_back(std::move(*reduction));
    }
    llvm::sort(split_.reductions, [](const LoopReduction &left, const LoopReduction &right) {
      return left.variable->getLocation() < right.variable->getLocation();
    });
    return split_.reductions.empty() ? "it gathers nothing" : "";
  }

  std::string whyNotRepeated() {
    EarlyReturns returns = findEarlyReturns(kernel_);
    if (!returns.whyNot.empty())
      return returns.whyNot;
    std::vector<const clang::Stmt *> path = std::move(split_.guarded);
    split_.guarded.clear();
    for (const clang::Stmt *statement : path) {
      const auto *guard = llvm::dyn_cast<clang::IfStmt>(statement);
      bool isGuard = guard && (guard == split_.around || llvm::is_contained(returns.guards, guard));
      const clang::Stmt *evaluated = isGuard ? guard->getCond() : statement;
      Effects effects = effectsOf(*evaluated);
      if ((!isGuard && !llvm::isa<clang::DeclStmt>(statement)) || effects.seenByOthers() ||
          !effects.variables.empty())
        return "what stands before it, at line " + std::to_string(lineOf(*statement)) +
               ", is neither a declaration nor a guard";
      if (isReduction(*statement))
        continue;
      (isGuard || !split_.guarded.empty() ? split_.guarded : split_.before).push_back(statement);
    }
    for (const LoopReduction &reduction : split_.reductions)
      if (!llvm::any_of(path, [&](const clang::Stmt *statement) {
            const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement);
            return declaration && declaration->isSingleDecl() &&
                   declaration->getSingleDecl() == reduction.variable;
          }))
        return "'" + reduction.variable->getNameAsString() + "' is not declared alone";
    return {};
  }

  bool isReduction(const clang::Stmt &statement) const {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
    return declaration && declaration->isSingleDecl() &&
           llvm::any_of(split_.reductions, [&](const LoopReduction &reduction) {
             return reduction.variable == declaration->getSingleDecl();
           });
  }

  std::vector<Layers> choices() {
    const int64_t x = (*axes_)[0].block, y = (*axes_)[1].block;
    std::vector<Layers> result;
    const bool isRow = y == 1 && !shape_.uses().reads(SymbolKind::ThreadIndex, 1);
    auto isFree = [&](unsigned axis) {
      return !(*axes_)[axis].things.empty() && shape_.whyFixed(axis).empty();
    };
    if (isFree(0) && (isRow || isFree(1)))
      result.assign(isRow ? std::begin(layersOfRow) : std::begin(layersOfPlane),
                    isRow ? std::end(layersOfRow) : std::end(layersOfPlane));
    for (int64_t parts : mostParts)
      if (x * y * parts <= mostThreads && (x * y) % 32 == 0 &&
          llvm::none_of(result, [&](const Layers &layers) {
            return layers.x == x && layers.y == y && layers.parts == parts;
          }))
        result.push_back({x, y, parts});
    return result;
  }

  /// Whether the counter may run on by the steps of all layers beyond its bound.
  CounterRoom roomFor(const Layers &layers) const {
    const CanonicalLoop &loop = *split_.loop;
    if (loop.constantStep)
      return roomBeyond({loop.counter, loop.bound}, static_cast<uint64_t>(layers.parts * *loop.constantStep),
                        context_);
    return {"", "'" + loop.counter->getNameAsString() + "' holds " + std::to_string(layers.parts) +
                    " steps more than the end of its loop"};
  }

  llvm::Error add(const Layers &layers, const LaunchChange &change) {
    std::optional<Edit> edit = write(layers);
    if (!edit) {
      declineLoop(split_.loop->statement->getForLoc(), "part of it comes out of a macro or a header");
      return llvm::Error::success();
    }
    Candidate candidate;
    candidate.subject = "the loop at line " + std::to_string(lineOf(split_.loop->statement->getForLoc()));
    candidate.parameters = {{"parts", layers.parts}, {"x", layers.x}, {"y", layers.y}};
    candidate.edits = {std::move(*edit)};
    CounterRoom room = roomFor(layers);
    if (!room.whyNot.empty()) {
      declineLoop(split_.loop->statement->getForLoc(), room.whyNot);
      return llvm::Error::success();
    }
    candidate.assumptions = {room.assumption};
    NewLaunch launch;
    launch.block = {std::to_string(layers.x), std::to_string(layers.y), std::to_string(layers.parts)};
    const int64_t extents[] = {layers.x, layers.y};
    for (unsigned axis = 0; axis < analysis_.annotation->grid->extents.size(); ++axis) {
      bool changes = axis < 2 && extents[axis] != (*axes_)[axis].block;
      launch.grid.push_back(changes ? "ceil_div(" + (*axes_)[axis].things + ", " +
                                          std::to_string(extents[axis]) + ")"
                                    : analysis_.annotation->grid->extents[axis].str());
    }
    if (llvm::Error error = change.apply(launch, candidate))
      return error;
    offer(std::move(candidate));
    return llvm::Error::success();
  }

  std::optional<Edit> write(const Layers &layers) {
    FreshNames names(kernel_, ast_);
    RepeatedBody body(kernel_, ast_);
    const std::string thread = layers.y == 1 ? "[threadIdx.x]" : "[threadIdx.y][threadIdx.x]",
                      parts = std::to_string(layers.parts);
    clang::PrintingPolicy policy(ast_.getLangOpts());
    CodeLines code;
    for (const clang::Stmt *statement : split_.before)
      if (!body.append(code, *statement, *statement))
        return std::nullopt;
    std::vector<std::string> arrays;
    for (const LoopReduction &reduction : split_.reductions) {
      arrays.push_back(names.take(reduction.variable->getNameAsString() + "Parts"));
      const std::string type = reduction.variable->getType().getUnqualifiedType().getAsString(policy);
      code.line("__shared__ " + type + " " + arrays.back() + "[" + parts + "]" +
                (layers.y == 1 ? "" : "[" + std::to_string(layers.y) + "]") + "[" + std::to_string(layers.x) +
                "];");
      std::optional<std::string> start = startOf(reduction);
      if (!start)
        return std::nullopt;
      code.line(type + " " + reduction.variable->getNameAsString() + " = " + *start + ";");
    }
    if (!appendLoop(code, body, parts))
      return std::nullopt;
    for (size_t i = 0; i < arrays.size(); ++i)
      code.line(arrays[i] + "[threadIdx.z]" + thread + " = " +
                split_.reductions[i].variable->getNameAsString() + ";");
    code.line("__syncthreads();");
    code.line("if (threadIdx.z != 0)");
    code.line("  return;");
    if (!appendRest(code, body, arrays, names.scoped("part"), thread, parts))
      return std::nullopt;
    const auto &whole = llvm::cast<clang::CompoundStmt>(*kernel_.getBody());
    std::optional<Edit> edit = body.replaceStatements(*whole.body_front(), *whole.body_back(), code,
                                                      parts + " layers of threads share the loop");
    if (edit) {
      edit->expectedGain = "a loop of a " + parts + "th of the length, and more threads under way";
      edit->risk = "another order of summation; a barrier";
    }
    return edit;
  }

  /// Each layer takes every so manieth iteration.
  bool appendLoop(CodeLines &code, const RepeatedBody &body, const std::string &parts) {
    unsigned depth = 0;
    for (const clang::Stmt *statement : split_.guarded) {
      const auto *guard = llvm::dyn_cast<clang::IfStmt>(statement);
      if (!guard && !body.append(code, *statement, *statement))
        return false;
      if (!guard)
        continue;
      std::optional<std::string> condition = builder_.textOf(guard->getCond()->getSourceRange());
      if (!condition)
        return false;
      code.open(guard == split_.around ? "if (" + *condition + ") {" : "if (!(" + *condition + ")) {");
      ++depth;
    }
    const CanonicalLoop &loop = *split_.loop;
    std::optional<std::string> init = builder_.textOf(loop.init->getSourceRange()),
                               bound = builder_.textOf(loop.bound->getSourceRange()),
                               step = loop.step ? builder_.textOf(loop.step->getSourceRange()) : "1";
    if (!init || !bound || !step)
      return false;
    clang::PrintingPolicy policy(ast_.getLangOpts());
    clang::QualType type = loop.counter->getType().getUnqualifiedType();
    const std::string name = loop.counter->getNameAsString();
    const bool isOne = *step == "1";
    const bool fromZero = *init == "0";
    // A start below zero has no unsigned number: a wider counter would start 2^32 too high.
    const bool needsSign = !fromZero && type->isSignedIntegerType() && ast_.getTypeSize(type) > 32;
    const std::string layer = needsSign ? "int(threadIdx.z)" : "threadIdx.z",
                      turn = isOne ? layer : layer + " * (" + *step + ")";
    code.comment(parts + " layers of threads take turns in the loop.");
    code.open("for (" + type.getCanonicalType().getAsString(policy) + " " + name + " = " +
              (fromZero ? turn : (isOperand(loop.init) ? *init : "(" + *init + ")") + " + " + turn) + "; " +
              name + " < " + *bound + "; " + name + " += " + parts + (isOne ? "" : " * (" + *step + ")") +
              ") {");
    std::vector<const clang::Stmt *> statements = {loop.body};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(loop.body))
      statements.assign(compound->body_begin(), compound->body_end());
    for (const clang::Stmt *statement : statements)
      if (!body.append(code, *statement, *statement))
        return false;
    for (code.close(); depth > 0; --depth)
      code.close();
    return true;
  }

  /// What the first layer does once all have gathered.
  bool appendRest(CodeLines &code, const RepeatedBody &body, llvm::ArrayRef<std::string> arrays,
                  const std::string &part, const std::string &thread, const std::string &parts) {
    for (const clang::Stmt *statement : split_.guarded) {
      if (statement != split_.around) {
        if (!appendPlain(code, *statement))
          return false;
        continue;
      }
      std::optional<std::string> condition = builder_.textOf(split_.around->getCond()->getSourceRange());
      if (!condition)
        return false;
      code.open("if (" + *condition + ") {");
    }
    code.open("for (int " + part + " = 1; " + part + " < " + parts + "; ++" + part + ") {");
    for (size_t i = 0; i < arrays.size(); ++i) {
      const LoopReduction &reduction = split_.reductions[i];
      FoldedValue value;
      value.name = reduction.variable->getNameAsString();
      value.operation = reduction.operation;
      if (reduction.function)
        value.function = builder_.textOf(reduction.function->getSourceRange()).value_or("");
      code.line(combineText(value, arrays[i] + "[" + part + "]" + thread));
    }
    code.close();
    for (const clang::Stmt *statement : split_.behind)
      if (!appendPlain(code, *statement))
        return false;
    if (split_.around)
      code.close();
    return true;
  }

  /// As it stands, returns included.
  bool appendPlain(CodeLines &code, const clang::Stmt &statement) const {
    std::optional<Edit> place = builder_.replaceStatements(statement, statement, "", "its place");
    if (!place)
      return false;
    const clang::SourceManager &sources = ast_.getSourceManager();
    llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
    code.moved(file.substr(place->offset, place->length),
               indentationAt(statement.getBeginLoc(), kernel_, ast_).base);
    return true;
  }

  /// What a layer starts with: all but the first with what changes nothing.
  std::optional<std::string> startOf(const LoopReduction &reduction) const {
    std::optional<std::string> text = builder_.textOf(reduction.variable->getInit()->getSourceRange());
    const bool isSum =
        reduction.operation == FoldOperation::Sum || reduction.operation == FoldOperation::BitXor;
    if (!text || (!isSum && reduction.operation != FoldOperation::Product))
      return text;
    clang::Expr::EvalResult value;
    bool isZero = reduction.variable->getInit()->EvaluateAsRValue(value, ast_) &&
                  ((value.Val.isInt() && value.Val.getInt() == 0) ||
                   (value.Val.isFloat() && value.Val.getFloat().isPosZero()));
    if (isSum && isZero)
      return text;
    return "threadIdx.z == 0 ? " + *text + " : " + (isSum ? "0" : "1");
  }

  BlockShape shape_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
  std::vector<CanonicalLoop> loops_;
  SplitLoop split_;
};

} // namespace

llvm::Expected<Proposals> proposeSplitReduction(const RewriteContext &context) {
  if (!context.analysis.annotation || !context.analysis.annotation->grid)
    return Proposals();
  return Proposer(context).propose();
}

} // namespace warpwright
