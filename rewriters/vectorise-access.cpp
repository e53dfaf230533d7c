// Reads and writes neighbouring elements by 8 or 16 bytes: the iterations of a loop that walks arrays element
// by element are taken two, four or eight at a time, where the arrays begin at a multiple of that; what is
// left over runs one by one, as before.
//
// A loop that each thread runs alone, from 0 by 1, keeps the order of its iterations. In a loop whose
// iterations the threads of a block or of the grid take in turns, an iteration goes to another thread of the
// block or the grid. Legal where
//  - what is loaded together is not written by the loop, nor anything that may overlap it; what is loaded or
//    stored together is so in every iteration: under a condition, an element may not even be there;
//  - of a loop that threads share: an iteration does the same whoever runs it. It uses nothing that differs
//    between threads; it loads nothing that the kernel writes, but for places that are the same for all;
//    nothing else in the kernel touches what it stores; and what it adds up is folded over the whole block,
//    and over the grid where the grid shares the loop, as soon as it is done;
//  - sums that round may then be taken in another order.

#include "analysis/ConstantBlock.h"
#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockFolds.h"
#include "analysis/ast/GlobalAtomics.h"
#include "analysis/ast/SlotUses.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/StridedLoops.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/loops/VectorLoop.h"

#include <clang/AST/ASTContext.h>

#include <map>

namespace warpwright {
namespace {

constexpr const char *id = "vectorise-access";

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), changes_(*kernel_.getBody()), block_(constantBlock(context.analysis)) {}

  llvm::Expected<Proposals> propose() {
    for (const CanonicalLoop &loop : findCanonicalLoops(kernel_, ast_, analysis_.facts))
      consider(loop);
    joinLoops();
    return std::move(proposals_);
  }

private:
  void consider(const CanonicalLoop &loop) {
    LoopSharing sharing = sharingOf(loop, changes_, isFlat(block(), analysis_.annotation->block),
                                    isFlat(std::nullopt, analysis_.annotation->grid),
                                    block_ ? std::optional<int64_t>(block_->x) : std::nullopt);
    if (sharing == LoopSharing::Other)
      return;
    VectorLoop vector(context_, kernel_, loop, sharing, changes_);
    if (vector.isOfNoUse())
      return;
    std::string why = vector.whyNot();
    if (why.empty() && sharing != LoopSharing::Own)
      why = whyNotShared(loop, vector, sharing);
    if (!why.empty())
      return declineLoop(loop.statement->getForLoc(), why);
    for (unsigned width : vector.widths())
      add(loop, vector, width);
    ++position_;
  }

  std::optional<Dim3> block() const { return block_; }

  static bool isFlat(const std::optional<Dim3> &known, const std::optional<ExtentsClause> &stated) {
    if (known)
      return known->y == 1 && known->z == 1;
    return stated && stated->extents.size() == 1;
  }

  /// What it adds up must reach a fold over all who share the loop, and nothing else.
  std::string whyNotShared(const CanonicalLoop &loop, const VectorLoop &vector, LoopSharing sharing) {
    if (vector.carried().empty())
      return {};
    if (!block_)
      return "the block is not known to be the same in every launch, so that what becomes of its threads' "
             "sums cannot "
             "be followed";
    if (!folds_)
      folds_.emplace(ast_, KnownBlock{block_->x, block_->y, block_->z}, FoldSite{&kernel_, {}});
    for (const clang::VarDecl *variable : vector.carried())
      if (std::string why = whyNotFolded(loop, *variable, sharing); !why.empty())
        return "'" + variable->getNameAsString() + "': " + why;
    return {};
  }

