// Folds what a block holds in shared memory (a sum, a product, the smallest, the largest, any, all, bits) by
// warp shuffles, with one shared slot a warp: instead of a tree over shared slots with a barrier a level, or
// one thread that walks them all.
//
// What is a fold is not told by its looks: BlockFolds runs the piece for all threads of the block and sees
// that slot 0, or a variable of thread 0, ends with every slot taken once by one operation that knows no
// order. Legal where besides
//  - the block is the same in every launch, and all its threads reach the piece;
//  - nobody reads the other slots afterwards: they hold something else now;
//  - a sum or product that rounds may be taken in another order;
//  - in a function that the kernel calls, no other kernel does.
// One barrier is left wherever several warps take part, so that whatever else the block hands on across the
// piece is as well ordered as before.

#include "analysis/ConstantBlock.h"
#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SameFile.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/folds/FoldRewrite.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Mangle.h>

namespace warpwright {
namespace {

constexpr const char *id = "shuffle-reduction";

const clang::FunctionDecl *patternOf(const clang::FunctionDecl &function) {
  const clang::FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  return (pattern ? pattern : &function)->getCanonicalDecl();
}

/// The calls of a function's body that are known by name.
class CallFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const clang::CallExpr *> calls;
  bool VisitCallExpr(const clang::CallExpr *call) override {
    if (call->getDirectCallee())
      calls.push_back(call);
    return true;
  }
};

/// Who mentions a function in the main file.
class MentionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit MentionFinder(const clang::FunctionDecl &function) : pattern_(patternOf(function)) {
    ShouldVisitTemplateInstantiations = true;
  }
  llvm::SmallPtrSet<const clang::FunctionDecl *, 4> mentioners; ///< patterns

  bool TraverseFunctionDecl(const clang::FunctionDecl *function) override {
    const clang::FunctionDecl *outer = current_;
    current_ = function;
    bool goOn = clang::ConstDynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    current_ = outer;
    return goOn;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
        function && patternOf(*function) == pattern_)
      mentioners.insert(current_ ? patternOf(*current_) : nullptr);
    return true;
  }

private:
  const clang::FunctionDecl *pattern_;
  const clang::FunctionDecl *current_ = nullptr;
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context) : KernelProposer(context, id) {}

  llvm::Expected<Proposals> propose() {
    bool waits = llvm::any_of(analysis_.facts.synchronisations, [](const Synchronisation &operation) {
      return operation.kind == Synchronisation::Kind::Barrier;
    });
    if (!waits || analysis_.facts.sharedVariables.empty())
      return std::move(proposals_);
    std::optional<Dim3> block = constantBlock(analysis_);
    if (!block) {
      decline("the block is not known to be the same in every launch, so that what its shared memory holds "
              "in the "
              "end cannot be followed");
      return std::move(proposals_);
    }
    block_ = {block->x, block->y, block->z};
    FoldSite kernel{&kernel_, {}};
    BlockFolds folds(ast_, block_, kernel);
    rewrite(kernel, folds);
    for (const FoldSite &site : calledFunctions(folds))
      rewrite(site, BlockFolds(ast_, block_, site));
    if (!candidate_.edits.empty())
      finish();
    return std::move(proposals_);
  }

