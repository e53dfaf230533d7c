#pragma once

#include "analysis/Launch.h"
#include "analysis/ast/VariableUses.h"

#include <optional>

namespace clang {
class ASTContext;
class Expr;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// Constant values inside one function body: besides what the language calls constant, local variables that
/// are initialised with constants and only ever read, `int threads = 256; dim3 block(threads);`. The body
/// must not be a template's.
class ConstantLocals {
public:
  ConstantLocals(const clang::ASTContext &ast, const clang::Stmt &body);

  /// A `dim3`, or what converts to one. Nothing where an extent is not known or is not positive.
  std::optional<Dim3> extents(const clang::Expr &expression) const;
  /// An integer that is not negative and fits 32 bits.
  std::optional<uint64_t> natural(const clang::Expr &expression) const;

private:
  /// What the variable holds throughout; null where that is not known.
  const clang::Expr *valueOf(const clang::VarDecl *variable) const;

  const clang::ASTContext &ast_;
  VariableUses uses_;
};

} // namespace warpwright
