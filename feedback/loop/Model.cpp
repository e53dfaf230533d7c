#include "feedback/loop/Candidates.h"

#include <algorithm>
#include <cmath>

namespace warpwright::loop {
namespace {

// Of an H200, as its data sheet and public measurements of its kind have them; other devices differ by
// factors that a ranking hardly sees. Those without a source were chosen on two of the recorded spaces
// (docs/architecture/loop.md).
constexpr double multiprocessors = 132;
constexpr double sectorsACycle = 2;         // from L2 to a multiprocessor, 64 bytes
constexpr double memorySectorsACycle = 0.5; // 4.3 TB/s shared by all multiprocessors at 1.98 GHz
constexpr double issuesACycle = 4;
constexpr double latencyOfMemory = 600; // cycles
constexpr double latencyOfMath = 5;     // cycles until a dependent instruction may go
constexpr double mostChains = 8;        // independent instructions of a thread that are worth counting
constexpr double mostUnderWay = 16;     // words that a thread waits for at the same time
constexpr double launchCycles = 4000;
constexpr double atomicCycles = 3.6; // between two on one address

double both(double a, double b) {
  return std::sqrt(a * a + b * b);
}

} // namespace

double residentThreads(const StaticFacts &facts) {
  double threads = std::max(1.0, facts.threads), most = 2048;
  if (facts.registers > 0)
    most = std::min(most, 65536.0 / (facts.registers + registersBesides));
  if (facts.sharedBytes > 0)
    most = std::min(most, std::floor(227.0 * 1024 / facts.sharedBytes) * threads);
  return std::clamp(std::floor(most / threads), 1.0, 32.0) * threads;
}

/// A multiprocessor gets its share of the blocks, as many at once as fit. Either its units are busy all the
/// time, or its threads wait: for memory, a few words each at a time, and for their own results. What a
/// launch costs however little it does comes on top, and atomics on one address go one by one.
double modelCost(const StaticFacts &facts) {
  const double threads = std::max(1.0, facts.threads), blocks = std::max(1.0, facts.blocks);
  double fromMemory = facts.bytes > 0 ? std::min(facts.sectors, facts.bytes / 32) / memorySectorsACycle : 0;
  double memory = std::max(facts.sectors / sectorsACycle, fromMemory);
  double busy = both(both(memory, facts.wavefronts), facts.instructions / issuesACycle) / blocks;
  double held = std::max(1.0, facts.registers);
  double wordsAThread = facts.sectors * 8 / (blocks * threads);
  double loads = std::max(1.0, wordsAThread / std::min(held, mostUnderWay));
  double chain = facts.instructions / (blocks * threads / 32) *
                 std::max(1.0, latencyOfMath / std::min(held, mostChains));
  double waits = chain + latencyOfMemory * loads;
  double share = std::ceil(blocks / multiprocessors);
  double together = std::min(share, residentThreads(facts) / threads);
  return launchCycles + both(both(share * busy, share / together * waits), atomicCycles * facts.atomics);
}

double modelCost(llvm::ArrayRef<StaticFacts> shapes) {
  double logarithms = 0;
  for (const StaticFacts &facts : shapes)
    logarithms += std::log(modelCost(facts));
  return shapes.empty() ? 0 : std::exp(logarithms / double(shapes.size()));
}

void declineCostly(llvm::MutableArrayRef<LoopCandidate> candidates, double margin) {
  double least = 0;
  for (const LoopCandidate &candidate : candidates)
    if (candidate.predicted > 0 && (least == 0 || candidate.predicted < least))
      least = candidate.predicted;
  for (LoopCandidate &candidate : candidates)
    if (candidate.predicted > margin * least) {
      candidate.screened = {Verdict::Kind::Declined, "pre-screen", "the model holds it for much slower"};
      candidate.rule = "static cost";
    }
}

/// How busy each unit was on average, at the clock of an H200.
Diagnosed diagnoseByTime(llvm::ArrayRef<StaticFacts> shapes, llvm::ArrayRef<double> microseconds,
                         bool spills) {
  if (shapes.empty() || microseconds.size() != shapes.size() || microseconds.front() <= 0)
    return {};
  constexpr double cyclesOfUs = 1980, bytesOfUs = 4.3e6, clearly = 0.4;
  const StaticFacts &facts = shapes.front();
  const double us = microseconds.front(), cycles = us * cyclesOfUs * multiprocessors;
  std::vector<std::pair<double, Bottleneck>> found;
  double memory = facts.sectors * 32 / (us * bytesOfUs);
  found.emplace_back(memory <= 1.05 ? memory : 0, Bottleneck::MemoryBandwidth);
  found.emplace_back(facts.sectors / (sectorsACycle * cycles), Bottleneck::CacheBandwidth);
  found.emplace_back(facts.wavefronts / cycles, Bottleneck::SharedMemory);
  found.emplace_back(facts.instructions / (issuesACycle * cycles), Bottleneck::Compute);
  found.emplace_back(atomicCycles * facts.atomics / (us * cyclesOfUs), Bottleneck::Atomics);
  found.emplace_back(spills ? 0.9 : 0, Bottleneck::Spills);
  found.emplace_back(residentThreads(facts) < 0.3 * 2048 ? 0.6 : 0, Bottleneck::Occupancy);
  found.emplace_back(clearly, Bottleneck::MemoryLatency); // where nothing else is busy
  // Shapes that take longer than their share of the work: their blocks are few.
  double longer = 0;
  for (size_t i = 1; i < shapes.size(); ++i) {
    double work = std::max(facts.instructions > 0 ? shapes[i].instructions / facts.instructions : 0,
                           facts.sectors > 0 ? shapes[i].sectors / facts.sectors : 0);
    if (work > 0 && microseconds[i] > 0)
      longer += std::log(std::max(1.0, microseconds[i] / (us * work))) / double(shapes.size() - 1);
  }
  bool isShort = microseconds.size() > 1 && microseconds[1] < 5;
  found.emplace_back(std::min(0.85, longer), isShort ? Bottleneck::LaunchBound : Bottleneck::TailEffect);
  std::sort(found.begin(), found.end(), [](auto &a, auto &b) { return a.first > b.first; });
  Diagnosed diagnosed;
  for (auto &[busy, bottleneck] : found)
    if (busy >= clearly && diagnosed.size() < 2)
      diagnosed.push_back(bottleneck);
  return diagnosed;
}

} // namespace warpwright::loop
