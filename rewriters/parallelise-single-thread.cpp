// Shares out a loop that one thread of a block runs while all others wait: every thread takes a part of the
// iterations, and what they gather is folded by warp shuffles.
//
// Legal where
//  - the block is the same in every launch and all its threads reach the section: none has returned before,
//    and they meet at a barrier beside it, or nothing is around it;
//  - iterations may run in any order: each writes elements of its own, and what goes from one to the next is
//    a reduction, which rounds only where allow(reassociate) is given;
//  - the loop is the same whoever runs it: nothing in it depends on the thread;
//  - the counter has room for the block's stride beyond its bound;
//  - a barrier stands between the loop and whatever the one thread did, or does, with the same memory.

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockFolds.h"
#include "analysis/ast/IterationOrder.h"
#include "analysis/ast/StridedLoops.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/mapping/CounterRoom.h"
#include "rewriters/sections/SharedSection.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "parallelise-single-thread";

/// Where the function returns.
class ReturnFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const clang::ReturnStmt *> found;
  bool VisitReturnStmt(const clang::ReturnStmt *statement) override {
    found.push_back(statement);
    return true;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }
};

/// What is not the same for all threads of the block in a section that one of them runs.
class DifferenceFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  DifferenceFinder(const LoneSection &section, const VariableChanges &changes,
                   const clang::SourceManager &sources)
      : section_(section), changes_(changes), sources_(sources) {
    ShouldVisitImplicitCode = true;
  }
  bool found = false;
  bool VisitPseudoObjectExpr(const clang::PseudoObjectExpr *pseudo) override {
    found |= llvm::StringRef(specialRegister(pseudo)).starts_with("threadIdx");
    return !found;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const bool inside =
        variable && sources_.isPointWithin(variable->getLocation(), section_.branch->getBeginLoc(),
                                           section_.branch->getEndLoc());
    const bool arrayOfOne = variable && !inside && variable->isLocalVarDecl() &&
                            variable->getType()->isArrayType() && !variable->hasAttr<clang::CUDASharedAttr>();
    found |= arrayOfOne || (variable && !inside && !isUniform(*reference, changes_, false));
    return !found;
  }

private:
  const LoneSection &section_;
  const VariableChanges &changes_;
  const clang::SourceManager &sources_;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), names_(kernel_, ast_), edits_(kernel_, ast_),
        block_(constantBlock(analysis_)) {}

  llvm::Expected<Proposals> propose() {
    const std::vector<CanonicalLoop> loops = findCanonicalLoops(kernel_, ast_, analysis_.facts);
    for (const LoneSection &section : findLoneSections(context_, loops, block_)) {
      std::string why = whyNot(section);
      if (why.empty())
        why = rewrite(section);
      if (!why.empty())
        decline(*section.branch, "the loop that one thread runs: " + why);
    }
    candidate_.edits = edits_.edits();
    if (candidate_.edits.empty())
      return std::move(proposals_);
    candidate_.subject = "sections of one thread";
    offer(std::move(candidate_));
    return std::move(proposals_);
  }

