#pragma once

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
} // namespace clang

namespace warpwright {

/// `a / (b * c)` or `a % (b * c) / b` in a function that divides `a` by `b`, too.
struct ProductDivision {
  const clang::Expr *whole = nullptr;
  const clang::Expr *dividend = nullptr;
  std::vector<const clang::Expr *> factors; ///< to be divided by, one after the other
  const clang::Expr *modulus = nullptr;     ///< of the last quotient; null where there is none
  bool needsBrackets = false;               ///< where it stands, an operator would tear it apart
  std::vector<std::string> assumptions;
};

/// Nothing that they mention changes in the function after it was set.
std::vector<ProductDivision> findProductDivisions(const clang::FunctionDecl &function,
                                                  const clang::ASTContext &ast);

} // namespace warpwright
