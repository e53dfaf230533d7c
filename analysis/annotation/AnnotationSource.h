#pragma once

#include "analysis/annotation/AnnotationDiagnostic.h"

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

#include <string>
#include <vector>

namespace warpwright {

/// Leads from an annotation's text back to the user's file. The text is what the preprocessor made of the
/// macro's arguments: comments are gone and newlines are blanks, so positions are carried over token by
/// token. Where the annotation comes out of another macro, or was written without KERNEL_OPTIMIZE, no token
/// of it stands in a file, and every position is the place of the outermost expansion.
class AnnotationSource {
public:
  AnnotationSource(const clang::AnnotateAttr &attribute, llvm::StringRef text, const clang::ASTContext &ast);

  /// The characters of the user's file behind a range of the text; an empty range when only the place is
  /// known.
  clang::CharSourceRange rangeOf(TextRange range) const;
  /// Whether rangeOf is exact.
  bool exact() const { return !places_.empty(); }
  /// Where the annotation begins.
  clang::SourceLocation begin() const { return begin_; }

private:
  struct TokenPlace {
    TextRange text;
    clang::SourceLocation location;
  };
  /// What the macro's arguments hold in the file agrees with the text, token by token.
  void match(clang::CharSourceRange expansion, llvm::StringRef text, const clang::ASTContext &ast);
  clang::SourceLocation locate(unsigned offset) const;

  clang::SourceLocation begin_;
  clang::SourceLocation end_; ///< of the macro's closing parenthesis
  std::vector<TokenPlace> places_;
};

} // namespace warpwright
