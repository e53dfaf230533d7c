#pragma once

#include "analysis/ast/IndexRange.h"

#include <vector>

namespace clang {
class ArraySubscriptExpr;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// How a kernel uses one shared array, read from the AST of the function that declares it. Where nothing
/// escapes and nothing is unbounded, no code can tell where its elements lie.
struct SharedArrayUse {
  const clang::VarDecl *array = nullptr;
  const clang::Stmt *escape = nullptr;    ///< a use that is not a complete subscript
  const clang::Expr *unbounded = nullptr; ///< a subscript that was not proved to stay within its extent
  /// The complete subscripts, each from the innermost dimension outwards.
  std::vector<std::vector<const clang::ArraySubscriptExpr *>> accesses;
};

/// The shared arrays of at least two dimensions that the kernel declares.
std::vector<const clang::VarDecl *> findSharedArrays(const clang::FunctionDecl &kernel);

SharedArrayUse findSharedArrayUse(const clang::FunctionDecl &kernel, const clang::VarDecl &array,
                                  KnownBlock block);

} // namespace warpwright
