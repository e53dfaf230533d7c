// A launch returns nothing: that its configuration was refused, or that the kernel failed, is known to who
// asks for it afterwards.

#include "analysis/ast/FunctionName.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/host/HostFindings.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

constexpr const char *id = "unchecked-launch";

std::optional<Finding> findIn(HostAnalysis &analysis, const HostFunction &function,
                              const clang::CUDAKernelCallExpr &launch) {
  ErrorRead read = analysis.reads.statusAfter(function, launch);
  if (read == ErrorRead::Yes || read == ErrorRead::Unknown)
    return std::nullopt;
  const clang::FunctionDecl *kernel = launch.getDirectCallee();
  Finding finding;
  finding.id = id;
  finding.place = placeOf(launch.getBeginLoc(), analysis.code.ast().getSourceManager());
  const std::string launched = "this launch" + (kernel ? " of '" + functionName(*kernel) + "'" : "");
  if (read == ErrorRead::Callers) {
    // Libraries launch in functions of one file and ask in another.
    finding.message = "the error of " + launched + " is left to callers that are not all seen here";
    finding.confidence = 0.3;
  } else {
    finding.message = "nothing after " + launched +
                      " reads its error, so that the kernel may not have run and nobody knows";
    finding.confidence = 0.8;
  }
  finding.advice = "check cudaGetLastError() after it, and what the next synchronisation returns";
  return finding;
}

std::string summarise(size_t count, const std::string &function) {
  return "nothing reads an error of the " + std::to_string(count) + " launches in '" + function + "'";
}

} // namespace

std::vector<FindingInFunction> findUncheckedLaunches(HostAnalysis &analysis) {
  std::vector<FindingInFunction> findings;
  for (const HostFunction &function : analysis.code.functions())
    for (const clang::CUDAKernelCallExpr *launch : function.launches)
      if (std::optional<Finding> finding = findIn(analysis, function, *launch))
        findings.push_back({&function, std::move(*finding)});
  return summariseUnlessChecked(analysis, std::move(findings), summarise);
}

} // namespace warpwright
