#include "analysis/KernelAnalysis.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace warpwright {

namespace {

ConflictDegree conflictsIn(const simt::LaunchCounters &counters, llvm::StringRef sharedSymbol) {
  ConflictDegree degree;
  for (const simt::AccessCounters &access : counters.accesses) {
    if (access.space != simt::AccessSpace::Shared)
      continue;
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(access.instruction);
    const llvm::Value *object = pointer ? llvm::getUnderlyingObject(pointer) : nullptr;
    if (!object || object->getName() != sharedSymbol)
      continue;
    degree.requests += access.tally.requests;
    degree.wavefronts += access.tally.wavefronts;
    degree.conflicts += access.tally.bankConflicts;
  }
  return degree;
}

/// Whether a supposed launch has a block that was not supposed: the annotation gives it without a scalar, or
/// every launch there can be has it.
bool isBlockSaid(const KernelAnalysis &analysis) {
  if (!analysis.annotation || !analysis.annotation->block)
    return analysis.launchSites.complete() && analysis.launchSites.commonBlock();
  return llvm::all_of(analysis.annotation->block->extents, [&](const ScalarExpression &extent) {
    llvm::Expected<int64_t> value = extent.evaluate(analysis.context.constantValues());
    if (value)
      return true;
    llvm::consumeError(value.takeError());
    return false;
  });
}

} // namespace

std::optional<ConflictDegree> KernelAnalysis::conflictsOf(llvm::StringRef sharedSymbol) const {
  if (launches.empty())
    return std::nullopt;
  return conflictsIn(launches.front().counters, sharedSymbol);
}

bool KernelAnalysis::isConflictFree(llvm::StringRef sharedSymbol) const {
  return !launches.empty() && llvm::all_of(launches, [&](const LaunchEvaluation &evaluation) {
    return evaluation.counters.grade != simt::CountGrade::Unknown &&
           conflictsIn(evaluation.counters, sharedSymbol).conflicts == 0;
  });
}

KnownBlock KernelAnalysis::knownBlock() const {
  KnownBlock known;
  bool first = true;
  for (const LaunchEvaluation &evaluation : launches) {
    if (evaluation.assumed && !isBlockSaid(*this))
      return {};
    const uint64_t extents[3] = {evaluation.launch.block.x, evaluation.launch.block.y,
                                 evaluation.launch.block.z};
    for (int axis = 0; axis < 3; ++axis)
      known.extents[axis] = first || known.extents[axis] == extents[axis] ? extents[axis] : 0;
    first = false;
  }
  return known;
}

} // namespace warpwright
