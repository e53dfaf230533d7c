#include "feedback/loop/Arbiter.h"
#include "feedback/loop/Proposer.h"

#include <llvm/ADT/StringExtras.h>

#include <cmath>

namespace warpwright::loop {
namespace {

constexpr double worthJoining = 0.99; ///< a ratio that noise does not make

Part partOf(const LoopCandidate &candidate, const StaticFacts &original, double ratio) {
  Part part;
  part.name = candidate.name();
  part.spans = candidate.spans;
  part.registers = std::max(0.0, candidate.facts.registers - original.registers);
  part.sharedBytes = std::max(0.0, candidate.facts.sharedBytes - original.sharedBytes);
  if (original.threads > 0 && candidate.facts.threads > 0)
    part.threads = candidate.facts.threads / original.threads;
  part.gain = -std::log(ratio);
  return part;
}

} // namespace

std::optional<Proposal> combination(Subject &subject, const std::map<size_t, double> &ratios) {
  std::map<std::string, size_t> best; // of each structure
  for (const auto &[candidate, ratio] : ratios) {
    if (ratio >= worthJoining)
      continue;
    auto [place, isNew] = best.try_emplace(subject.candidates()[candidate].structure, candidate);
    if (!isNew && ratio < ratios.at(place->second))
      place->second = candidate;
  }
  if (best.size() < 2)
    return std::nullopt;
  const StaticFacts original = subject.originalFacts();
  std::vector<size_t> candidates;
  std::vector<Part> parts;
  for (const auto &[structure, candidate] : best) {
    candidates.push_back(candidate);
    parts.push_back(partOf(subject.candidates()[candidate], original, ratios.at(candidate)));
  }
  Arbitration arbitration = arbitrate(parts, original, Budget());
  if (arbitration.chosen.size() < 2)
    return std::nullopt;
  std::vector<size_t> chosen;
  for (size_t i : arbitration.chosen)
    chosen.push_back(candidates[i]);
  std::optional<size_t> joint = subject.combine(chosen);
  if (!joint)
    return std::nullopt;
  Proposal proposal;
  proposal.candidate = *joint;
  proposal.proposer = "arbiter";
  proposal.expected = arbitration.gain;
  proposal.structural = true;
  proposal.reason = "each gains alone, and they go together";
  if (!arbitration.trades.empty())
    proposal.reason += "; " + llvm::join(llvm::ArrayRef(arbitration.trades).take_front(3), "; ");
  return proposal;
}

} // namespace warpwright::loop
