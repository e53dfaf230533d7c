#pragma once

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// A division in 64 bits whose operands fit 32.
struct NarrowDivision {
  const clang::Expr *whole = nullptr;
  const clang::Expr *dividend = nullptr;
  const clang::Expr *divisor = nullptr;
  std::string type; ///< in which it can be done: "int" or "unsigned"
  std::string why;  ///< they fit, for reports
};

std::vector<NarrowDivision> findNarrowDivisions(const clang::FunctionDecl &function,
                                                const clang::ASTContext &ast);

} // namespace warpwright
