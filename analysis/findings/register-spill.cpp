// Values that found no register are kept in local memory, which is memory: ptxas says how many bytes.

#include "analysis/findings/MainLaunch.h"

namespace warpwright {
namespace {

constexpr const char *id = "register-spill";
/// Below, spills are often of values that are used once outside of the loops.
constexpr uint64_t fewBytes = 32;

std::string boundText(const KernelAnalysis &analysis) {
  if (analysis.resources->registers >= Architecture::maxRegistersPerThread)
    return "all " + std::to_string(Architecture::maxRegistersPerThread) + " registers that a thread can have";
  return counted(analysis.resources->registers, "register") + " a thread";
}

std::string adviceFor(const KernelAnalysis &analysis) {
  if (analysis.resources->registers >= Architecture::maxRegistersPerThread)
    return "let a thread hold less: smaller tiles, less unrolling, or split the kernel";
  if (analysis.facts.maxThreads)
    return "ask for fewer resident blocks or smaller blocks in __launch_bounds__, or let a thread hold less";
  return "allow more registers (-maxrregcount, __launch_bounds__ with the block that is really used), or let "
         "a thread "
         "hold less";
}

} // namespace

std::vector<Finding> findRegisterSpills(const KernelAnalysis &analysis) {
  if (!analysis.resources || !analysis.resources->spills())
    return {};
  const LocalMemory &local = analysis.resources->local;
  uint64_t bytes = local.spillStoreBytes + local.spillLoadBytes;
  Finding finding = findingAt(
      id, analysis.kernel.place,
      std::to_string(local.spillStoreBytes) + " bytes are spilled to local memory and " +
          std::to_string(local.spillLoadBytes) + " bytes read back, a thread, with " + boundText(analysis));
  finding.evidence = {{"spill store bytes", double(local.spillStoreBytes)},
                      {"spill load bytes", double(local.spillLoadBytes)},
                      {"stack bytes", double(local.stackBytes)},
                      {"registers a thread", double(analysis.resources->registers)}};
  finding.confidence = bytes < fewBytes ? 0.5 : 0.85;
  finding.advice = adviceFor(analysis);
  return {finding};
}

} // namespace warpwright
