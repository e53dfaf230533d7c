#pragma once

#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationContext.h"
#include "analysis/annotation/AnnotationSource.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <set>
#include <string>
#include <vector>

namespace clang {
class Preprocessor;
}

namespace warpwright {

/// The annotation of one kernel, with what it was checked against and the way back into the file.
struct KernelAnnotation {
  Annotation annotation;
  AnnotationContext context;
  AnnotationSource source;
  std::vector<AnnotationDiagnostic> diagnostics; ///< all of this kernel's, reported or not
};

/// Finds KERNEL_OPTIMIZE on the declarations of one translation unit and reports mistakes through its
/// diagnostics engine: warnings that end in [warpwright-annotation], with a caret at the clause where the
/// macro stands in a file. However many instantiations a template has, a mistake is reported once. As all
/// warnings, they are silenced by -w and made errors by -Werror.
class AnnotationReader {
public:
  struct Options {
    /// The ids that forbid() may name; nothing: any.
    std::optional<std::vector<std::string>> rewriters;
    /// Gives macros their values; without it an annotation cannot name them.
    clang::Preprocessor *preprocessor = nullptr;
  };

  explicit AnnotationReader(clang::ASTContext &ast) : AnnotationReader(ast, Options()) {}
  AnnotationReader(clang::ASTContext &ast, Options options) : ast_(ast), options_(std::move(options)) {}

  /// The annotation of a kernel: its own, that of an earlier declaration, or that of the template it was
  /// instantiated from. Nothing when there is none. Of a template that is not instantiated only the text is
  /// checked.
  std::optional<KernelAnnotation> read(const clang::FunctionDecl &kernel);

  /// Reports every annotation in the parsed file that read() will never be asked for: on a host function or
  /// on something that is no function, on a kernel without a body, on a template of this file without an
  /// instantiation.
  void reportMisplaced();

private:
  void reportMisplacedIn(const clang::DeclContext &scope);
  void reportMisplaced(const clang::Decl &declaration);
  void report(clang::CharSourceRange range, const AnnotationDiagnostic &diagnostic);
  /// A mistake that concerns the annotation as a whole.
  void reportWhole(const clang::AnnotateAttr &attribute, Mistake id, const llvm::Twine &message,
                   const llvm::Twine &note = {});
  AnnotationContext makeContext(const clang::FunctionDecl &kernel, const Annotation &annotation) const;

  clang::ASTContext &ast_;
  Options options_;
  std::set<std::pair<clang::SourceLocation, std::string>> reported_;
};

} // namespace warpwright
