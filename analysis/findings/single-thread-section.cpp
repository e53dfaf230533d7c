// Work that one thread of a block does while all others wait for it at a barrier. A few instructions (a
// result written, a ticket drawn, a barrier object initialised) are no matter; a loop over what the block has
// produced is.

#include "analysis/findings/MainLaunch.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace warpwright {
namespace {

constexpr const char *id = "single-thread-section";
/// Serial loads from which a section counts as work, in loads of shared memory. A sum over the partial
/// results of a block's 32 warps stays below.
constexpr double leastWork = 33;
constexpr double globalLoad =
    4; ///< what a load of global memory counts, several in flight taken into account

/// The kernel looks at its thread's place along the axis, or calls what might.
bool mayReadThreadIndex(const llvm::Function &kernel, unsigned axis) {
  return llvm::any_of(llvm::instructions(kernel), [&](const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    if (!callee)
      return call && !call->isInlineAsm();
    if (!callee->isIntrinsic())
      return !callee->isDeclaration();
    return callee->getIntrinsicID() == (axis == 1 ? llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y
                                                  : llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z);
  });
}

/// One thread of the block for certain: every axis along which the block may extend is fixed.
bool runsInOneThread(const KernelAnalysis &analysis, const SingleThreadSection &section,
                     const LaunchEvaluation &launch) {
  const uint64_t extents[3] = {launch.launch.block.x, launch.launch.block.y, launch.launch.block.z};
  for (unsigned axis = 0; axis < 3; ++axis) {
    bool extends = extents[axis] > 1;
    if (launch.assumed && axis > 0)
      extends |= mayReadThreadIndex(*analysis.kernel.function, axis);
    if (extends && !section.fixedAxes[axis])
      return false;
  }
  return launch.launch.block.count() > Architecture::warpSize;
}

struct Work {
  uint64_t loads = 0;  ///< of one thread, over one block
  double weighted = 0; ///< in loads of shared memory
  simt::CountGrade grade = simt::CountGrade::Exact;
};

/// What the thread reads, by the counters of the launch: several accesses may share a place, and are summed
/// once.
Work countWork(const KernelAnalysis &analysis, const SingleThreadSection &section,
               const LaunchEvaluation &launch) {
  std::vector<Place> places;
  for (unsigned access : section.accesses)
    if (analysis.facts.accesses[access].kind != AccessKind::Write)
      places.push_back(analysis.facts.accesses[access].place.place);
  Work work;
  uint64_t global = 0;
  for (const simt::AccessCounters &access : launch.counters.accesses) {
    bool inside = access.kind != simt::AccessKind::Store &&
                  llvm::any_of(places, [&](const Place &place) { return samePlace(place, access.place); });
    if (!inside)
      continue;
    work.loads += access.tally.lanes;
    global += access.space == simt::AccessSpace::Global ? access.tally.lanes : 0;
    work.grade = std::max(work.grade, access.grade);
  }
  double blocks = double(launch.launch.grid.count());
  work.weighted = (double(work.loads) + double(global) * (globalLoad - 1)) / blocks;
  work.loads = uint64_t(double(work.loads) / blocks + 0.5);
  return work;
}

} // namespace

std::vector<Finding> findSingleThreadSections(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  const LaunchEvaluation *launch = mainLaunch(analysis);
  if (!launch)
    return findings;
  for (const SingleThreadSection &section : analysis.facts.sections) {
    bool reported =
        llvm::any_of(findings, [&](const Finding &finding) { return finding.place == section.place.place; });
    if (reported || !section.barrierFollows || !section.place.place.known() ||
        !runsInOneThread(analysis, section, *launch))
      continue;
    Work work = countWork(analysis, section, *launch);
    if (work.weighted < leastWork)
      continue;
    uint64_t others = launch->launch.block.count() - 1;
    Finding finding =
        findingAt(id, section.place.place,
                  "one thread does " + counted(work.loads, "load") + " while " + std::to_string(others) +
                      " others of its block wait at a barrier (" + launch->label + ")");
    finding.evidence = {{"loads of the one thread a block", double(work.loads)},
                        {"threads that wait", double(others)},
                        {"loops", double(section.loops.size())}};
    finding.confidence = weaken(0.9, *launch, work.grade);
    finding.advice =
        "share the work: a tree over the block's threads or warp shuffles combine n values in log2(n) steps";
    for (unsigned loop : section.loops)
      if (analysis.facts.loops[loop].place.place.known())
        finding.notes.push_back({analysis.facts.loops[loop].place.place, "the loop that it runs alone"});
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace warpwright
