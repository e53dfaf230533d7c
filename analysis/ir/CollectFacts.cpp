#include "analysis/ir/CollectFacts.h"

#include "analysis/ir/AccessAnalysis.h"
#include "analysis/ir/ArithmeticAnalysis.h"
#include "analysis/ir/BranchAnalysis.h"
#include "analysis/ir/KernelView.h"
#include "analysis/ir/LoopAnalysis.h"
#include "analysis/ir/RangeAnalysis.h"
#include "analysis/ir/RecurrenceAnalysis.h"
#include "analysis/ir/SymbolicValues.h"
#include "analysis/ir/SynchronisationAnalysis.h"
#include "analysis/ir/VariableAnalysis.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

namespace warpwright {
namespace {

/// Launch bounds are a string attribute of one to three extents, "256" or "16,16,1"; the product is what
/// bounds registers.
std::optional<unsigned> launchBound(const llvm::Function &kernel, llvm::StringRef name) {
  llvm::Attribute attribute = kernel.getFnAttribute(name);
  if (!attribute.isStringAttribute())
    return std::nullopt;
  unsigned product = 1;
  for (llvm::StringRef part : llvm::split(attribute.getValueAsString(), ',')) {
    unsigned extent = 0;
    if (part.trim().getAsInteger(10, extent))
      return std::nullopt;
    product *= extent;
  }
  return product;
}

llvm::Error check(const llvm::Function &kernel) {
  if (kernel.isDeclaration())
    return llvm::createStringError("the kernel '" + kernel.getName() + "' has no body");
  if (kernel.getCallingConv() != llvm::CallingConv::PTX_Kernel)
    return llvm::createStringError("'" + kernel.getName() + "' is not a kernel");
  if (!kernel.getParent()->getTargetTriple().isNVPTX())
    return llvm::createStringError("'" + kernel.getName() + "' is not compiled for an NVIDIA GPU");
  return llvm::Error::success();
}

void describeKernel(const llvm::Function &kernel, KernelFacts &facts) {
  facts.name = kernel.getName().str();
  if (const llvm::DISubprogram *subprogram = kernel.getSubprogram()) {
    facts.sourceName = subprogram->getName().str();
    facts.place = Place{subprogram->getFilename().str(), subprogram->getLine(), 0};
  }
  facts.maxThreads = launchBound(kernel, "nvvm.maxntid");
  facts.minBlocks = launchBound(kernel, "nvvm.minctasm");
}

} // namespace

llvm::Expected<KernelFacts> collectKernelFacts(llvm::Function &kernel,
                                               llvm::FunctionAnalysisManager &analyses,
                                               const CollectOptions &options) {
  if (llvm::Error error = check(kernel))
    return std::move(error);
  KernelFacts facts;
  facts.symbols = std::make_shared<SymbolTable>();
  describeKernel(kernel, facts);

  KernelView view(kernel, analyses, options);
  SymbolicValues values(view, *facts.symbols);
  facts.loops = analyseLoops(values);
  AccessList accesses = analyseAccesses(values);
  Recurrences recurrences = analyseRecurrences(values, accesses);
  facts.reductions = std::move(recurrences.reductions);
  facts.chains = std::move(recurrences.chains);
  facts.synchronisations = analyseSynchronisations(view);
  facts.branches = analyseBranches(values);
  facts.sections = analyseSections(values, accesses);
  Arithmetic arithmetic = analyseArithmetic(values);
  facts.arithmetic = std::move(arithmetic.counts);
  facts.divisions = std::move(arithmetic.divisions);
  facts.specialFunctions = std::move(arithmetic.specialFunctions);
  facts.doublesInFloat = std::move(arithmetic.doublesInFloat);
  facts.ranges = analyseRanges(values, accesses);
  facts.accesses = std::move(accesses.accesses);
  analyseVariables(values, facts);
  return facts;
}

} // namespace warpwright
