#pragma once

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class IfStmt;
} // namespace clang

namespace warpwright {

/// How threads leave a function before its end.
struct EarlyReturns {
  /// `if (condition) return;` among the body's own statements, in order.
  std::vector<const clang::IfStmt *> guards;
  /// Why threads leave in other ways, so that code at the end would not be reached by all; empty when they do
  /// not.
  std::string whyNot;
};

EarlyReturns findEarlyReturns(const clang::FunctionDecl &function);

} // namespace warpwright
