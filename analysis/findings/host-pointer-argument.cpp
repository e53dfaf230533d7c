// A pointer that a kernel is launched with has to be one that the device can follow. Memory of malloc, of
// new, of a container or of the host's stack is one only on systems whose devices can read pageable memory.

#include "analysis/ast/FunctionName.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/host/HostFindings.h"
#include "analysis/host/HostMemory.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

constexpr const char *id = "host-pointer-argument";

/// Whether the kernel may follow the pointer: not one whose body never names the parameter.
bool isRead(const clang::FunctionDecl &kernel, unsigned position) {
  const clang::FunctionDecl *definition = kernel.getDefinition();
  if (const clang::FunctionDecl *pattern = kernel.getTemplateInstantiationPattern())
    definition = pattern;
  return !definition || position >= definition->getNumParams() ||
         definition->getParamDecl(position)->isReferenced();
}

std::string parameterText(const clang::FunctionDecl &kernel, unsigned position) {
  std::string name = kernel.getParamDecl(position)->getNameAsString();
  return name.empty() ? "argument " + std::to_string(position + 1) : "'" + name + "'";
}

} // namespace

std::vector<FindingInFunction> findHostPointerArguments(HostAnalysis &analysis) {
  std::vector<FindingInFunction> findings;
  for (const HostFunction &function : analysis.code.functions())
    for (const clang::CUDAKernelCallExpr *launch : function.launches) {
      const clang::FunctionDecl *kernel = launch->getDirectCallee();
      for (unsigned i = 0; kernel && i < std::min(launch->getNumArgs(), kernel->getNumParams()); ++i) {
        clang::QualType type = kernel->getParamDecl(i)->getType();
        if (!type->isPointerType() || type->isFunctionPointerType() || !isRead(*kernel, i))
          continue;
        std::optional<std::string> memory = hostMemoryBehind(*launch->getArg(i), function, analysis.code);
        if (!memory)
          continue;
        Finding finding;
        finding.id = id;
        finding.place = placeOf(launch->getArg(i)->getBeginLoc(), analysis.code.ast().getSourceManager());
        finding.message = parameterText(*kernel, i) + " of '" + functionName(*kernel) + "' is given " +
                          *memory + ", which a device cannot read";
        finding.confidence = 0.9; // a device with access to pageable memory can
        finding.advice = "copy to memory of cudaMalloc(), or allocate with cudaMallocManaged() or "
                         "cudaMallocHost()";
        findings.push_back({&function, std::move(finding)});
      }
    }
  return findings;
}

} // namespace warpwright
