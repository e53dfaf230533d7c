#include "analysis/Finding.h"

#include "analysis/findings/Hazards.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

#define WARPWRIGHT_FINDING(id, function, summary)                                                            \
  std::vector<Finding> function(const KernelAnalysis &analysis);
#include "analysis/Analyses.def"

namespace {

constexpr FindingRule table[] = {
#define WARPWRIGHT_FINDING(id, function, summary) {id, summary, function},
#define WARPWRIGHT_HOST_FINDING(id, function, summary) {id, summary, nullptr},
#include "analysis/Analyses.def"
};

} // namespace

llvm::ArrayRef<FindingRule> findingRules() {
  return table;
}

const FindingRule *findFindingRule(llvm::StringRef id) {
  const FindingRule *found = llvm::find_if(table, [&](const FindingRule &rule) { return rule.id == id; });
  return found == std::end(table) ? nullptr : found;
}

std::vector<Finding> findAll(KernelAnalysis &analysis) {
  watchLaunches(analysis);
  std::vector<Finding> findings;
  for (const FindingRule &rule : table)
    if (rule.find)
      llvm::append_range(findings, rule.find(analysis));
  llvm::sort(findings, [](const Finding &left, const Finding &right) {
    return std::tie(left.place, left.id, left.message) < std::tie(right.place, right.id, right.message);
  });
  return findings;
}

} // namespace warpwright
