#include "analysis/ast/SystemFunction.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace warpwright {

bool isSystemFunction(const clang::FunctionDecl &function) {
  const clang::SourceManager &sources = function.getASTContext().getSourceManager();
  clang::SourceLocation location = function.getCanonicalDecl()->getLocation();
  return location.isInvalid() || sources.isInSystemHeader(location);
}

} // namespace warpwright
