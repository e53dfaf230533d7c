#pragma once

#include <string>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A kernel in which each block adds up one value a thread and then adds the sum to memory by an atomic: so
/// that a thread may as well bring the sum of its values of several blocks.
///
/// What follows the value is linear in it: it is only added, copied, shuffled and chosen by conditions that
/// do not depend on it, and leaves the block through atomicAdd() at a place that is the same in every block.
/// Each value then counts a number of times that depends on the thread alone, and sums of values count alike.
struct BlockSum {
  const clang::Stmt *first = nullptr;      ///< the first statement that asks for the block
  const clang::Stmt *last = nullptr;       ///< the one that makes the value
  const clang::Stmt *beforeLast = nullptr; ///< the one in front of it
  const clang::Expr *value = nullptr;      ///< what it is, where `target` gets it
  const clang::Expr *target = nullptr;     ///< the lvalue that gets it; null: it is in `variable`
  const clang::VarDecl *variable = nullptr;
  std::string type;    ///< of the value
  std::string zero;    ///< of that type
  bool rounds = false; ///< so that the order of summation shows
};

/// Nothing found: `first` is null, and `whyNot` says what is in the way.
BlockSum findBlockSum(const clang::FunctionDecl &kernel, std::string &whyNot);

} // namespace warpwright
