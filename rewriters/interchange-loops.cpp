// Exchanges two nested loops so that the inner one walks neighbouring elements; and lets the threads of a
// block take turns in the inner loop instead of the outer one where that makes neighbouring lanes touch
// neighbours.
//
// Legal where the inner loop is all that the outer one does and runs alike in each of its iterations, and
// every element that is written is one that different iterations do not share, or share along one of the two
// loops alone: then iterations that share it keep their order. Values that are gathered over both loops are
// taken in another order, which needs allow(reassociate) where they round. Where threads take turns
// elsewhere, iterations besides go to other threads: each must write elements of its own, depend on nothing
// that differs between threads, and touch nothing that the kernel touches elsewhere.

#include "analysis/ConstantBlock.h"
#include "analysis/KernelAnalysis.h"
#include "analysis/ast/LoopNests.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/StridedLoops.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/edits/LinkedEdits.h"
#include "rewriters/mapping/CounterRoom.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

namespace warpwright {
namespace {

constexpr const char *id = "interchange-loops";
constexpr uint64_t largestBlock = 1024;

class DifferenceFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  DifferenceFinder(const LoopNest &nest, const VariableChanges &function)
      : nest_(nest), function_(function) {}
  bool found = false;
  bool VisitPseudoObjectExpr(const clang::PseudoObjectExpr *pseudo) override {
    return !(found |= llvm::StringRef(specialRegister(pseudo)).starts_with("threadIdx"));
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const clang::ForStmt *loop = nest_.outer->statement;
    bool inside = variable && variable->getASTContext().getSourceManager().isPointWithin(
                                  variable->getLocation(), loop->getBeginLoc(), loop->getEndLoc());
    return !(found |= variable && !inside && !isUniform(*reference, function_, false));
  }

private:
  const LoopNest &nest_;
  const VariableChanges &function_;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), reader_(kernel_), edits_(kernel_, ast_),
        loops_(findCanonicalLoops(kernel_, ast_, context.analysis.facts)) {}

  llvm::Expected<Proposals> propose() {
    for (const LoopNest &nest : findLoopNests(loops_))
      consider(nest);
    candidate_.edits = edits_.edits();
    if (candidate_.edits.empty())
      return std::move(proposals_);
    if (shares_)
      candidate_.claims.push_back({"fewer-sectors", {}});
    offer(std::move(candidate_));
    return std::move(proposals_);
  }

private:
  void consider(const LoopNest &nest) {
    LoopSharing outer = sharingOf(*nest.outer, reader_.changes(), isFlat(), false);
    LoopSharing inner = sharingOf(*nest.inner, reader_.changes(), isFlat(), false);
    NestSteps steps = stepsOf(nest, reader_);
    bool swaps =
        outer != LoopSharing::Block && inner != LoopSharing::Block && steps.outerNear > steps.innerNear;
    bool shares =
        outer == LoopSharing::Block && inner == LoopSharing::Own && steps.innerNear > nearOfShared(nest);
    if (!swaps && !shares)
      return;
    NestOrder order = readNestOrder(nest, reader_, *analysis_.annotation, ast_);
    std::string why = order.whyNot.empty() ? whyNotReduced(order) : order.whyNot;
    if (why.empty() && shares)
      why = whyNotShared(nest, order);
    if (why.empty() && !(shares ? share(nest) : swap(nest)))
      why = "part of it comes out of a macro or a header";
    if (!why.empty())
      return declineLoop(nest.outer->statement->getForLoc(), why);
    shares_ |= shares;
    std::string subject = "the loop at line " + std::to_string(lineOf(nest.outer->statement->getForLoc()));
    candidate_.subject += (candidate_.subject.empty() ? "" : ", ") + subject;
    for (const std::string &assumption : order.assumptions)
      if (!llvm::is_contained(candidate_.assumptions, assumption))
        candidate_.assumptions.push_back(assumption);
  }

  bool isFlat() const {
    std::optional<Dim3> block = constantBlock(analysis_);
    if (block)
      return block->y == 1 && block->z == 1;
    const Annotation &annotation = *analysis_.annotation;
    return annotation.block && annotation.block->extents.size() == 1;
  }

