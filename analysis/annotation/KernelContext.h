#pragma once

#include "analysis/annotation/AnnotationContext.h"

#include <clang/AST/Decl.h>

namespace clang {
class Preprocessor;
}

namespace warpwright {

/// The signature of a kernel (of a template: of the instantiation), without constants.
AnnotationContext describeKernel(const clang::FunctionDecl &kernel);

/// Looks names up as the kernel's own code would see them: macros of plain tokens, template arguments of the
/// kernel and of the classes around it, then constexpr variables, constant integers and enumerators from the
/// innermost scope outwards, through using-directives, and qualified by namespaces, classes and enumerations.
/// `sizeof(T)` is the size of a type found that way.
class ConstantLookup {
public:
  /// Without a preprocessor no macro is known.
  ConstantLookup(const clang::FunctionDecl &kernel, clang::Preprocessor *preprocessor)
      : kernel_(kernel), preprocessor_(preprocessor) {}

  /// Outer nothing: there is no such constant. Inner nothing: it has no value that is known here.
  std::optional<std::optional<int64_t>> find(llvm::StringRef name) const { return find(name, 0); }

private:
  using Found = std::optional<std::optional<int64_t>>;

  Found find(llvm::StringRef name, unsigned depth) const;
  Found findMacro(llvm::StringRef name, unsigned depth) const;
  Found findSize(llvm::StringRef type) const;
  /// The last component of the name in the scope that the others lead to.
  Found findDeclared(llvm::ArrayRef<llvm::StringRef> path) const;
  Found findIn(const clang::DeclContext &scope, llvm::ArrayRef<llvm::StringRef> path) const;
  const clang::TemplateArgument *findTemplateArgument(llvm::StringRef name) const;
  std::optional<clang::QualType> findType(llvm::StringRef name) const;
  std::vector<const clang::NamedDecl *> lookUp(const clang::DeclContext &scope, llvm::StringRef name) const;
  Found valueOf(const clang::NamedDecl &declaration) const;

  const clang::FunctionDecl &kernel_;
  clang::Preprocessor *preprocessor_;
};

} // namespace warpwright
