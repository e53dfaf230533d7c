#include "analysis/ast/FunctionName.h"

#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/Support/Path.h>

namespace warpwright {

std::string functionName(const clang::FunctionDecl &function) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  clang::PrintingPolicy policy = function.getASTContext().getPrintingPolicy();
  policy.SuppressDefaultTemplateArgs = false;
  function.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  return name;
}

std::string functionKey(const clang::FunctionDecl &function) {
  const clang::ASTContext &ast = function.getASTContext();
  std::string file = placeOf(function.getLocation(), ast.getSourceManager()).file;
  std::string signature;
  for (const clang::ParmVarDecl *parameter : function.parameters()) {
    if (!signature.empty())
      signature += ", ";
    signature += parameter->getType().getUnqualifiedType().getAsString(ast.getPrintingPolicy());
  }
  return llvm::sys::path::filename(file).str() + ":" + functionName(function) + "(" + signature + ")";
}

} // namespace warpwright
