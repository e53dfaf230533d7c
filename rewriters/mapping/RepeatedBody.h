#pragma once

#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/PatchedText.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class Expr;
class Stmt;
} // namespace clang

namespace warpwright {

/// Statements of a kernel's body put into a loop, with pieces of their text replaced. A `return` in them goes
/// on with the next iteration.
class RepeatedBody {
public:
  RepeatedBody(const clang::FunctionDecl &kernel, const clang::ASTContext &ast);

  /// Why they cannot be: a return stands in a loop or a switch, or the body is empty. Empty when they can.
  const std::string &whyNot() const { return whyNot_; }
  /// Another text for a piece of the body. Pieces must not overlap.
  void replace(clang::SourceRange tokens, std::string text) { text_.replace(tokens, std::move(text)); }

  /// The text of statements that follow each other, with the semicolon behind the last. Nothing where a macro
  /// is in the way.
  std::optional<std::string> textOf(const clang::Stmt &first, const clang::Stmt &last) const;
  /// The text of an expression.
  std::optional<std::string> textOf(const clang::Expr &expression) const;
  /// The lines of statements that follow each other, nested in `code` as it stands.
  bool append(CodeLines &code, const clang::Stmt &first, const clang::Stmt &last) const;

  /// The whole body: `before` and a loop of that head around all statements.
  std::optional<Edit> inLoop(const CodeLines &before, const std::string &head, std::string reason) const;
  /// Statements of the body, from `first` to `last`, give way to `code`. One line's body gets lines.
  std::optional<Edit> replaceStatements(const clang::Stmt &first, const clang::Stmt &last,
                                        const CodeLines &code, std::string reason) const;

private:
  const clang::FunctionDecl &kernel_;
  const clang::ASTContext &ast_;
  EditBuilder builder_;
  PatchedText text_;
  std::string whyNot_;
};

} // namespace warpwright