  /// Elements that neighbouring lanes find side by side as it is.
  unsigned nearOfShared(const LoopNest &nest) const {
    unsigned count = 0;
    for (const CountedElement &element : findCountedElements(*nest.outer))
      count += element.modulus == nullptr;
    return count;
  }

  std::string whyNotReduced(const NestOrder &order) const {
    for (const LoopReduction &reduction : order.reductions)
      if (reduction.rounds && !analysis_.annotation->allows(Permission::Reassociate))
        return "'" + reduction.variable->getNameAsString() +
               "' is a floating-point sum and would be taken in another order, which needs "
               "allow(reassociate)";
    return {};
  }

  std::string whyNotShared(const LoopNest &nest, const NestOrder &order) {
    if (!order.independent)
      return "what goes from one iteration to the next stays with one thread";
    DifferenceFinder finder(nest, reader_.changes());
    finder.TraverseStmt(nest.inner->statement);
    finder.TraverseStmt(nest.outer->bound);
    if (finder.found)
      return "it uses what differs between threads";
    // Another thread now does what this one did: the two must not meet elsewhere.
    CodeUses uses = reader_.usesOf(*nest.outer->statement), all = reader_.usesOf(*kernel_.getBody());
    const clang::SourceManager &sources = ast_.getSourceManager();
    for (const PlaceUse &use : all.places) {
      bool inside = sources.isPointWithin(use.place->getBeginLoc(), nest.outer->statement->getBeginLoc(),
                                          nest.outer->statement->getEndLoc());
      for (const PlaceUse &own : uses.places)
        if (!inside && (own.writes() || use.writes()) &&
            mayOverlap(own.root, use.root, *analysis_.annotation, candidate_.assumptions))
          return "'" + own.root.name() + "' is accessed elsewhere in the kernel";
    }
    if (!all.others.empty())
      return "the kernel calls what may do anything, or waits for other threads";
    CounterRoom room =
        roomBeyond({nest.inner->counter, nest.inner->bound, nest.inner->upward, nest.inner->inclusive},
                   largestBlock, context_);
    candidate_.assumptions.push_back(room.assumption);
    return room.whyNot;
  }

  static clang::SourceRange headerOf(const CanonicalLoop &loop) {
    return {loop.statement->getInit()->getBeginLoc(), loop.statement->getInc()->getEndLoc()};
  }

  bool swap(const LoopNest &nest) {
    std::optional<std::string> outer = builder_.textOf(headerOf(*nest.outer)),
                               inner = builder_.textOf(headerOf(*nest.inner));
    if (!outer || !inner)
      return false;
    edits_.begin("the inner loop jumps from element to element, the outer one would walk them",
                 "neighbouring elements one after the other: each sector is fetched once", "none");
    CodeLines code;
    code.comment("'" + nest.outer->counter->getNameAsString() +
                 "' counts neighbouring elements, so it is counted in the inner loop.");
    bool whole = edits_.insertBefore(*nest.outer->statement, code) &&
                 edits_.replace(headerOf(*nest.outer), *inner) &&
                 edits_.replace(headerOf(*nest.inner), *outer);
    if (!whole)
      edits_.drop();
    return whole;
  }

  bool share(const LoopNest &nest) {
    std::string outer = nest.outer->counter->getNameAsString(),
                inner = nest.inner->counter->getNameAsString();
    edits_.begin("threads of the block take turns in the outer loop, and each walks the inner one alone",
                 "neighbouring lanes touch neighbouring elements", "inner loops shorter than a warp");
    CodeLines code;
    code.comment("The threads of the block take turns along '" + inner +
                 "', where neighbours are neighbours in memory.");
    bool whole = edits_.insertBefore(*nest.outer->statement, code) &&
                 edits_.replace(nest.outer->init->getSourceRange(), "0") &&
                 edits_.replace(nest.outer->statement->getInc()->getSourceRange(), "++" + outer) &&
                 edits_.replace(nest.inner->init->getSourceRange(), "threadIdx.x") &&
                 edits_.replace(nest.inner->statement->getInc()->getSourceRange(), inner + " += blockDim.x");
    if (!whole)
      edits_.drop();
    return whole;
  }

  PlaceReader reader_;
  LinkedEdits edits_;
  std::vector<CanonicalLoop> loops_;
  Candidate candidate_;
  bool shares_ = false;
};

} // namespace

llvm::Expected<Proposals> proposeInterchangeLoops(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