private:
  /// The functions with a body in the main file that the kernel calls, with the arguments that all calls
  /// agree on.
  std::vector<FoldSite> calledFunctions(const BlockFolds &folds) const {
    CallFinder finder;
    finder.TraverseStmt(kernel_.getBody());
    std::vector<FoldSite> sites;
    for (const clang::CallExpr *call : finder.calls) {
      const clang::FunctionDecl *function = nullptr;
      if (!call->getDirectCallee()->getBody(function) || llvm::isa<clang::CXXMethodDecl>(function) ||
          !ast_.getSourceManager().isInMainFile(function->getLocation()) ||
          call->getNumArgs() != function->getNumParams())
        continue;
      auto known = llvm::find_if(sites, [&](const FoldSite &site) { return site.function == function; });
      if (known == sites.end()) {
        sites.push_back({function, {}});
        VariableChanges changes(*function->getBody());
        for (unsigned i = 0; i < call->getNumArgs(); ++i)
          if (changes.isConstant(function->getParamDecl(i)))
            sites.back().parameters.emplace_back(function->getParamDecl(i),
                                                 folds.interpreter().evaluate(call->getArg(i)));
        llvm::erase_if(sites.back().parameters, [](const auto &bound) { return !isExact(bound.second); });
        continue;
      }
      llvm::erase_if(known->parameters, [&](const auto &bound) {
        unsigned position = llvm::cast<clang::ParmVarDecl>(bound.first)->getFunctionScopeIndex();
        return !isSame(bound.second, folds.interpreter().evaluate(call->getArg(position)));
      });
    }
    return sites;
  }

  static bool isExact(llvm::ArrayRef<LaneValue> values) {
    return llvm::all_of(values,
                        [](const LaneValue &value) { return value.isInteger() || value.isAddress(); });
  }
  static bool isSame(llvm::ArrayRef<LaneValue> left, llvm::ArrayRef<LaneValue> right) {
    return llvm::equal(left, right, [](const LaneValue &one, const LaneValue &other) {
      return one.kind == other.kind && one.integer == other.integer && one.variable == other.variable;
    });
  }

  void rewrite(const FoldSite &site, const BlockFolds &folds) {
    for (const BlockFolds::Other &other : folds.others())
      decline(placeAt(other.statement->getBeginLoc()),
              "the loop is not known to fold shared memory: " + other.why);
    std::vector<const BlockFold *> all;
    for (const BlockFold &fold : folds.all()) {
      std::string why = whyNotReached(fold);
      if (why.empty() && site.function != &kernel_)
        why = whyNotShared(site, fold);
      if (why.empty())
        all.push_back(&fold);
      else
        decline(fold, why);
    }
    // What one fold leaves as it is changes what the others may do, so all are tried until none drops out.
    std::vector<Edit> edits;
    while (!all.empty()) {
      const BlockFold *dropped = nullptr;
      FreshNames names(*site.function, ast_);
      edits.clear();
      unsigned before = 0, after = 0;
      for (const BlockFold *fold : all) {
        FoldRewrite rewrite(context_, site, folds, all, *fold, names);
        std::string why = rewrite.build();
        if (!why.empty()) {
          decline(*fold, why);
          dropped = fold;
          break;
        }
        for (Edit &edit : rewrite.edits())
          if (llvm::none_of(edits, [&](const Edit &known) { return known.offset == edit.offset; }))
            edits.push_back(std::move(edit));
        before += rewrite.barriersBefore();
        after += rewrite.barriersAfter();
      }
      if (!dropped) {
        accept(all, std::move(edits), before, after);
        return;
      }
      llvm::erase(all, dropped);
    }
  }

  void accept(llvm::ArrayRef<const BlockFold *> folds, std::vector<Edit> edits, unsigned before,
              unsigned after) {
    barriersFall_ |= after < before;
    for (Edit &edit : edits)
      candidate_.edits.push_back(std::move(edit));
    for (const BlockFold *fold : folds) {
      if (fold->warpSynchronous)
        assume("the lanes of a warp run in step between line " +
               std::to_string(lineOf(*fold->statement(fold->first))) + " and line " +
               std::to_string(lineOf(*fold->statement(fold->last))) + ", as the original takes for granted");
      for (const FoldedSlots &slots : fold->slots) {
        if (slots.byComparison && (slots.element->isRealFloatingType() || slots.element->isRecordType()))
          assume("no value of '" + slots.array->getNameAsString() +
                 "' is NaN: which of two a comparison takes then depends on their order");
        std::string symbol = clang::ASTNameGenerator(context_.unit.ast()).getName(slots.array);
        if (llvm::none_of(candidate_.claims, [&](const Claim &claim) { return claim.subject == symbol; }))
          candidate_.claims.push_back({"fewer-shared-passes", symbol});
        std::string name = slots.array->getNameAsString();
        if (!llvm::is_contained(llvm::split(llvm::StringRef(candidate_.subject), ", "), name))
          candidate_.subject += (candidate_.subject.empty() ? "" : ", ") + name;
      }
    }
  }

  void assume(std::string assumption) {
    if (!llvm::is_contained(candidate_.assumptions, assumption))
      candidate_.assumptions.push_back(std::move(assumption));
  }

  /// Facts of every architecture say whether all threads come by the barriers of the piece.
  std::string whyNotReached(const BlockFold &fold) const {
    Place begin = placeAt(fold.statement(fold.first)->getBeginLoc());
    Place end = placeAt(fold.statement(fold.last)->getEndLoc());
    for (const KernelAnalysis *version : context_.versions) {
      unsigned seen = 0;
      for (const Synchronisation &operation : version->facts.synchronisations) {
        const Place &place = operation.place.place;
        if (operation.kind != Synchronisation::Kind::Barrier || !inSameFile(place, begin) ||
            place.line < begin.line || place.line > end.line)
          continue;
        ++seen;
        if (operation.divergentControl)
          return "threads may leave before the barrier at line " + std::to_string(place.line);
      }
      if (seen == 0)
        return "none of its barriers is left in the device code, so it is not known that all threads reach "
               "it";
    }
    return {};
  }

  /// Other kernels may have other blocks, and read the slots in other ways.
  std::string whyNotShared(const FoldSite &site, const BlockFold &fold) const {
    MentionFinder finder(*site.function);
    for (const clang::Decl *declaration : ast_.getTranslationUnitDecl()->decls())
      if (ast_.getSourceManager().isInMainFile(declaration->getLocation()))
        finder.TraverseDecl(declaration);
    for (const clang::FunctionDecl *mentioner : finder.mentioners)
      if (mentioner != patternOf(kernel_) && mentioner != patternOf(*site.function))
        return "it stands in '" + site.function->getNameAsString() + "', which others than this kernel use";
    for (const FoldedSlots &slots : fold.slots)
      if (!slots.array->isStaticLocal() || slots.array->getDeclContext() != site.function)
        return "its slots come from outside '" + site.function->getNameAsString() + "'";
    return {};
  }

  void finish() {
    if (barriersFall_)
      candidate_.claims.push_back({"fewer-barriers", {}});
    candidate_.claims.push_back({"uses-shuffles", {}});
    offer(std::move(candidate_));
  }

  using KernelProposer::decline;
  void decline(const BlockFold &fold, const std::string &why) {
    std::string names;
    for (const FoldedSlots &slots : fold.slots)
      names += (names.empty() ? "'" : ", '") + slots.array->getNameAsString() + "'";
    decline(placeAt(fold.statement(fold.first)->getBeginLoc()),
            names + " at line " + std::to_string(lineOf(*fold.statement(fold.first))) + ": " + why);
  }
  KnownBlock block_;
  Candidate candidate_;
  bool barriersFall_ = false;
};

} // namespace

llvm::Expected<Proposals> proposeShuffleReduction(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
