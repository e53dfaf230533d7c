// Without __launch_bounds__, ptxas does not know the block: it neither keeps registers below what the block
// allows, nor learns that a few registers less would let another block in. Named only where one of the two is
// so.

#include "analysis/findings/MainLaunch.h"

namespace warpwright {
namespace {

constexpr const char *id = "missing-launch-bounds";
/// As many registers as ptxas usually finds without spilling when it is asked to.
constexpr unsigned easilySaved = 4;

std::string boundsText(uint64_t threads, unsigned blocks) {
  return "__launch_bounds__(" + std::to_string(threads) + ", " + std::to_string(blocks) + ")";
}

Finding describe(const KernelAnalysis &analysis, std::string message, uint64_t threads, unsigned blocks,
                 double confidence) {
  Finding finding = findingAt(id, analysis.kernel.place, std::move(message));
  finding.evidence = {{"threads a block", double(threads)},
                      {"registers a thread", double(analysis.resources->registers)},
                      {"resident blocks", double(analysis.occupancy->residentBlocks)},
                      {"resident blocks with the bound", double(blocks)}};
  finding.confidence = confidence;
  finding.advice = "declare the kernel " + boundsText(threads, blocks) + ", and see that nothing spills";
  return finding;
}

} // namespace

std::vector<Finding> findMissingLaunchBounds(const KernelAnalysis &analysis) {
  const LaunchEvaluation *launch = mainLaunch(analysis);
  const Architecture *architecture = findArchitecture(analysis.architecture);
  if (!launch || !architecture || !analysis.resources || !analysis.occupancy || analysis.facts.maxThreads ||
      launch->assumed)
    return {};
  const Occupancy &now = *analysis.occupancy;
  const KernelResources &resources = *analysis.resources;
  uint64_t threads = launch->launch.block.count();
  if (now.limitRegisters == 0)
    return {describe(analysis,
                     "with " + std::to_string(resources.registers) + " registers a thread, a block of " +
                         std::to_string(threads) + " threads does not fit: the launch is refused",
                     threads, 1, 0.95)};
  bool limited = llvm::is_contained(now.limiters, OccupancyLimit::Registers) && now.residentBlocks != 0;
  if (!limited || resources.spills())
    return {};
  for (unsigned fewer = 1; fewer <= easilySaved && fewer < resources.registers; ++fewer) {
    Occupancy after =
        computeOccupancy(*architecture, unsigned(threads), resources.registers - fewer,
                         resources.staticSharedBytes + launch->launch.dynamicSharedBytes, resources.barriers);
    if (after.residentBlocks > now.residentBlocks)
      return {describe(analysis,
                       "ptxas does not know that blocks have " + std::to_string(threads) + " threads; " +
                           counted(fewer, "register") + " fewer would let " +
                           std::to_string(after.residentBlocks) + " of them be resident instead of " +
                           std::to_string(now.residentBlocks),
                       threads, after.residentBlocks, 0.4)};
  }
  return {};
}

} // namespace warpwright
