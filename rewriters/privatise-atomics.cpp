// Counts in shared memory what a block would count in global memory with atomics, and adds up once a block:
// an array of a bounded number of counters goes to shared memory, in one copy or one a warp; a single counter
// that all threads of the block use goes to a register of each and is folded by shuffles.
//
// Legal where
//  - the kernel does nothing with the counters but one kind of atomic that knows no order, and nobody uses
//    the old values: then only the totals can be told apart;
//  - no other pointer leads to them while one of the two writes, and nothing orders them against other memory
//    for other blocks (a fence);
//  - every index is bounded: proved by its own expression, or because the annotation gives the counters'
//  extent;
//  - all threads reach the end of the body, guard clauses aside, which become blocks;
//  - floating-point sums may be taken in another order.

#include "analysis/ConstantBlock.h"
#include "analysis/KernelAnalysis.h"
#include "analysis/ast/IndexRange.h"
#include "analysis/ast/SameFile.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/VariableChanges.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/KernelProposer.h"
#include "rewriters/aliasing/AliasJudge.h"
#include "rewriters/counters/BlockCounters.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/MapVector.h>

namespace warpwright {
namespace {

constexpr const char *id = "privatise-atomics";
constexpr uint64_t sharedLimit = 48 * 1024; ///< bytes a block may declare on every architecture
constexpr unsigned warpSize = 32;

class NameFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  llvm::SmallVector<const clang::VarDecl *> variables;
  bool others = false; ///< calls and loads, which may yield another value each time
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      variables.push_back(variable);
    return true;
  }
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *) override { return others = true; }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    others |= unary->getOpcode() == clang::UO_Deref || unary->isIncrementDecrementOp();
    return true;
  }
};

class Proposer : KernelProposer {
public:
  explicit Proposer(const RewriteContext &context)
      : KernelProposer(context, id), block_(constantBlock(analysis_)), changes_(*kernel_.getBody()) {}

  llvm::Expected<Proposals> propose() {
    std::vector<Counters> accepted;
    for (Counters &counters : collect()) {
      if (isDoneByOneThread(counters))
        continue;
      std::string why = whyNot(counters);
      if (why.empty())
        accepted.push_back(std::move(counters));
      else
        decline(counters, why);
    }
    if (accepted.empty())
      return std::move(proposals_);
    if (std::string why = BodyRewrite(kernel_, ast_).whyNot(); !why.empty()) {
      decline(accepted.front(), why);
      return std::move(proposals_);
    }
    bool arrays = llvm::any_of(accepted, [](const Counters &counters) { return !counters.single; });
    const std::vector<unsigned> tried = arrays ? copies(accepted) : std::vector<unsigned>{1};
    if (tried.empty())
      decline(accepted.front(), "the counters do not fit into shared memory");
    for (unsigned count : tried)
      add(accepted, count, arrays);
    return std::move(proposals_);
  }

private:
  std::vector<Counters> collect() const {
    llvm::MapVector<const clang::VarDecl *, Counters> found;
    for (const AtomicCall &call : findAtomicCalls(kernel_, ast_)) {
      const auto *pointer = llvm::dyn_cast<clang::ParmVarDecl>(call.pointer);
      if (!pointer || pointer->getDeclContext() != &kernel_)
        continue;
      Counters &counters = found[pointer];
      counters.pointer = pointer;
      counters.type = pointer->getType()->getPointeeType().getUnqualifiedType();
      counters.calls.push_back(call);
    }
    std::vector<Counters> result;
    for (auto &[pointer, counters] : found)
      result.push_back(std::move(counters));
    return result;
  }

  std::string whyNot(Counters &counters) {
    const AtomicCall &first = counters.calls.front();
    for (const AtomicCall &call : counters.calls) {
      if (!call.isStatement)
        return "the old value of the counter is used at line " + std::to_string(lineOf(*call.call));
      if (call.operation != first.operation)
        return "different atomics meet in it";
      if (call.call->getBeginLoc().isMacroID())
        return "a macro writes the atomic at line " + std::to_string(lineOf(*call.call));
    }
    if (!changes_.isConstant(counters.pointer))
      return "the pointer is changed";
    if (neutralCounter(first.operation, counters.type, ast_).empty())
      return "there is no atomic of '" + counters.type.getAsString() + "' that this is for";
    if (counters.type->isRealFloatingType() && !analysis_.annotation->allows(Permission::Reassociate))
      return "a floating-point sum would be taken in another order, which needs allow(reassociate)";
    for (const KernelAnalysis *version : context_.versions)
      if (std::string why = whyNotAlone(counters, *version); !why.empty())
        return why;
    return bound(counters);
  }

