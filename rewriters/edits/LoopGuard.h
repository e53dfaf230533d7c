#pragma once

#include <optional>
#include <string>

namespace clang {
class ASTContext;
class Stmt;
} // namespace clang

namespace warpwright {

/// When a loop runs at all.
struct LoopGuard {
  /// The condition, over what is there before the loop: "0 < n" of `for (int i = 0; i < n; ++i)`, "k > 0" of
  /// `while (k-- > 0)`; empty where it always does.
  std::string condition;
  bool holdsBehind = true; ///< the loop changes nothing that the condition mentions

  bool always() const { return condition.empty(); }
};

/// Of a `for` or `while` loop. Nothing where it has no condition, evaluating it does more than count, or a
/// macro is in the way.
std::optional<LoopGuard> loopGuard(const clang::Stmt &loop, const clang::ASTContext &ast);

} // namespace warpwright