private:
  std::string whyNot(const LoneSection &section) const {
    if (!block_)
      return "the block is not known to be the same in every launch";
    if (block_->count() < 2)
      return "the block has one thread";
    ReturnFinder returns;
    returns.TraverseStmt(kernel_.getBody());
    for (const clang::ReturnStmt *statement : returns.found)
      if (ast_.getSourceManager().isBeforeInTranslationUnit(statement->getBeginLoc(),
                                                            section.branch->getEndLoc()))
        return "threads may have returned before";
    const bool meets = llvm::any_of(section.scope->body(), isBlockBarrier);
    if (!section.outermost && !meets)
      return "not all threads may reach it";
    for (size_t i = 0; i < section.position && !section.outermost; ++i)
      if (reader_.usesOf(*section.scope->body_begin()[i]).mayLeave)
        return "not all threads may reach it";
    if (std::string why = whyNotCounted(*section.loop); !why.empty())
      return why;
    return whyNotSame(section);
  }

  static std::string whyNotCounted(const CanonicalLoop &loop) {
    if (!loop.constantStep || loop.notEqual || !loop.declaresCounter)
      return "it does not count by a constant to a bound, with a counter of its own";
    if (!loop.upward && !loop.counter->getType()->isSignedIntegerType())
      return "it counts down without a sign";
    return {};
  }

  /// Whatever decides in the loop is the same for all threads.
  std::string whyNotSame(const LoneSection &section) const {
    auto differs = [&](const clang::Stmt *code) {
      DifferenceFinder finder(section, reader_.changes(), ast_.getSourceManager());
      finder.TraverseStmt(code);
      return finder.found;
    };
    for (const clang::DeclStmt *declaration : section.declarations) {
      CodeUses uses = reader_.usesOf(*declaration);
      if (differs(declaration) || !uses.others.empty() ||
          llvm::any_of(uses.places, [](const PlaceUse &use) { return use.writes(); }))
        return "what is declared before it is not the same for all threads";
    }
    return differs(section.loop->statement) ? "it depends on the thread that runs it" : "";
  }

  /// Whether one piece writes what the other touches.
  bool conflict(const clang::Stmt &left, const clang::Stmt &right) {
    CodeUses one = reader_.usesOf(left), other = reader_.usesOf(right);
    if (!one.others.empty() || !other.others.empty())
      return true;
    for (const PlaceUse &first : one.places)
      for (const PlaceUse &second : other.places)
        if ((first.writes() || second.writes()) &&
            mayOverlap(first.root, second.root, *analysis_.annotation, candidate_.assumptions))
          return true;
    return false;
  }

  std::string rewrite(const LoneSection &section) {
    const CanonicalLoop &loop = *section.loop;
    IterationOrder order = readIterationOrder(loop, reader_, *analysis_.annotation, ast_);
    if (!order.whyNot.empty())
      return order.whyNot;
    CounterRoom room =
        roomBeyond({loop.counter, loop.bound, loop.upward, loop.inclusive},
                   block_->count() * static_cast<uint64_t>(std::abs(*loop.constantStep)), context_);
    if (!room.whyNot.empty())
      return room.whyNot;
    for (const clang::DeclStmt *declaration : section.declarations)
      if (conflict(*declaration, *loop.statement))
        return "it may write what is read before it";
    if (!order.reductions.empty() && section.thread != 0)
      return "it gathers for another thread than the first of the block";
    std::vector<FoldedValue> values;
    for (const LoopReduction &reduction : order.reductions)
      if (std::string why = readValue(section, reduction, values); !why.empty())
        return why;
    SharedSection shared(
        kernel_, ast_, *block_, names_,
        [this](const clang::Stmt &left, const clang::Stmt &right) { return conflict(left, right); });
    std::optional<CodeLines> code = shared.write(section, values);
    edits_.begin("one thread runs the loop while the others wait",
                 std::to_string(block_->count()) + " threads share its iterations",
                 values.empty() ? "none" : "sums are taken in another order");
    if (!code || !edits_.replaceStatement(*section.branch, *code)) {
      edits_.drop();
      return "part of it comes out of a macro or a header";
    }
    llvm::append_range(candidate_.assumptions, order.assumptions);
    candidate_.assumptions.push_back(room.assumption);
    if (!values.empty() && candidate_.claims.empty())
      candidate_.claims.push_back({"uses-shuffles", {}});
    return {};
  }

  std::string readValue(const LoneSection &section, const LoopReduction &reduction,
                        std::vector<FoldedValue> &values) {
    const clang::VarDecl &variable = *reduction.variable;
    const std::string quoted = "'" + variable.getNameAsString() + "'";
    const bool own = llvm::any_of(section.declarations, [&](const clang::DeclStmt *declaration) {
      return llvm::is_contained(declaration->decls(), &variable);
    });
    if (!own || !variable.getInit())
      return quoted + ", in which it gathers, is not declared with a value right before it";
    if (reduction.rounds && !analysis_.annotation->allows(Permission::Reassociate))
      return quoted + " is a floating-point sum and would be taken in another order, which needs "
                      "allow(reassociate)";
    uint64_t bits = ast_.getTypeSize(variable.getType());
    if (variable.getType()->isBooleanType() || (bits != 32 && bits != 64))
      return "there is no shuffle of " + quoted;
    if (!isNeutral(reduction))
      return quoted + " does not start with nothing";
    FoldedValue value;
    value.name = variable.getNameAsString();
    value.type =
        variable.getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
    value.slots = names_.take(value.name + "Slots");
    value.operation = reduction.operation;
    value.other = names_.scoped("other");
    if (reduction.function)
      value.function = builder_.textOf(reduction.function->getSourceRange()).value_or("");
    values.push_back(std::move(value));
    return {};
  }

  /// Every thread may start with what the variable starts with.
  bool isNeutral(const LoopReduction &reduction) const {
    using enum FoldOperation;
    if (reduction.operation == Minimum || reduction.operation == Maximum || reduction.operation == BitAnd ||
        reduction.operation == BitOr)
      return true;
    clang::Expr::EvalResult result;
    const clang::Expr *init = reduction.variable->getInit();
    if (init->isValueDependent() || !init->EvaluateAsRValue(result, ast_))
      return false;
    double wanted = reduction.operation == Product ? 1 : 0;
    if (result.Val.isInt())
      return result.Val.getInt() == static_cast<int64_t>(wanted);
    // A negative zero is the neutral one; a positive makes a sum of negative zeros positive, as it did
    // before.
    return result.Val.isFloat() && result.Val.getFloat().convertToDouble() == wanted;
  }

  PlaceReader reader_;
  FreshNames names_;
  LinkedEdits edits_;
  std::optional<Dim3> block_;
  Candidate candidate_;
};

} // namespace

llvm::Expected<Proposals> proposeParalleliseSingleThread(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
