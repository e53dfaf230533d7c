// Shares out a loop that one thread of a block runs while all others wait: every thread takes a part of the
// iterations, and what they gather is folded by warp shuffles.
//
// Legal where
//  - the block is the same in every launch and all its threads reach the section: none has returned before,
//  and
//    they meet at a barrier beside it, or nothing is around it;
//  - iterations may run in any order: each writes elements of its own, and what goes from one to the next is
//  a
//    reduction, which rounds only where allow(reassociate) is given;
//  - the loop is the same whoever runs it: nothing in it depends on the thread;
//  - a barrier stands between the loop and whatever the one thread did, or does, with the same memory.

#include "analysis/ConstantBlock.h"
#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockFolds.h"
#include "analysis/ast/IterationOrder.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/StridedLoops.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/folds/FoldCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "parallelise-single-thread";
/// With no more iterations, sharing them out costs what it gains.
constexpr int64_t fewIterations = 32;

/// `if (threadIdx.x == 0) { declarations; loop; rest }` in a block of statements.
struct Section {
  const clang::CompoundStmt *scope = nullptr;
  size_t position = 0;
  const clang::IfStmt *branch = nullptr;
  std::vector<const clang::DeclStmt *> declarations;
  const CanonicalLoop *loop = nullptr;
  std::vector<const clang::Stmt *> rest;
  unsigned thread = 0; ///< who runs it

  const clang::Stmt *before() const { return position == 0 ? nullptr : scope->body_begin()[position - 1]; }
  const clang::Stmt *after() const {
    return position + 1 == scope->size() ? nullptr : scope->body_begin()[position + 1];
  }
};

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

class Proposer {
public:
  explicit Proposer(const RewriteContext &context)
      : context_(context), ast_(context.unit.ast()), kernel_(*context.analysis.kernel.declaration),
        reader_(kernel_), names_(kernel_, ast_), builder_(ast_), edits_(kernel_, ast_),
        loops_(findCanonicalLoops(kernel_, ast_, context.analysis.facts)),
        block_(constantBlock(context.analysis)) {}

