#pragma once

#include "analysis/ast/FoldNode.h"

#include <vector>

namespace clang {
class ASTContext;
class CallExpr;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// A call of one of CUDA's atomics that combine without an order: `atomicAdd(&bins[i], 1)`.
struct AtomicCall {
  const clang::CallExpr *call = nullptr;
  FoldOperation operation = FoldOperation::Sum; ///< a subtraction is a sum, too
  bool subtracts = false;
  const clang::VarDecl *pointer = nullptr; ///< that the address starts from
  const clang::Expr *index = nullptr;      ///< in elements from there; null: the first
  const clang::Expr *value = nullptr;
  bool isStatement = false; ///< nothing uses the old value
};

/// The atomics in the function's own body whose address is a variable, or an element counted from one.
std::vector<AtomicCall> findAtomicCalls(const clang::FunctionDecl &function, const clang::ASTContext &ast);

} // namespace warpwright
