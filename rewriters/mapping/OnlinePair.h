#pragma once

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class BinaryOperator;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// A maximum and a sum of exponentials relative to it, both carried on in one pass over a row, as a softmax
/// that reads its row once has them: `next = max(largest, v); sum = sum * exp(largest - next) + exp(v -
/// next); largest = next`.
struct OnlinePair {
  const clang::VarDecl *largest = nullptr;
  const clang::VarDecl *sum = nullptr;
  std::string function; ///< the exponential, as it is called: "expf"
  /// The assignments to the two that make it up: nothing else in the loop may touch them.
  std::vector<const clang::BinaryOperator *> assignments;
  std::vector<const clang::Stmt *> statements; ///< that hold these, or whose variables serve them alone
};

/// The pair in a loop's body, in one of the forms in which it is written: with the new maximum in a variable
/// of its own, with the old one kept, or as a branch. Nothing where there is none, or where a value on the
/// way is used for more.
std::optional<OnlinePair> findOnlinePair(const clang::Stmt &body, const clang::ASTContext &ast);

} // namespace warpwright
