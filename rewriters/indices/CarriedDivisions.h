#pragma once

#include "analysis/ir/KernelFacts.h"

#include <clang/AST/Type.h>

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class ForStmt;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

struct Annotation;

/// Quotients and remainders of a loop's counter by one divisor that the loop does not change.
struct CarriedDivision {
  const clang::ForStmt *loop = nullptr;
  const clang::VarDecl *counter = nullptr;
  const clang::Expr *init = nullptr;
  const clang::Expr *divisor = nullptr;
  const clang::Expr *step = nullptr; ///< null where it is 1
  const clang::Stmt *last = nullptr; ///< of the loop's body: what moves them on goes behind it
  clang::QualType type;              ///< in which is divided
  bool startsAtZero = false;
  std::vector<const clang::Expr *> quotients, remainders; ///< expressions that they replace
  std::vector<std::string> assumptions;
  std::string whyNot; ///< else they cannot be carried
};

/// In the function's canonical loops that count upwards. Divisors that are constants are left to the
/// compiler, which multiplies.
std::vector<CarriedDivision> findCarriedDivisions(const clang::FunctionDecl &function,
                                                  const clang::ASTContext &ast, const KernelFacts &facts,
                                                  const Annotation &annotation);

} // namespace warpwright
