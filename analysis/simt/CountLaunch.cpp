#include "analysis/simt/CountLaunch.h"

#include "analysis/simt/Bind.h"
#include "analysis/simt/Decode.h"
#include "analysis/simt/Sampler.h"
#include "analysis/simt/Warp.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Function.h>

#include <algorithm>

namespace warpwright::simt {
namespace {

Place placeOf(const llvm::Instruction &instruction) {
  const llvm::DebugLoc &location = instruction.getDebugLoc();
  if (!location)
    return {};
  return {llvm::cast<llvm::DIScope>(location.getScope())->getFilename().str(), location.getLine(),
          location.getCol()};
}

/// One launch being counted.
class Counting {
public:
  Counting(const llvm::Function &kernel, const Launch &launch, const SimtOptions &options)
      : kernel_(kernel), launch_(launch), options_(options), program_(decodeProgram(kernel)),
        memory_(*program_, launch.dynamicSharedBytes), costs_(program_->sites.size()) {
    forgetDoubts();
  }

  llvm::Expected<LaunchCounters> run() {
    llvm::Expected<std::vector<Slot>> parameters =
        bindArguments(kernel_, launch_, options_, memory_.parameters());
    if (!parameters)
      return parameters.takeError();
    parameters_ = std::move(*parameters);
    uint64_t warps = (launch_.block.count() + warpSize - 1) / warpSize;
    UnitIndex extents = {warps, launch_.grid.x, launch_.grid.y, launch_.grid.z};
    Tally first = runUnit({0, 0, 0, 0});
    if (doubts_.outOfSteps)
      return collect(first, "");
    uint64_t steps = first.steps;
    uint64_t units = warps * launch_.grid.count();
    // A first warp that stands idle says nothing of the others: a launch that turns out to be long is sampled
    // after all.
    if (steps <= options_.stepBudget / units && runAll(warps))
      return collect(total_, doubts_.skippedIterations ? "loops: some iterations stand for others" : "");
    constexpr uint64_t share = 2; // the last units of a sample may overrun what is left
    Estimate estimate = estimateBySampling(extents, options_.stepBudget / share,
                                           [&](const UnitIndex &unit) { return runUnit(unit); });
    std::string reason = "sampled: " + std::to_string(estimate.unitsRun) + " of " + std::to_string(units) +
                         " warps stand for all" + (estimate.complete ? "" : ", their mean where they differ");
    return collect(estimate.tally, reason);
  }

private:
  void forgetDoubts() {
    doubts_ = Doubts();
    doubts_.dataSites.resize(program_->sites.size());
    doubts_.seenUnknown.resize(program_->unknown.size());
  }

  WarpContext context(Tally &tally, uint64_t stepLimit, uint64_t warpsAtOnce) {
    tally.sites.resize(program_->sites.size());
    tally.branches.resize(program_->branches.size());
    return {*program_,
            memory_,
            tally,
            doubts_,
            costs_,
            {launch_.grid.x, launch_.grid.y, launch_.grid.z},
            {launch_.block.x, launch_.block.y, launch_.block.z},
            launch_.dynamicSharedBytes,
            stepLimit,
            mostRegistersAtOnce / warpsAtOnce};
  }

  /// One warp alone: what others would have put into shared memory is unknown to it, and barriers do not hold
  /// it.
  Tally runUnit(const UnitIndex &unit) {
    Tally tally;
    WarpContext shared = context(tally, options_.stepBudget, 1);
    shared.alone = true;
    memory_.startBlock();
    Warp warp(shared, {unit[1], unit[2], unit[3]}, static_cast<unsigned>(unit[0]), parameters_);
    while (warp.run() != Warp::State::Done) {
    }
    return tally;
  }

  /// The whole launch, block by block, all warps of a block from barrier to barrier. False if it takes far
  /// too long, or a block too much memory.
  bool runAll(uint64_t warps) {
    constexpr uint64_t patience = 4;
    if (program_->kernel->slots * warps > mostRegistersAtOnce)
      return false;
    total_ = Tally();
    forgetDoubts(); // the first warp by itself knew less of shared memory
    WarpContext shared = context(total_, options_.stepBudget * patience, warps);
    for (uint64_t z = 0; z < launch_.grid.z; ++z)
      for (uint64_t y = 0; y < launch_.grid.y; ++y)
        for (uint64_t x = 0; x < launch_.grid.x; ++x) {
          runBlock(shared, {x, y, z}, warps, parameters_);
          if (total_.steps >= shared.stepLimit) {
            forgetDoubts();
            return false;
          }
        }
    return true;
  }

