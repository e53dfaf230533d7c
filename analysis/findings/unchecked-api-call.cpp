// A call of the CUDA API fails by what it returns. Where that is dropped, a later call fails in its stead, or
// results are wrong. The runtime keeps the error for cudaGetLastError(); who reads that has checked.

#include "analysis/host/HostFindings.h"

#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr const char *id = "unchecked-api-call";

/// Calls that only ask for something to be faster, or for the words of an error that is known already.
bool isHint(llvm::StringRef name) {
  return llvm::is_contained({"cudaDeviceSetCacheConfig", "cudaFuncSetCacheConfig", "cudaMemAdvise",
                             "cudaMemPrefetchAsync", "cudaProfilerStart", "cudaProfilerStop",
                             "cudaDeviceReset", "cuGetErrorName", "cuGetErrorString", "cuMemAdvise",
                             "cuMemPrefetchAsync", "cuProfilerStart", "cuProfilerStop"},
                            name);
}

/// Gives something back: nothing can be done where that fails.
bool isRelease(llvm::StringRef name) {
  return name.contains("Free") || name.contains("Destroy") || name.contains("Unload") ||
         name.contains("Unregister") || name.contains("Release");
}

/// Waits for work: what it would return, of work before it, every later call returns as well.
bool isWait(llvm::StringRef name) {
  return name.starts_with("cuda") && name.ends_with("Synchronize");
}

/// A function that can do nothing with an error but drop it: a destructor, a deleter, what must not throw.
bool cannotReport(const clang::FunctionDecl &function) {
  if (llvm::isa<clang::CXXDestructorDecl>(function) || function.getOverloadedOperator() == clang::OO_Call)
    return true;
  const auto *type = function.getType()->getAs<clang::FunctionProtoType>();
  return type && !clang::isUnresolvedExceptionSpec(type->getExceptionSpecType()) && type->isNothrow();
}

std::optional<Finding> findIn(HostAnalysis &analysis, const HostFunction &function, const ApiCall &call) {
  bool dropped = call.result == CallResult::Dropped || call.result == CallResult::NeverRead;
  if (!dropped || call.inMacro || call.readsLastError() || isHint(call.name))
    return std::nullopt;
  if (isRelease(call.name) && cannotReport(*function.declaration))
    return std::nullopt;
  ErrorRead read = ErrorRead::No;
  if (isWait(call.name))
    read = analysis.reads.statusAfter(function, *call.call);
  else if (!call.isDriver())
    read = analysis.reads.lastErrorAfter(function, *call.call);
  if (read == ErrorRead::Yes || read == ErrorRead::Unknown)
    return std::nullopt;
  Finding finding;
  finding.id = id;
  finding.place = call.place;
  finding.message =
      call.result == CallResult::NeverRead
          ? "'" + call.variable + "' keeps what '" + call.name + "' returns, and nobody reads it"
          : "what '" + call.name + "' returns is dropped, " +
                (read == ErrorRead::Callers ? "and seen to fail only by a caller that reads the last error"
                                            : "so that nobody sees it fail");
  finding.confidence = isRelease(call.name) ? 0.3 : read == ErrorRead::Callers ? 0.6 : 0.8;
  finding.advice = "compare it with " + std::string(call.isDriver() ? "CUDA_SUCCESS" : "cudaSuccess") +
                   ", or cast it to void where failing has no consequence";
  return finding;
}

std::string summarise(size_t count, const std::string &function) {
  return "'" + function + "' checks none of its " + std::to_string(count) + " calls of the CUDA API";
}

} // namespace

std::vector<FindingInFunction> findUncheckedApiCalls(HostAnalysis &analysis) {
  std::vector<FindingInFunction> findings;
  for (const HostFunction &function : analysis.code.functions())
    for (const ApiCall &call : function.apiCalls)
      if (std::optional<Finding> finding = findIn(analysis, function, call))
        findings.push_back({&function, std::move(*finding)});
  return summariseUnlessChecked(analysis, std::move(findings), summarise);
}

} // namespace warpwright
