#pragma once

#include "analysis/ast/EarlyReturns.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/PatchedText.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// Puts code before and behind the body of a kernel so that every thread runs both: guard clauses that return
/// early become blocks around what follows them.
class BodyRewrite {
public:
  BodyRewrite(const clang::FunctionDecl &function, const clang::ASTContext &ast);

  /// Why the body cannot be written anew; empty when it can.
  const std::string &whyNot() const { return returns_.whyNot; }
  /// Another text for a piece of the body.
  void replace(clang::SourceRange tokens, std::string text);
  CodeLines &before() { return before_; }
  CodeLines &behind() { return behind_; }
  /// The body as one edit; nothing where a macro is in the way.
  std::optional<Edit> build(std::string reason) const;

private:
  std::string negated(const clang::Stmt *condition) const;

  const clang::FunctionDecl &function_;
  const clang::ASTContext &ast_;
  EditBuilder builder_;
  EarlyReturns returns_;
  CodeLines before_, behind_;
  PatchedText text_;
};

} // namespace warpwright
