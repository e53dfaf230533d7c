#include "feedback/loop/Proposer.h"

#include <algorithm>
#include <cmath>

namespace warpwright::loop {
namespace {

/// By how many powers of two `before` is larger, 0 where one is not known.
double shrunk(double before, double after) {
  return before > 0 && after > 0 ? std::log2(before / after) : 0;
}

/// Loads that may be under way at once: resident threads, each with as many as it holds registers for.
double underWay(const StaticFacts &facts) {
  return residentThreads(facts) * std::clamp(facts.registers, 1.0, 32.0);
}

double unbounded(Bottleneck bottleneck, const StaticFacts &before, const StaticFacts &after) {
  switch (bottleneck) {
  case Bottleneck::CacheBandwidth:
  case Bottleneck::MemoryBandwidth:
  case Bottleneck::UncoalescedAccess:
    return shrunk(before.sectors, after.sectors);
  case Bottleneck::SharedMemory:
    return shrunk(before.wavefronts, after.wavefronts);
  case Bottleneck::Compute:
  case Bottleneck::Divergence:
  case Bottleneck::DependenceChain:
  case Bottleneck::InstructionFetch:
    return shrunk(before.instructions, after.instructions);
  case Bottleneck::MemoryLatency:
    return -shrunk(underWay(before), underWay(after));
  case Bottleneck::Occupancy:
  case Bottleneck::Spills:
    return -shrunk(residentThreads(before), residentThreads(after));
  case Bottleneck::LaunchBound:
  case Bottleneck::Atomics:
    return shrunk(before.blocks, after.blocks);
  case Bottleneck::TailEffect:
    return -shrunk(before.blocks, after.blocks);
  case Bottleneck::Barriers:
    return shrunk(before.threads, after.threads);
  }
  return 0;
}

} // namespace

double relief(Bottleneck bottleneck, const StaticFacts &before, const StaticFacts &after) {
  return std::clamp(unbounded(bottleneck, before, after), -1.0, 1.0);
}

} // namespace warpwright::loop