  /// Once a block is as good as it gets.
  bool isDoneByOneThread(const Counters &counters) const {
    return llvm::all_of(counters.calls, [&](const AtomicCall &call) {
      Place place = placeOf(call.call->getBeginLoc(), ast_.getSourceManager());
      return llvm::any_of(analysis_.facts.accesses, [&](const MemoryAccess &access) {
        return access.kind == warpwright::AccessKind::Atomic && access.place.place.line == place.line &&
               !access.singleThreadSections.empty();
      });
    });
  }

  /// The device code touches the counters by these atomics alone.
  std::string whyNotAlone(const Counters &counters, const KernelAnalysis &version) {
    ObjectUses uses(version.facts);
    if (!uses.hidden().empty())
      return uses.hidden();
    const std::string name = counters.pointer->getNameAsString();
    const ObjectUse *use = uses.find(name);
    if (!use)
      return "its atomics are not found in the device code";
    for (const MemoryAccess &access : version.facts.accesses) {
      if (!access.object.known() || access.object.value().kind != MemoryObject::Kind::Parameter ||
          access.object.value().name != name)
        continue;
      bool known = llvm::any_of(counters.calls, [&](const AtomicCall &call) {
        Place place = placeOf(call.call->getBeginLoc(), ast_.getSourceManager());
        return place.line == access.place.place.line && inSameFile(place, access.place.place);
      });
      if (access.kind != warpwright::AccessKind::Atomic || access.resultUsed || !known)
        return "it is accessed otherwise at line " + std::to_string(access.place.place.line);
    }
    return AliasJudge(version, uses).whyNot(*use, assumptions_);
  }

  /// How many counters there are.
  std::string bound(Counters &counters) {
    if (isSingle(counters)) {
      if (!block_)
        return "the block is not known to be the same in every launch, so that its threads cannot fold a "
               "value";
      counters.single = true;
      counters.count = 1;
      return {};
    }
    KnownBlock known;
    if (block_)
      known = {block_->x, block_->y, block_->z};
    IndexRanges ranges(ast_, kernel_, known);
    bool proved = true;
    for (const AtomicCall &call : counters.calls) {
      uint64_t most = call.index ? countOf(*call.index, ranges) : 1;
      proved &= most != 0;
      counters.count = std::max(counters.count, most);
    }
    if (proved)
      return {};
    const BufferClause *buffer = analysis_.annotation->findBuffer(counters.pointer->getName());
    if (!buffer || !buffer->extent)
      return "nothing bounds its index: neither its own expression nor an annotated extent";
    llvm::Expected<int64_t> extent = buffer->extent->evaluate(analysis_.context.constantValues());
    if (!extent) {
      llvm::consumeError(extent.takeError());
      return "its extent '" + buffer->extent->str() +
             "' is no constant, and its index is not bounded by itself";
    }
    counters.count = static_cast<uint64_t>(*extent);
    counters.boundAssumed = true;
    return {};
  }

  /// One more than the largest index, or 0 where that is not known.
  static uint64_t countOf(const clang::Expr &index, const IndexRanges &ranges) {
    const clang::Expr *plain = index.IgnoreParenImpCasts();
    if (plain->getType()->isUnsignedIntegerType() && plain->getType()->isCharType())
      return 256;
    std::optional<IntegerRange> range = ranges.rangeOf(&index);
    return range && range->lowest >= 0 ? static_cast<uint64_t>(range->highest) + 1 : 0;
  }

  /// Whether the address is the same for all threads of the block and for the whole of the kernel.
  bool isSingle(Counters &counters) {
    for (const AtomicCall &call : counters.calls) {
      std::string text;
      if (call.index) {
        NameFinder names;
        names.TraverseStmt(call.index);
        for (const clang::VarDecl *variable : names.variables)
          if (variable->getName() == "threadIdx" || !(isBuiltIn(*variable) || isParameter(*variable)))
            return false;
        if (names.others)
          return false;
        text = builder_.textOf(call.index->getSourceRange()).value_or("?");
      }
      if (&call != &counters.calls.front() && text != counters.index)
        return false;
      counters.index = text;
    }
    return true;
  }

  static bool isBuiltIn(const clang::VarDecl &variable) {
    return variable.getName() == "blockIdx" || variable.getName() == "blockDim" ||
           variable.getName() == "gridDim";
  }
  bool isParameter(const clang::VarDecl &variable) const {
    return llvm::isa<clang::ParmVarDecl>(variable) && changes_.isConstant(&variable);
  }

