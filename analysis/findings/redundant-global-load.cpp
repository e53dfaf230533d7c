// A value that was loaded, and loaded again though nothing changed it, costs a second trip to memory. The
// compiler keeps the second load when a store through another pointer stands between: the two might overlap.

#include "analysis/findings/AliasedLoads.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace warpwright {
namespace {

constexpr const char *id = "redundant-global-load";

std::string nameOf(const KernelAnalysis &analysis, const llvm::Argument &argument) {
  return analysis.facts.parameters[argument.getArgNo()].name;
}

Finding describe(const KernelAnalysis &analysis, const AliasedLoad &aliased, unsigned bytes) {
  std::string read = nameOf(analysis, *aliased.read);
  std::string written = nameOf(analysis, *aliased.written);
  Finding finding;
  finding.id = id;
  finding.place = userPlace(analysis, *aliased.load);
  finding.message = "this element of '" + read +
                    "' was loaded before and is loaded again, because the store through '" + written +
                    "' between might have changed it";
  finding.evidence = {{"bytes per lane", double(bytes)}};
  bool distinct = analysis.annotation && analysis.annotation->areDistinct(read, written);
  finding.confidence = distinct ? 0.85 : 0.65;
  finding.advice = "keep the value in a variable, or declare '" + read + "' and '" + written +
                   "' __restrict__ if they never overlap";
  finding.notes = {{userPlace(analysis, *aliased.earlier), "loaded first here"},
                   {userPlace(analysis, *aliased.store), "the store that stands between"}};
  return finding;
}

} // namespace

std::vector<Finding> findRedundantGlobalLoads(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  std::set<Place> seen;
  for (const AliasedLoad &aliased : findAliasedLoads(analysis)) {
    if (!aliased.earlier)
      continue;
    if (analysis.annotation &&
        analysis.annotation->mayAlias(nameOf(analysis, *aliased.read), nameOf(analysis, *aliased.written)))
      continue;
    // Copies that unrolling made of one load are one place, and missing-restrict's: the source loads once.
    Place place = userPlace(analysis, *aliased.load);
    if (place == userPlace(analysis, *aliased.earlier) || !seen.insert(place).second)
      continue;
    unsigned bytes = aliased.load->getType()->getPrimitiveSizeInBits() / 8;
    findings.push_back(describe(analysis, aliased, bytes));
  }
  return findings;
}

} // namespace warpwright
