#include "analysis/host/HostFindings.h"

#include <llvm/ADT/STLExtras.h>

#include <map>

namespace warpwright {

#define WARPWRIGHT_HOST_FINDING(id, function, summary)                                                       \
  std::vector<FindingInFunction> function(HostAnalysis &analysis);
#include "analysis/Analyses.def"

namespace {

constexpr std::vector<FindingInFunction> (*rules[])(HostAnalysis &) = {
#define WARPWRIGHT_HOST_FINDING(id, function, summary) function,
#include "analysis/Analyses.def"
};

} // namespace

std::vector<HostFindings> findInHostCode(HostAnalysis &analysis) {
  std::map<size_t, std::vector<Finding>> byOwner;
  for (auto rule : rules)
    for (FindingInFunction &found : rule(analysis))
      byOwner[found.function->owner].push_back(std::move(found.finding));
  std::vector<HostFindings> result;
  for (auto &[index, findings] : byOwner) {
    llvm::sort(findings, [](const Finding &left, const Finding &right) {
      return std::tie(left.place, left.id, left.message) < std::tie(right.place, right.id, right.message);
    });
    const HostFunction &function = analysis.code.functions()[index];
    result.push_back(
        {function.declaration, function.key, function.name, function.place, std::move(findings)});
  }
  return result;
}

std::vector<FindingInFunction>
summariseUnlessChecked(const HostAnalysis &analysis, std::vector<FindingInFunction> findings,
                       std::string (*summarise)(size_t count, const std::string &function)) {
  constexpr double unsure = 0.4;
  if (analysis.code.checksErrors())
    return findings;
  std::map<size_t, std::vector<FindingInFunction>> byOwner;
  for (FindingInFunction &found : findings)
    byOwner[found.function->owner].push_back(std::move(found));
  std::vector<FindingInFunction> result;
  for (auto &[owner, all] : byOwner) {
    FindingInFunction first = std::move(all.front());
    first.finding.confidence = std::min(first.finding.confidence, unsure);
    if (all.size() > 1) {
      first.finding.message = summarise(all.size(), analysis.code.functions()[owner].name);
      first.finding.evidence = {{"places", double(all.size())}};
    }
    result.push_back(std::move(first));
  }
  return result;
}

} // namespace warpwright