  /// Numbers of copies that fit: one, and more up to one a warp where the block is known.
  std::vector<unsigned> copies(llvm::ArrayRef<Counters> accepted) const {
    uint64_t bytes = 0, used = 0;
    for (const Counters &counters : accepted)
      if (!counters.single)
        bytes += counters.count * ast_.getTypeSizeInChars(counters.type).getQuantity();
    for (const KernelAnalysis *version : context_.versions) {
      uint64_t own = 0;
      for (const SharedVariable &variable : version->facts.sharedVariables)
        own += variable.bytes;
      for (const LaunchEvaluation &evaluation : version->launches)
        own = std::max(own, own + evaluation.launch.dynamicSharedBytes);
      used = std::max(used, own);
    }
    unsigned warps = block_ ? static_cast<unsigned>((block_->count() + warpSize - 1) / warpSize) : 1;
    std::vector<unsigned> counts;
    for (unsigned count = 1; count <= warps; count *= 2)
      if (used + count * bytes <= sharedLimit)
        counts.push_back(count);
    return counts;
  }

  void add(llvm::ArrayRef<Counters> accepted, unsigned copies, bool arrays) {
    BodyRewrite body(kernel_, ast_);
    FreshNames names(kernel_, ast_);
    Candidate candidate;
    candidate.assumptions = assumptions_;
    const BlockThreads threads = nameThreads(names);
    if (!threads.declaration.empty())
      body.before().line(threads.declaration);
    const BlockCounters code(ast_, threads, names, body);
    std::string reason;
    CodeLines mergeBehind;
    for (const Counters &counters : accepted) {
      std::string name = counters.pointer->getNameAsString();
      candidate.subject += (candidate.subject.empty() ? "" : ", ") + name;
      if (counters.single)
        code.writeSingle(counters, mergeBehind);
      else
        code.writeArray(counters, copies, mergeBehind);
      reason += std::string(reason.empty() ? "" : "; ") + "'" + name + "' gets one atomic " +
                (counters.single ? "a block" : "a counter and block") + " instead of one a thread";
      if (counters.boundAssumed)
        candidate.assumptions.push_back("indices of '" + name + "' stay within its annotated extent of " +
                                        std::to_string(counters.count));
    }
    if (arrays) {
      body.before().line("__syncthreads();");
      body.behind().line("__syncthreads();");
    }
    body.behind().append(mergeBehind);
    std::optional<Edit> edit = body.build(reason);
    if (!edit) {
      if (copies == 1)
        decline(accepted.front(), "part of the body comes out of a macro or a header");
      return;
    }
    edit->expectedGain = "fewer atomics in global memory, which take turns at one address";
    edit->risk =
        arrays ? "more shared memory a block; blocks with few elements pay for clearing and merging" : "none";
    if (arrays)
      candidate.parameters["copies"] = copies;
    candidate.claims.push_back({"fewer-global-atomics", {}});
    candidate.edits.push_back(std::move(*edit));
    offer(std::move(candidate));
  }

  BlockThreads nameThreads(FreshNames &names) const {
    const unsigned count = block_ ? static_cast<unsigned>(block_->count()) : 0;
    const std::optional<ExtentsClause> &block = analysis_.annotation->block;
    const bool isFlat = block_ ? block_->y == 1 && block_->z == 1 : block && block->extents.size() == 1;
    if (isFlat)
      return {count, "threadIdx.x", "blockDim.x", ""};
    const bool deep = !block_ || block_->z != 1;
    const std::string thread = names.take("thread");
    return {count, thread, deep ? "blockDim.x * blockDim.y * blockDim.z" : "blockDim.x * blockDim.y",
            "int " + thread + " = " + (deep ? "(threadIdx.z * blockDim.y + threadIdx.y)" : "threadIdx.y") +
                " * blockDim.x + threadIdx.x;"};
  }

  void decline(const Counters &counters, const std::string &why) {
    KernelProposer::decline(*counters.calls.front().call,
                            "'" + counters.pointer->getNameAsString() + "': " + why);
  }

  std::optional<Dim3> block_;
  VariableChanges changes_;
  std::vector<std::string> assumptions_;
};

} // namespace

llvm::Expected<Proposals> proposePrivatiseAtomics(const RewriteContext &context) {
  return Proposer(context).propose();
}

} // namespace warpwright
