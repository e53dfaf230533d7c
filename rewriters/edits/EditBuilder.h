#pragma once

#include "rewriters/Candidate.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace warpwright {

/// Turns AST ranges into edits of the main file. A range that a macro produced, or that lies in a header,
/// yields no edit: the text behind it serves other code, too.
class EditBuilder {
public:
  explicit EditBuilder(const clang::ASTContext &ast) : ast_(ast) {}

  /// Replaces the tokens of the range.
  std::optional<Edit> replace(clang::SourceRange tokens, std::string text, std::string reason) const;
  /// Replaces statements that follow each other, with the semicolon that ends the last one.
  std::optional<Edit> replaceStatements(const clang::Stmt &first, const clang::Stmt &last, std::string text,
                                        std::string reason) const;
  /// Replaces a statement with all that is on its lines, the end of the last one included, where nothing but
  /// white space, its semicolon and a comment behind it stands there besides; with an empty text, nothing is
  /// left.
  std::optional<Edit> replaceLines(clang::SourceRange statement, std::string text, std::string reason) const;
  /// Adds text right behind the last token of the range.
  std::optional<Edit> insertAfter(clang::SourceRange tokens, std::string text, std::string reason) const;
  /// Adds text right before the first token of the range.
  std::optional<Edit> insertBefore(clang::SourceRange tokens, std::string text, std::string reason) const;
  /// The source text of the range, as it stands in the main file.
  std::optional<std::string> textOf(clang::SourceRange tokens) const;
  /// The name, with a number where something in the main file, or a macro, has it already.
  std::string freshName(const std::string &wanted) const;

private:
  std::optional<Edit> locate(clang::SourceRange tokens, std::string reason) const;

  const clang::ASTContext &ast_;
};

} // namespace warpwright
