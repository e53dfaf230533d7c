#pragma once

#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <set>
#include <string>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace warpwright::agents {

/// What a kernel's code leads to, by qualified names: nobody introduces what is used already.
struct UsedCode {
  std::set<std::string> functions;
  std::set<std::string> variables; ///< of the device or constant
};
UsedCode usedCode(const clang::FunctionDecl &kernel);

struct CodeRefusal {
  std::string code;
  std::string reason;
  clang::SourceLocation location;
};

/// The first thing in the functions, or in functions outside of system headers that they newly call, that
/// must not be there: assembly, state beyond the launch, clocks, the device's runtime, addresses out of
/// numbers, what only one compiler says. `isAllowed` lets a code pass.
std::optional<CodeRefusal> findForbiddenCode(llvm::ArrayRef<const clang::FunctionDecl *> roots,
                                             const UsedCode &used, const clang::ASTContext &ast,
                                             llvm::function_ref<bool(llvm::StringRef)> isAllowed);

/// The first attribute of a changed function that is neither one of those that every device function may have
/// nor the original kernel's.
std::optional<CodeRefusal> checkAttributes(const clang::FunctionDecl &function,
                                           const clang::FunctionDecl &originalKernel, bool isKernel);

} // namespace warpwright::agents
