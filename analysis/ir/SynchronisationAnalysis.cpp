#include "analysis/ir/SynchronisationAnalysis.h"

#include "analysis/ir/InlinePtx.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

namespace warpwright {
namespace {

using Kind = Synchronisation::Kind;

struct Prefix {
  llvm::StringLiteral name;
  Kind kind;
};

/// Intrinsics by the start of their name after `llvm.nvvm.`; longer ones before those they start with.
constexpr Prefix intrinsicKinds[] = {
    {"bar.warp.sync", Kind::WarpSync},
    {"barrier.cluster", Kind::ClusterBarrier},
    {"barrier", Kind::Barrier},
    {"shfl", Kind::Shuffle},
    {"vote", Kind::Vote},
    {"match", Kind::Match},
    {"redux", Kind::WarpReduce},
    {"membar", Kind::Fence},
    {"fence", Kind::Fence},
    {"cp.async.commit", Kind::AsyncWait},
    {"cp.async.wait", Kind::AsyncWait},
    {"cp.async.bulk.commit", Kind::AsyncWait},
    {"cp.async.bulk.wait", Kind::AsyncWait},
    {"wgmma.fence", Kind::Fence},
    {"wgmma.commit", Kind::AsyncWait},
    {"wgmma.wait", Kind::AsyncWait},
    {"mbarrier", Kind::MBarrier},
    {"cp.async.mbarrier", Kind::MBarrier},
    {"activemask", Kind::Other},
    {"elect", Kind::Other},
    {"nanosleep", Kind::Other},
};

/// PTX opcodes by their first parts.
constexpr Prefix ptxKinds[] = {
    {"bar.warp", Kind::WarpSync},
    {"barrier.cluster", Kind::ClusterBarrier},
    {"bar", Kind::Barrier},
    {"shfl", Kind::Shuffle},
    {"vote", Kind::Vote},
    {"match", Kind::Match},
    {"redux", Kind::WarpReduce},
    {"membar", Kind::Fence},
    {"fence", Kind::Fence},
    {"cp.async.commit", Kind::AsyncWait},
    {"cp.async.wait", Kind::AsyncWait},
    {"cp.async.bulk.commit", Kind::AsyncWait},
    {"cp.async.bulk.wait", Kind::AsyncWait},
    {"wgmma.fence", Kind::Fence},
    {"wgmma.commit", Kind::AsyncWait},
    {"wgmma.wait", Kind::AsyncWait},
    {"mbarrier", Kind::MBarrier},
};

template <size_t n> std::optional<Kind> kindOf(llvm::StringRef name, const Prefix (&table)[n]) {
  for (const Prefix &entry : table)
    if (name.starts_with(entry.name))
      return entry.kind;
  return std::nullopt;
}

struct Found {
  Kind kind;
  std::string operation;
};

llvm::SmallVector<Found, 2> synchronisationsOf(const llvm::Instruction &instruction) {
  llvm::SmallVector<Found, 2> found;
  if (llvm::isa<llvm::FenceInst>(instruction)) {
    found.push_back({Kind::Fence, "fence"});
    return found;
  }
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call)
    return found;
  if (call->isInlineAsm()) {
    for (const PtxInstruction &ptx :
         parsePtx(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString()))
      if (std::optional<Kind> kind = kindOf(ptx.name(), ptxKinds))
        found.push_back({*kind, ptx.name()});
    return found;
  }
  const llvm::Function *callee = call->getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (!name.consume_front("llvm.nvvm."))
    return found;
  if (std::optional<Kind> kind = kindOf(name, intrinsicKinds))
    found.push_back({*kind, name.str()});
  return found;
}

} // namespace

bool isBlockBarrier(const llvm::Instruction &instruction) {
  return llvm::any_of(synchronisationsOf(instruction), [](const Found &found) {
    return found.kind == Kind::Barrier || found.kind == Kind::ClusterBarrier;
  });
}

std::vector<Synchronisation> analyseSynchronisations(const KernelView &view) {
  std::vector<Synchronisation> facts;
  for (const llvm::BasicBlock *block : view.blocks())
    for (const llvm::Instruction &instruction : *block)
      for (Found &found : synchronisationsOf(instruction)) {
        Synchronisation fact;
        fact.id = facts.size();
        fact.place = view.placeOf(instruction);
        fact.kind = found.kind;
        fact.operation = std::move(found.operation);
        fact.divergentControl = view.underDivergentControl(instruction.getParent());
        fact.loop = view.loopAround(instruction.getParent());
        facts.push_back(std::move(fact));
      }
  return facts;
}

} // namespace warpwright
