// A block barrier orders what threads did before it with what other threads do after it. Where no access
// before can meet one after, up to the neighbouring barriers on every way, it orders nothing.

#include "analysis/findings/IdleBarriers.h"
#include "analysis/findings/MainLaunch.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "redundant-barrier";

Finding describe(const IdleBarrier &idle) {
  Finding finding = findingAt(id, idle.place,
                              "no access before this barrier can meet one of another thread after it, up to "
                              "the neighbouring barriers: it orders nothing");
  finding.evidence = {{"accesses before", double(idle.accessesBefore)},
                      {"accesses after", double(idle.accessesAfter)}};
  finding.confidence = 0.8;
  finding.advice = "leave it out; of several barriers that follow each other, one is enough";
  for (const Place &place : idle.neighboursBefore)
    finding.notes.push_back({place, "the barrier before it"});
  for (const Place &place : idle.neighboursAfter)
    finding.notes.push_back({place, "the barrier after it"});
  llvm::sort(finding.notes);
  return finding;
}

} // namespace

std::vector<Finding> findRedundantBarriers(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const IdleBarrier &idle : findIdleBarriers(analysis))
    findings.push_back(describe(idle));
  return findings;
}

} // namespace warpwright
