#include "feedback/loop/Candidates.h"

#include <algorithm>
#include <cmath>

namespace warpwright::loop {

double residentThreads(const StaticFacts &facts) {
  double threads = std::max(1.0, facts.threads), most = 2048;
  if (facts.registers > 0)
    most = std::min(most, 65536.0 / (facts.registers + 16)); // indices and addresses beside what is counted
  if (facts.sharedBytes > 0)
    most = std::min(most, std::floor(227.0 * 1024 / facts.sharedBytes) * threads);
  return std::clamp(std::floor(most / threads), 1.0, 32.0) * threads;
}

double modelCost(const StaticFacts &facts) {
  constexpr double sectorsPerCycle = 2, issuesPerCycle = 4, multiprocessors = 132;
  constexpr double hiddenBy = 512; // threads on a multiprocessor
  double memory = facts.sectors / sectorsPerCycle, shared = facts.wavefronts,
         issue = facts.instructions / issuesPerCycle;
  double busy = std::sqrt(memory * memory + shared * shared + issue * issue);
  double parallel = facts.blocks * facts.threads / (multiprocessors * hiddenBy);
  double resident = residentThreads(facts) / hiddenBy;
  return busy / std::clamp(std::min(parallel, resident), 0.05, 1.0);
}

} // namespace warpwright::loop