  LaunchCounters collect(const Tally &tally, const std::string &sampling) {
    LaunchCounters counters;
    counters.instructions = tally.instructions;
    counters.steps = tally.steps;
    for (size_t site = 0; site + accessSpaces <= program_->sites.size(); site += accessSpaces)
      collectAccess(tally, site, sampling, counters);
    collectBranches(tally, sampling, counters);
    for (unsigned index : doubts_.seenUnknown.set_bits()) {
      const auto &[instruction, reason] = program_->unknown[index];
      counters.unknown.push_back({instruction, placeOf(*instruction), reason});
    }
    summarise(sampling, counters);
    return counters;
  }

  /// An access has an entry for each memory it reached, and one where it did not run at all.
  void collectAccess(const Tally &tally, size_t first, const std::string &sampling,
                     LaunchCounters &counters) {
    bool ran = false;
    for (size_t i = first; i < first + accessSpaces; ++i)
      ran |= tally.sites[i].instructions != 0;
    for (size_t i = first; i < first + accessSpaces; ++i) {
      const Site &site = program_->sites[i];
      if (ran ? tally.sites[i].instructions == 0 : site.space != site.declared)
        continue;
      AccessCounters access;
      access.instruction = site.instruction;
      access.place = placeOf(*site.instruction);
      access.kind = site.kind;
      access.space = site.space;
      access.bytesPerLane = site.bytes;
      access.tally = tally.sites[i];
      if (doubts_.outOfSteps) {
        access.grade = CountGrade::Unknown;
        access.reason = "the launch is too long to follow";
      } else if (!sampling.empty()) {
        access.grade = CountGrade::Estimated;
        access.reason = sampling;
      } else if (doubts_.dataSites.test(i)) {
        access.grade = CountGrade::Assumed;
        access.reason =
            "whether or where it accesses depends on data; buffers are taken to be filled with zero";
      }
      counters.accesses.push_back(std::move(access));
    }
  }

  void collectBranches(const Tally &tally, const std::string &sampling, LaunchCounters &counters) {
    for (size_t i = 0; i < tally.branches.size(); ++i) {
      if (tally.branches[i].executions == 0)
        continue;
      BranchCounters branch;
      branch.instruction = program_->branches[i];
      branch.place = placeOf(*branch.instruction);
      branch.tally = tally.branches[i];
      branch.grade = doubts_.outOfSteps              ? CountGrade::Unknown
                     : !sampling.empty()             ? CountGrade::Estimated
                     : tally.branches[i].onData != 0 ? CountGrade::Assumed
                                                     : CountGrade::Exact;
      counters.branches.push_back(std::move(branch));
    }
  }

  void summarise(const std::string &sampling, LaunchCounters &counters) {
    size_t onData = 0;
    for (const AccessCounters &access : counters.accesses) {
      counters.grade = std::max(counters.grade, access.grade);
      onData += access.grade == CountGrade::Assumed;
    }
    if (onData)
      counters.reason = std::to_string(onData) + " of " + std::to_string(counters.accesses.size()) +
                        " accesses depend on data; buffers are taken to be filled with zero";
    if (!sampling.empty())
      counters.reason = sampling;
    if (doubts_.outOfSteps)
      counters.reason = "stopped after " + std::to_string(counters.steps) + " warp instructions";
    if (!counters.unknown.empty()) {
      counters.grade = CountGrade::Unknown;
      counters.reason = counters.unknown.front().reason;
    }
    if (doubts_.outOfSteps)
      counters.grade = CountGrade::Unknown;
    else if (!sampling.empty())
      counters.grade = std::max(counters.grade, CountGrade::Estimated);
  }

  const llvm::Function &kernel_;
  const Launch &launch_;
  const SimtOptions &options_;
  std::unique_ptr<Program> program_;
  DeviceMemory memory_;
  Doubts doubts_;
  CostCache costs_;
  std::vector<Slot> parameters_;
  Tally total_;
};

} // namespace

llvm::Error checkLaunch(const llvm::Function &kernel, const Launch &launch) {
  constexpr uint64_t mostThreads = 1024; // of a block, on every architecture so far
  if (kernel.isDeclaration())
    return llvm::createStringError("launch of '" + kernel.getName() + "': the kernel has no body");
  if (launch.block.count() == 0 || launch.grid.count() == 0)
    return llvm::createStringError("launch of '" + kernel.getName() + "': an extent is zero");
  if (launch.block.count() > mostThreads)
    return llvm::createStringError("launch of '" + kernel.getName() + "': a block of " +
                                   llvm::Twine(launch.block.count()) + " threads; 1024 is the most");
  return llvm::Error::success();
}

llvm::Expected<LaunchCounters> countLaunch(const llvm::Function &kernel, const Launch &launch,
                                           const SimtOptions &options) {
  if (llvm::Error error = checkLaunch(kernel, launch))
    return std::move(error);
  return Counting(kernel, launch, options).run();
}

} // namespace warpwright::simt