  std::string whyNotFolded(const CanonicalLoop &loop, const clang::VarDecl &variable, LoopSharing sharing) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    for (const BlockFold &fold : folds_->all()) {
      for (const FoldedSlots &slots : fold.slots) {
        if (!slots.store || storedVariable(slots) != &variable ||
            !sources.isBeforeInTranslationUnit(loop.statement->getEndLoc(),
                                               fold.statement(fold.first)->getBeginLoc()))
          continue;
        if (mentionsBesides(loop, fold, variable))
          continue;
        if (sharing == LoopSharing::Grid && !isFoldedOverGrid(fold, slots))
          return "the sum of a block goes elsewhere than into one atomic of the grid";
        return {};
      }
    }
    return "it is used for more than a fold over all threads of the block";
  }

  static const clang::VarDecl *storedVariable(const FoldedSlots &slots) {
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(slots.store))
      return namedVariable(binary->getRHS());
    return nullptr;
  }

  /// Whether the variable is used elsewhere than in the loop and in the statement that hands it to the fold.
  bool mentionsBesides(const CanonicalLoop &loop, const BlockFold &fold,
                       const clang::VarDecl &variable) const {
    unsigned inside = VariableChanges(*loop.statement).mentionsOf(&variable);
    for (const clang::Stmt *statement : statementsOf(fold))
      inside += VariableChanges(*statement).mentionsOf(&variable);
    return changes_.mentionsOf(&variable) != inside || loopAround(*kernel_.getBody(), loop.statement);
  }

  /// Whether all that is done with the block's fold is one atomic at a place that all blocks share.
  bool isFoldedOverGrid(const BlockFold &fold, const FoldedSlots &slots) const {
    unsigned reads = 0;
    for (const AtomicCall &call : findAtomicCalls(kernel_, ast_)) {
      VariableChanges value(*call.value);
      if (value.mentionsOf(slots.array) == 0)
        continue;
      bool here = !call.index || llvm::isa<clang::IntegerLiteral>(call.index->IgnoreParenImpCasts());
      const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(call.value->IgnoreParenImpCasts());
      if (!here || !call.isStatement || call.subtracts || call.operation != slots.operation || !subscript)
        return false;
      if (!isReachedByEveryBlock(call))
        return false;
      ++reads;
    }
    unsigned inside = 0;
    for (const clang::Stmt *statement : statementsOf(fold))
      inside += VariableChanges(*statement).mentionsOf(slots.array);
    return reads == 1 && changes_.mentionsOf(slots.array) == inside + 1;
  }

  /// The atomic stands in the body, under no other condition than being thread 0.
  bool isReachedByEveryBlock(const AtomicCall &call) const {
    for (const clang::Stmt *statement : llvm::cast<clang::CompoundStmt>(kernel_.getBody())->body()) {
      const auto *section = llvm::dyn_cast<clang::IfStmt>(statement);
      const clang::Stmt *inner = section ? section->getThen() : statement;
      if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(inner);
          compound && llvm::is_contained(compound->body(), call.call))
        inner = call.call;
      if (inner != call.call)
        continue;
      BlockInterpreter interpreter = folds_->interpreter();
      std::optional<BlockInterpreter::Lanes> lanes =
          section ? interpreter.lanesWhere(section->getCond(), interpreter.allLanes()) : std::nullopt;
      return lanes && *lanes == BlockInterpreter::Lanes{0} && !section->getElse();
    }
    return false;
  }

  /// All loops at once, of each width that two of them or more can take.
  void joinLoops() {
    std::map<int64_t, std::vector<const Candidate *>, std::greater<>> loops;
    for (const Candidate &candidate : proposals_.candidates)
      loops[candidate.parameters.at("width")].push_back(&candidate);
    std::vector<Candidate> joined;
    for (const auto &[width, candidates] : loops) {
      if (candidates.size() < 2)
        continue;
      Candidate all = *candidates.front();
      all.subject = "all loops";
      for (const Candidate *other : llvm::ArrayRef(candidates).drop_front()) {
        llvm::append_range(all.edits, other->edits);
        for (const std::string &assumption : other->assumptions)
          if (!llvm::is_contained(all.assumptions, assumption))
            all.assumptions.push_back(assumption);
      }
      llvm::sort(all.edits, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
      joined.push_back(std::move(all));
    }
    proposals_.candidates.insert(proposals_.candidates.begin(), joined.begin(), joined.end());
  }

  void add(const CanonicalLoop &loop, VectorLoop &vector, unsigned width) {
    Candidate candidate;
    candidate.subject = "the loop at line " + std::to_string(lineOf(loop.statement->getForLoc()));
    candidate.parameters["width"] = width;
    candidate.assumptions = vector.assumptions();
    candidate.claims.push_back({"fewer-global-requests", {}});
    std::optional<std::vector<Edit>> edits = vector.edits(width, position_);
    if (!edits)
      return declineLoop(loop.statement->getForLoc(), "part of it comes out of a macro or a header");
    candidate.edits = std::move(*edits);
    offer(std::move(candidate));
  }

  VariableChanges changes_;
  std::optional<Dim3> block_;
  std::optional<BlockFolds> folds_;
  unsigned position_ = 0; ///< of the loop among those that are written anew
};

} // namespace

llvm::Expected<Proposals> proposeVectoriseAccess(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
