// A loop whose iterations wait for each other takes at least the latency of the chain they carry. In that
// time a warp issues the instructions of one iteration, and the other warps of its scheduler theirs; what is
// left are issue slots that nothing can fill. The bound is kept high: latencies are the shortest there are,
// loads are taken to hit L1, each instruction of the loop counts, and registers that are not known limit
// nothing.

#include "analysis/arch/Latency.h"
#include "analysis/findings/MainLaunch.h"

#include <llvm/Support/FormatVariadic.h>

namespace warpwright {
namespace {

constexpr const char *id = "low-ilp";
constexpr double enough = 0.6;      ///< of the issue slots
constexpr double leastShare = 0.2;  ///< of the launch's instructions
constexpr unsigned worthNaming = 8; ///< cycles: a shorter chain is a counter's

/// What a loop waits for.
struct Wait {
  const DependenceChain *chain = nullptr;
  unsigned cycles = 0;
};

/// A product that goes into a sum is one multiply-add. Zero where some operation's latency is not known.
unsigned latencyOf(const DependenceChain &chain) {
  unsigned cycles = 0;
  bool afterProduct = false;
  for (const std::string &operation : chain.operations) {
    unsigned latency = costOf(operation).latency;
    if (latency == 0)
      return 0;
    llvm::StringRef name(operation);
    bool isSum = name.starts_with("fadd") || name.starts_with("fsub");
    bool fused = afterProduct && isSum;
    cycles += fused ? 0 : latency;
    afterProduct = name.starts_with("fmul");
  }
  return cycles;
}

Wait longestWait(const KernelFacts &facts, unsigned loop) {
  Wait longest;
  for (const DependenceChain &chain : facts.chains)
    if (unsigned cycles = chain.loop == loop ? latencyOf(chain) : 0; cycles > longest.cycles)
      longest = {&chain, cycles};
  return longest;
}

/// Machine instructions of an iteration, about: those of the IR, and what divisions and functions add.
double instructionsOf(const KernelFacts &facts, const LoopFacts &loop) {
  double sum = loop.instructions;
  for (const ArithmeticCounts &counts : facts.arithmetic) {
    if (counts.loop != loop.id)
      continue;
    sum += counts.fpDivision * (costOf(counts.fp64 ? "fdiv.f64" : "fdiv").instructions - 1.0);
    sum += counts.special * (costOf(counts.fp64 ? "sqrt.f64" : "sqrt").instructions - 1.0);
    sum += counts.int64;
  }
  for (const IntegerDivision &division : facts.divisions)
    if (division.loop == loop.id)
      sum += costOf(division.bits > 32 ? "udiv.i64" : "udiv").instructions - 1.0;
  return sum;
}

/// Cycles that a scheduler's own units are busy with an iteration of one warp.
double busyCycles(const KernelFacts &facts, const LoopFacts &loop, const Architecture &architecture) {
  double busy = instructionsOf(facts, loop);
  auto unit = [&](double operations, unsigned rate) {
    double cycles = double(Architecture::warpSize) * Architecture::warpSchedulers / rate;
    busy = std::max(busy, operations * cycles);
  };
  for (const ArithmeticCounts &counts : facts.arithmetic) {
    if (counts.loop != loop.id)
      continue;
    unit(counts.fp32, architecture.fp32);
    unit(counts.fp64, architecture.fp64);
    if (architecture.special)
      unit(counts.special, *architecture.special);
  }
  return busy;
}

/// Resident warps of one scheduler, at most. Where ptxas was not asked, the registers limit nothing.
double warpsOfScheduler(const KernelAnalysis &analysis, const Architecture &architecture,
                        const Launch &launch) {
  Occupancy occupancy;
  if (analysis.occupancy) {
    occupancy = *analysis.occupancy;
  } else {
    uint64_t shared = launch.dynamicSharedBytes;
    for (const SharedVariable &variable : analysis.facts.sharedVariables)
      shared += variable.bytes;
    occupancy = computeOccupancy(architecture, launch.block.count(), 1, shared);
  }
  double all = double(occupancy.warpsPerBlock) * double(launch.grid.count());
  return std::min(double(occupancy.residentWarps), all) / Architecture::warpSchedulers;
}

/// The loop is a fair part of what the launch does. Where no branch tells, its length does.
bool isHot(const LoopFacts &loop, const LaunchEvaluation &launch) {
  uint64_t rounds = branchesAt(launch, loop.place.place).executions;
  if (rounds == 0) {
    constexpr int64_t many = 16;
    return !loop.tripCount.known() || loop.tripCount.value().asConstant().value_or(many) >= many;
  }
  return double(rounds) * loop.instructions >= leastShare * double(warpInstructions(launch));
}

std::string chainText(const DependenceChain &chain) {
  constexpr size_t longest = 6;
  std::string text;
  for (size_t i = 0; i < chain.operations.size() && i < longest; ++i)
    text += (i ? ", " : "") + chain.operations[i];
  return text + (chain.operations.size() > longest ? ", ..." : "");
}

std::string adviceFor(const DependenceChain &chain) {
  if (chain.throughMemory)
    return "let a thread follow several chains at a time, or let more warps be resident: a smaller block's "
           "share of shared memory and registers";
  bool reorders = llvm::any_of(chain.operations, [](const std::string &operation) {
    return llvm::StringRef(operation).starts_with("f");
  });
  if (chain.reduction)
    return "keep several partial results, four say, and combine them after the loop" +
           std::string(reorders ? " (that reorders the sum)" : "") + "; or let more warps be resident";
  return "let a thread work on several independent elements, or let more warps be resident";
}

std::optional<Finding> inLoop(const KernelAnalysis &analysis, const LoopFacts &loop,
                              const Architecture &architecture, const LaunchEvaluation &launch) {
  Wait wait = longestWait(analysis.facts, loop.id);
  if (!wait.chain || wait.cycles < worthNaming || !isHot(loop, launch))
    return std::nullopt;
  double warps = warpsOfScheduler(analysis, architecture, launch.launch);
  double busy = busyCycles(analysis.facts, loop, architecture);
  double used = warps * busy / wait.cycles;
  if (warps == 0 || used >= enough)
    return std::nullopt;
  const Place &place = wait.chain->place.place.known() ? wait.chain->place.place : loop.place.place;
  Finding finding =
      findingAt(id, place,
                "each iteration waits " + std::to_string(wait.cycles) + " cycles or more for the last one (" +
                    chainText(*wait.chain) + "), and the " + llvm::formatv("{0:f2}", warps).str() +
                    " warps of a scheduler fill at most " + percent(used) + " of them");
  finding.evidence = {{"cycles of the chain, at least", double(wait.cycles)},
                      {"operations on the chain", double(wait.chain->operations.size())},
                      {"cycles that an iteration keeps the units busy, at most", busy},
                      {"warps a scheduler", warps},
                      {"share of issue slots that can be used", used}};
  double base = used < enough / 2 ? 0.7 : 0.5;
  finding.confidence =
      weaken(latenciesMeasured(architecture) ? base : 0.8 * base, launch, simt::CountGrade::Exact);
  finding.advice = adviceFor(*wait.chain);
  if (loop.place.place.known() && !samePlace(place, loop.place.place))
    finding.notes.push_back({loop.place.place, "the loop"});
  return finding;
}

} // namespace

std::vector<Finding> findLowIlp(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  const LaunchEvaluation *launch = mainLaunch(analysis);
  const Architecture *architecture = findArchitecture(analysis.architecture);
  if (!launch || !architecture)
    return findings;
  for (const LoopFacts &loop : analysis.facts.loops)
    if (loop.innermost && loop.place.place.known())
      if (std::optional<Finding> finding = inLoop(analysis, loop, *architecture, *launch))
        findings.push_back(std::move(*finding));
  return findings;
}

} // namespace warpwright