  llvm::Expected<Proposals> propose() {
    if (loops_.empty())
      return std::move(proposals_);
    if (block_)
      folds_.emplace(ast_, KnownBlock{block_->x, block_->y, block_->z}, FoldSite{&kernel_, {}});
    scan(kernel_.getBody(), true);
    Candidate candidate;
    candidate.edits = edits_.edits();
    if (candidate.edits.empty())
      return std::move(proposals_);
    candidate.rewriter = id;
    candidate.kernelKey = context_.analysis.kernel.key;
    candidate.subject = "sections of one thread";
    candidate.assumptions = assumptions_;
    if (usesShuffles_)
      candidate.claims.push_back({"uses-shuffles", {}});
    proposals_.candidates.push_back(std::move(candidate));
    return std::move(proposals_);
  }

private:
  void scan(const clang::Stmt *code, bool outermost) {
    const auto *scope = llvm::dyn_cast_or_null<clang::CompoundStmt>(code);
    for (size_t i = 0; scope && i < scope->size(); ++i)
      if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(scope->body_begin()[i]))
        if (std::optional<Section> section = readSection(*scope, i, *branch))
          consider(*section, outermost);
    if (code)
      for (const clang::Stmt *child : code->children())
        scan(child, false);
  }

  /// Nothing where it is no section of one thread with a loop that is worth sharing.
  std::optional<Section> readSection(const clang::CompoundStmt &scope, size_t position,
                                     const clang::IfStmt &branch) const {
    if (branch.getElse() || branch.getInit() || branch.getConditionVariable())
      return std::nullopt;
    Section section;
    section.scope = &scope;
    section.position = position;
    section.branch = &branch;
    std::vector<const clang::Stmt *> body = {branch.getThen()};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(branch.getThen()))
      body.assign(compound->body_begin(), compound->body_end());
    for (const clang::Stmt *statement : body) {
      const CanonicalLoop *loop = loopOf(statement);
      if (section.loop)
        section.rest.push_back(statement);
      else if (loop)
        section.loop = loop;
      else if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement))
        section.declarations.push_back(declaration);
      else
        return std::nullopt;
    }
    if (!section.loop || isShort(*section.loop) || !isSection(section))
      return std::nullopt;
    return section;
  }

  /// One thread of the block runs it, for all that is known: without the block, the facts say so.
  bool isSection(Section &section) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    unsigned first = placeOf(section.branch->getBeginLoc(), sources).line;
    unsigned last = placeOf(section.branch->getThen()->getBeginLoc(), sources).line;
    if (!folds_)
      return llvm::any_of(context_.analysis.facts.sections, [&](const SingleThreadSection &fact) {
        return fact.place.place.line >= first && fact.place.place.line <= last;
      });
    BlockInterpreter interpreter = folds_->interpreter();
    std::optional<BlockInterpreter::Lanes> lanes =
        interpreter.lanesWhere(section.branch->getCond(), interpreter.allLanes());
    if (!lanes || lanes->size() != 1)
      return false;
    section.thread = lanes->front();
    return true;
  }

  const CanonicalLoop *loopOf(const clang::Stmt *statement) const {
    auto found =
        llvm::find_if(loops_, [&](const CanonicalLoop &loop) { return loop.statement == statement; });
    return found == loops_.end() ? nullptr : &*found;
  }

  static bool isShort(const CanonicalLoop &loop) {
    return loop.facts && loop.facts->tripCount.known() &&
           loop.facts->tripCount.value().asConstant().value_or(fewIterations + 1) <= fewIterations;
  }

  void consider(Section &section, bool outermost) {
    std::string why = whyNot(section, outermost);
    if (why.empty())
      why = rewrite(section, outermost);
    if (!why.empty())
      proposals_.declines.push_back({id, context_.analysis.kernel.key,
                                     placeOf(section.branch->getBeginLoc(), ast_.getSourceManager()),
                                     "the loop that one thread runs: " + why});
  }

  std::string whyNot(Section &section, bool outermost) {
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
    bool meets = llvm::any_of(section.scope->body(), isBlockBarrier);
    if (!outermost && !meets)
      return "not all threads may reach it";
    for (size_t i = 0; i < section.position && !outermost; ++i)
      if (reader_.usesOf(*section.scope->body_begin()[i]).mayLeave)
        return "not all threads may reach it";
    if (std::string why = whyNotCounted(*section.loop); !why.empty())
      return why;
    return whyNotSame(section);
  }

  std::string whyNotCounted(const CanonicalLoop &loop) const {
    bool isSigned = loop.counter->getType()->isSignedIntegerType();
    if (!loop.constantStep || loop.notEqual || !loop.declaresCounter)
      return "it does not count by a constant to a bound, with a counter of its own";
    if (!loop.upward && !isSigned)
      return "it counts down without a sign";
    return {};
  }

  /// Whatever decides in the loop is the same for all threads.
  std::string whyNotSame(const Section &section) const {
    auto differs = [&](const clang::Stmt *code) {
      DifferenceFinder finder(*this, section);
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

  class DifferenceFinder : public clang::ConstDynamicRecursiveASTVisitor {
  public:
    DifferenceFinder(const Proposer &proposer, const Section &section)
        : proposer_(proposer), section_(section) {
      ShouldVisitImplicitCode = true;
    }
    bool found = false;
    bool VisitPseudoObjectExpr(const clang::PseudoObjectExpr *pseudo) override {
      found |= llvm::StringRef(specialRegister(pseudo)).starts_with("threadIdx");
      return !found;
    }
    bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
      const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      const clang::SourceManager &sources = proposer_.ast_.getSourceManager();
      bool inside = variable && sources.isPointWithin(variable->getLocation(), section_.branch->getBeginLoc(),
                                                      section_.branch->getEndLoc());
      bool arrayOfOne = variable && !inside && variable->isLocalVarDecl() &&
                        variable->getType()->isArrayType() && !variable->hasAttr<clang::CUDASharedAttr>();
      found |=
          arrayOfOne || (variable && !inside && !isUniform(*reference, proposer_.reader_.changes(), false));
      return !found;
    }

  private:
    const Proposer &proposer_;
    const Section &section_;
  };

  /// Whether one piece writes what the other touches.
  bool conflict(const clang::Stmt &left, const clang::Stmt &right) {
    CodeUses one = reader_.usesOf(left), other = reader_.usesOf(right);
    if (!one.others.empty() || !other.others.empty())
      return true;
    for (const PlaceUse &first : one.places)
      for (const PlaceUse &second : other.places)
        if ((first.writes() || second.writes()) &&
            mayOverlap(first.root, second.root, *context_.analysis.annotation, assumptions_))
          return true;
    return false;
  }

  /// The block must wait before the loop, for what its one thread did since the last barrier.
  bool needsBarrierBefore(const Section &section, bool outermost) {
    for (size_t i = section.position; i-- > 0;) {
      const clang::Stmt *statement = section.scope->body_begin()[i];
      if (isBlockBarrier(statement))
        return false;
      if (conflict(*statement, *section.branch))
        return true;
    }
    return !outermost;
  }

  bool needsBarrierAfter(const Section &section, bool outermost) {
    for (size_t i = section.position + 1; i < section.scope->size(); ++i) {
      const clang::Stmt *statement = section.scope->body_begin()[i];
      if (isBlockBarrier(statement))
        return false;
      if (conflict(*statement, *section.loop->statement))
        return true;
    }
    return !outermost;
  }

  std::string rewrite(const Section &section, bool outermost) {
    IterationOrder order = readIterationOrder(*section.loop, reader_, *context_.analysis.annotation, ast_);
    if (!order.whyNot.empty())
      return order.whyNot;
    for (const clang::DeclStmt *declaration : section.declarations)
      if (conflict(*declaration, *section.loop->statement))
        return "it may write what is read before it";
    if (!order.reductions.empty() && section.thread != 0)
      return "it gathers for another thread than the first of the block";
    std::vector<FoldedValue> values;
    for (const LoopReduction &reduction : order.reductions)
      if (std::string why = readValue(section, reduction, values); !why.empty())
        return why;
    CodeLines code;
    if (std::string why = write(section, outermost, values, code); !why.empty())
      return why;
    edits_.begin("one thread runs the loop while the others wait",
                 std::to_string(block_->count()) + " threads share its iterations",
                 values.empty() ? "none" : "sums are taken in another order");
    if (!edits_.replaceStatement(*section.branch, code)) {
      edits_.drop();
      return "part of it comes out of a macro or a header";
    }
    for (std::string &assumption : order.assumptions)
      if (!llvm::is_contained(assumptions_, assumption))
        assumptions_.push_back(std::move(assumption));
    usesShuffles_ |= !values.empty();
    return {};
  }

  std::string readValue(const Section &section, const LoopReduction &reduction,
                        std::vector<FoldedValue> &values) {
    const clang::VarDecl &variable = *reduction.variable;
    std::string quoted = "'" + variable.getNameAsString() + "'";
    bool own = llvm::any_of(section.declarations, [&](const clang::DeclStmt *declaration) {
      return llvm::is_contained(declaration->decls(), &variable);
    });
    if (!own || !variable.getInit())
      return quoted + ", in which it gathers, is not declared with a value right before it";
    if (reduction.rounds && !context_.analysis.annotation->allows(Permission::Reassociate))
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

  bool isFlat() const { return block_->y == 1 && block_->z == 1; }

  std::string write(const Section &section, bool outermost, llvm::ArrayRef<FoldedValue> values,
                    CodeLines &code) {
    FoldCode fold;
    fold.threads = static_cast<unsigned>(block_->count());
    fold.thread = isFlat() ? "threadIdx.x" : names_.take("thread");
    fold.barrier = "__syncthreads();";
    fold.offset = names_.scoped("offset");
    fold.lanes = names_.scoped("lanes");
    fold.values.assign(values.begin(), values.end());
    bool slots = !values.empty() && fold.warps() > 1;
    code.comment("All threads of the block share the loop that one of them would run alone" +
                 std::string(values.empty() ? "." : ", and fold what they gathered."));
    if (needsBarrierBefore(section, outermost))
      code.line(fold.barrier);
    bool braces = !section.declarations.empty() || slots || !isFlat();
    if (braces)
      code.open("{");
    if (slots)
      for (const FoldedValue &value : values)
        code.line("__shared__ " + value.type + " " + value.slots + "[" + std::to_string(fold.warps()) + "];");
    if (!isFlat())
      code.line("const int " + fold.thread + " = " +
                (block_->z > 1 ? "(threadIdx.z * blockDim.y + threadIdx.y)" : "threadIdx.y") +
                " * blockDim.x + threadIdx.x;");
    for (const clang::DeclStmt *declaration : section.declarations)
      if (!move(*declaration, code, nullptr))
        return "part of it comes out of a macro or a header";
    if (!writeLoop(*section.loop, fold.thread, code))
      return "part of it comes out of a macro or a header";
    if (!values.empty())
      fold.foldWarps(code);
    if (slots) {
      fold.storeWarps(code);
      code.line(fold.barrier);
      fold.foldSlots(code, /*store=*/false);
    }
    bool waits = slots; // what the loop read and wrote is behind the barrier of the fold
    for (const clang::Stmt *statement : section.rest)
      if (!waits && conflict(*statement, *section.loop->statement)) {
        code.line(fold.barrier);
        waits = true;
      }
    if (!section.rest.empty()) {
      std::optional<std::string> condition = builder_.textOf(section.branch->getCond()->getSourceRange());
      if (!condition)
        return "part of it comes out of a macro or a header";
      code.open("if (" + *condition + ") {");
      for (const clang::Stmt *statement : section.rest)
        if (!move(*statement, code, nullptr))
          return "part of it comes out of a macro or a header";
      code.close();
    }
    if (braces)
      code.close();
    // What comes around again must not fill the slots while they are read.
    auto isBarrier = [](const clang::Stmt *statement) { return statement && isBlockBarrier(statement); };
    bool repeats = !outermost && slots && !isBarrier(section.before()) && !isBarrier(section.after());
    if (repeats || (!waits && needsBarrierAfter(section, outermost)))
      code.line(fold.barrier);
    return {};
  }

  bool move(const clang::Stmt &statement, CodeLines &code, PatchedText *patched) const {
    std::optional<Edit> whole = builder_.replaceStatements(statement, statement, "", "its place");
    if (!whole)
      return false;
    PatchedText plain(ast_);
    std::optional<std::string> text =
        (patched ? *patched : plain).between(whole->offset, whole->offset + whole->length);
    if (text)
      code.moved(*text, indentationAt(statement.getBeginLoc(), kernel_, ast_).base);
    return text.has_value();
  }

  bool writeLoop(const CanonicalLoop &loop, const std::string &thread, CodeLines &code) const {
    std::optional<std::string> init = builder_.textOf(loop.init->getSourceRange());
    std::optional<std::string> counter =
        builder_.textOf({loop.counter->getLocation(), loop.counter->getLocation()});
    if (!init || !counter)
      return false;
    int64_t step = std::abs(*loop.constantStep);
    std::string times = step == 1 ? "" : std::to_string(step) + " * ";
    const auto *literal = llvm::dyn_cast<clang::IntegerLiteral>(loop.init->IgnoreParenImpCasts());
    bool zero = literal && literal->getValue() == 0;
    // Whoever starts from a variable may start below zero: then the thread's number must have a sign.
    std::string number =
        zero || !loop.counter->getType()->isSignedIntegerType() || !isFlat() ? thread : "int(" + thread + ")";
    std::string first = (zero ? "" : asSummand(loop.init, *init) + (loop.upward ? " + " : " - ")) +
                        (zero && !loop.upward ? "-" : "") + times + number;
    std::string stride = times + (isFlat() ? "blockDim.x" : std::to_string(block_->count()));
    PatchedText text(ast_);
    text.replace(loop.init->getSourceRange(), first);
    text.replace(llvm::cast<clang::ForStmt>(loop.statement)->getInc()->getSourceRange(),
                 *counter + (loop.upward ? " += " : " -= ") + stride);
    return move(*loop.statement, code, &text);
  }

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  PlaceReader reader_;
  FreshNames names_;
  EditBuilder builder_;
  LinkedEdits edits_;
  std::vector<CanonicalLoop> loops_;
  std::optional<Dim3> block_;
  std::optional<BlockFolds> folds_;
  std::vector<std::string> assumptions_;
  bool usesShuffles_ = false;
  Proposals proposals_;
};

} // namespace

llvm::Expected<Proposals> proposeParalleliseSingleThread(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
