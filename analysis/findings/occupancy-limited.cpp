// Few resident warps because of a resource of which a little less would let another block in. Low occupancy
// alone is no fault: kernels with much independent work run at full speed with few warps. So the rule speaks
// below one half only, only where the step is small, and not where instructions take longer than memory; it
// never says that the kernel is slow.

#include "analysis/findings/MainLaunch.h"

#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
namespace {

constexpr const char *id = "occupancy-limited";
constexpr double enough = 0.5;
/// Steps that can be hoped for without a rewrite: a quarter of the registers, a third of the shared memory.
constexpr double registersToSpare = 0.25;
constexpr double sharedToSpare = 1.0 / 3;

/// One resource less, and what it gives.
struct Step {
  std::string change; ///< "8 registers fewer a thread"
  std::string advice;
  Evidence evidence;
  Occupancy after;
};

struct Question {
  const Architecture &architecture;
  const KernelResources &resources;
  const Launch &launch;
  const Occupancy &now;

  uint64_t sharedBytes() const { return resources.staticSharedBytes + launch.dynamicSharedBytes; }
  Occupancy with(uint64_t threads, unsigned registers, uint64_t shared) const {
    return computeOccupancy(architecture, unsigned(threads), registers, shared, resources.barriers);
  }
};

bool limits(const Occupancy &occupancy, OccupancyLimit limit) {
  return llvm::is_contained(occupancy.limiters, limit);
}

std::optional<Step> fewerRegisters(const Question &question) {
  unsigned registers = question.resources.registers;
  if (!limits(question.now, OccupancyLimit::Registers))
    return std::nullopt;
  for (unsigned fewer = 1; fewer <= unsigned(registers * registersToSpare); ++fewer) {
    Occupancy after = question.with(question.launch.block.count(), registers - fewer, question.sharedBytes());
    if (after.residentBlocks > question.now.residentBlocks)
      return Step{counted(fewer, "register") + " fewer a thread",
                  "bound the registers with __launch_bounds__(threads, blocks) or shorten what lives across "
                  "the loop, and "
                  "see that nothing spills",
                  {"registers fewer a thread", double(fewer)},
                  after};
  }
  return std::nullopt;
}

std::optional<Step> lessShared(const Question &question) {
  uint64_t bytes = question.sharedBytes();
  if (!limits(question.now, OccupancyLimit::Shared))
    return std::nullopt;
  unsigned unit = question.architecture.sharedUnit;
  for (uint64_t less = 1; less <= uint64_t(double(bytes) * sharedToSpare);
       less += less == 1 ? unit - 1 : unit) {
    Occupancy after =
        question.with(question.launch.block.count(), question.resources.registers, bytes - less);
    if (after.residentBlocks <= question.now.residentBlocks)
      continue;
    return Step{counted(less, "byte") + " of shared memory less a block",
                "use smaller tiles or elements, or reuse one array after the last read of another",
                {"bytes of shared memory less a block", double(less)},
                after};
  }
  return std::nullopt;
}

/// Small blocks run into the limit of blocks, large ones leave a rest of registers or warps unused. Shared
/// memory would change with the block in a way that is not known.
std::optional<Step> otherBlock(const Question &question) {
  if (question.sharedBytes() != 0 || limits(question.now, OccupancyLimit::Shared))
    return std::nullopt;
  uint64_t threads = question.launch.block.count();
  std::optional<Step> best;
  for (uint64_t other : {threads / 2, threads * 2, threads * 4}) {
    bool possible =
        other % Architecture::warpSize == 0 && other != 0 && other <= Architecture::maxThreadsPerBlock;
    if (!possible)
      continue;
    Occupancy after = question.with(other, question.resources.registers, 0);
    constexpr double worthwhile = 1.25;
    if (after.residentWarps < worthwhile * question.now.residentWarps ||
        (best && after.residentWarps <= best->after.residentWarps))
      continue;
    best = Step{"blocks of " + std::to_string(other) + " threads",
                "choose the block so that its warps divide what a multiprocessor holds",
                {"threads a block instead", double(other)},
                after};
  }
  return best;
}

/// A multiprocessor issues four instructions a cycle, and its share of device memory is about half a sector a
/// cycle: with more instructions a sector than that the schedulers are the bottleneck, and few warps with
/// independent work, as of a register-blocked product, keep them busy.
bool isBoundByInstructions(const LaunchEvaluation &launch) {
  constexpr uint64_t instructionsPerSector = 8;
  uint64_t sectors = 0;
  for (const simt::AccessCounters &access : launch.counters.accesses)
    sectors += access.tally.sectors;
  return warpInstructions(launch) > instructionsPerSector * sectors;
}

bool usesTensorCores(const KernelFacts &facts) {
  return llvm::any_of(facts.arithmetic, [](const ArithmeticCounts &counts) { return counts.tensor != 0; });
}

bool touchesGlobalMemory(const KernelFacts &facts) {
  return llvm::any_of(facts.accesses, [](const MemoryAccess &access) {
    return access.space == MemorySpace::Global || access.space == MemorySpace::Generic;
  });
}

Finding describe(const KernelAnalysis &analysis, const Question &question, const Step &step,
                 const LaunchEvaluation &launch) {
  const Occupancy &now = question.now;
  std::string limiters;
  for (OccupancyLimit limit : now.limiters)
    limiters += (limiters.empty() ? "" : " and ") + std::string(toString(limit));
  std::string blocks =
      launch.assumed ? " (blocks of " + std::to_string(launch.launch.block.count()) + " threads supposed)"
                     : "";
  Finding finding = findingAt(id, analysis.kernel.place,
                              "at most " + std::to_string(now.residentWarps) + " of " +
                                  std::to_string(question.architecture.maxWarps) +
                                  " warps are resident, limited by " + limiters + "; " + step.change +
                                  " would allow " + std::to_string(step.after.residentWarps) + blocks);
  finding.evidence = {{"occupancy", now.occupancy},
                      {"resident blocks", double(now.residentBlocks)},
                      {"registers a thread", double(question.resources.registers)},
                      {"bytes of shared memory a block", double(question.sharedBytes())},
                      step.evidence,
                      {"occupancy then", step.after.occupancy},
                      {"resident blocks then", double(step.after.residentBlocks)}};
  finding.confidence = weaken(0.5, launch, simt::CountGrade::Exact);
  finding.advice =
      step.advice + "; it helps where warps wait for memory, not where they keep the units busy already";
  return finding;
}

} // namespace

std::vector<Finding> findLimitedOccupancy(const KernelAnalysis &analysis) {
  const LaunchEvaluation *launch = mainLaunch(analysis);
  const Architecture *architecture = findArchitecture(analysis.architecture);
  if (!launch || !architecture || !analysis.resources || !analysis.occupancy)
    return {};
  const Occupancy &now = *analysis.occupancy;
  bool nothingToSay = now.residentBlocks == 0 || now.occupancy >= enough || usesTensorCores(analysis.facts) ||
                      !touchesGlobalMemory(analysis.facts) || isBoundByInstructions(*launch);
  if (nothingToSay)
    return {};
  Question question{*architecture, *analysis.resources, launch->launch, now};
  for (auto *consider : {fewerRegisters, lessShared, otherBlock}) {
    if (launch->assumed && consider == otherBlock)
      continue; // the block is our own guess
    if (std::optional<Step> step = consider(question))
      return {describe(analysis, question, *step, *launch)};
  }
  return {};
}

} // namespace warpwright
