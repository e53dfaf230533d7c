#include "rewriters/indices/NarrowDivisions.h"

#include "analysis/ast/PlaceUses.h"
#include "analysis/ast/StridedLoops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;
using clang::VarDecl;

/// Walks the body with the comparisons that hold where it is.
class NarrowSearch {
public:
  NarrowSearch(const clang::FunctionDecl &function, const clang::ASTContext &ast)
      : ast_(ast), changes_(*function.getBody()) {}

  std::vector<NarrowDivision> found;

  void visit(const clang::Stmt *code) {
    if (!code || llvm::isa<clang::LambdaExpr>(code))
      return;
    size_t known = bounded_.size();
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(code)) {
      visit(branch->getCond());
      learn(branch->getCond(), true);
      visit(branch->getThen());
      bounded_.resize(known);
      visit(branch->getElse());
      return;
    }
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(code)) {
      visit(loop->getInit());
      if (loop->getCond())
        learn(loop->getCond(), true);
      visit(loop->getBody());
      bounded_.resize(known);
      return;
    }
    if (const auto *binary = llvm::dyn_cast<BinaryOperator>(code))
      read(*binary);
    for (const clang::Stmt *child : code->children()) {
      visit(child);
      // Behind `if (i >= n) return;` the opposite holds.
      if (const auto *guard = llvm::dyn_cast_or_null<clang::IfStmt>(child);
          guard && llvm::isa<clang::CompoundStmt>(code) && returns(guard->getThen()) && !guard->getElse())
        learn(guard->getCond(), false);
    }
    bounded_.resize(known);
  }

private:
  static bool returns(const clang::Stmt *code) {
    if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(code))
      code = compound->size() == 1 ? compound->body_front() : nullptr;
    return llvm::isa_and_nonnull<clang::ReturnStmt>(code);
  }

  /// Variables that the comparison bounds by a number of 32 bits with a sign.
  void learn(const Expr *condition, bool holds) {
    const auto *binary = llvm::dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
    if (!binary)
      return;
    if (binary->getOpcode() == (holds ? clang::BO_LAnd : clang::BO_LOr)) {
      learn(binary->getLHS(), holds);
      learn(binary->getRHS(), holds);
      return;
    }
    if (!binary->isRelationalOp())
      return;
    clang::BinaryOperatorKind kind = binary->getOpcode();
    if (!holds)
      kind = BinaryOperator::negateComparisonOp(kind);
    bool leftIsSmaller = kind == clang::BO_LT || kind == clang::BO_LE;
    const Expr *small = leftIsSmaller ? binary->getLHS() : binary->getRHS();
    const Expr *large = leftIsSmaller ? binary->getRHS() : binary->getLHS();
    const VarDecl *variable = namedVariable(small);
    // Compared without a sign, a negative bound would be a huge one.
    bool isSigned = small->getType()->isSignedIntegerType() && large->getType()->isSignedIntegerType();
    if (variable && isSigned && isSmall(large) && isStable(*variable) && isNatural(variable))
      bounded_.push_back(variable);
  }

  /// Its value is the same at the comparison and behind it: a constant, or a loop's counter in the loop.
  bool isStable(const VarDecl &variable) const {
    return variable.isLocalVarDecl() && !changes_.isExposed(&variable) && !changes_.isChanged(&variable);
  }

  /// Of a type of 32 bits with a sign, or what is made of one.
  bool isSmall(const Expr *expression) const {
    const Expr *plain = expression->IgnoreParenImpCasts();
    Expr::EvalResult value;
    if (!plain->isValueDependent() && plain->EvaluateAsInt(value, ast_))
      return value.Val.getInt().isNonNegative() && value.Val.getInt().getActiveBits() <= 31;
    return plain->getType()->isSignedIntegerType() && ast_.getTypeSize(plain->getType()) <= 32;
  }

  /// Never negative: made of special registers, unsigned numbers of 32 bits, and their sums and products
  /// in 64.
  bool isNatural(const VarDecl *variable) const {
    return variable->getInit() && isNatural(variable->getInit());
  }
  bool isNatural(const Expr *expression) const {
    if (const auto *full = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
      expression = full->getSubExpr();
    expression = expression->IgnoreParens();
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression);
        cast && cast->getCastKind() == clang::CK_NoOp)
      return isNatural(cast->getSubExpr());
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression);
        cast && cast->getCastKind() == clang::CK_IntegralCast) {
      bool widens = ast_.getTypeSize(cast->getType()) > ast_.getTypeSize(cast->getSubExpr()->getType());
      return (widens && cast->getSubExpr()->getType()->isUnsignedIntegerType()) ||
             (ast_.getTypeSize(cast->getType()) >= ast_.getTypeSize(cast->getSubExpr()->getType()) &&
              isNatural(cast->getSubExpr()));
    }
    expression = expression->IgnoreParenImpCasts();
    Expr::EvalResult value;
    if (!expression->isValueDependent() && expression->EvaluateAsInt(value, ast_))
      return value.Val.getInt().isNonNegative();
    const auto *binary = llvm::dyn_cast<BinaryOperator>(expression);
    return binary && (binary->getOpcode() == clang::BO_Add || binary->getOpcode() == clang::BO_Mul) &&
           isNatural(binary->getLHS()) && isNatural(binary->getRHS());
  }

  /// Fits 31 bits and has no sign, or is of a type of 32 with one.
  bool fits(const Expr *operand) const {
    const Expr *plain = operand->IgnoreParenImpCasts();
    const VarDecl *variable = namedVariable(plain);
    return isSmall(plain) || (variable && llvm::is_contained(bounded_, variable));
  }

  void read(const BinaryOperator &binary) {
    bool divides = binary.getOpcode() == clang::BO_Div || binary.getOpcode() == clang::BO_Rem;
    if (!divides || !binary.getType()->isSignedIntegerType() || ast_.getTypeSize(binary.getType()) != 64 ||
        binary.getOperatorLoc().isMacroID())
      return;
    Expr::EvalResult value;
    bool constant = !binary.getRHS()->isValueDependent() && binary.getRHS()->EvaluateAsInt(value, ast_);
    const VarDecl *dividend = namedVariable(binary.getLHS());
    bool bounded = dividend && llvm::is_contained(bounded_, dividend);
    if (constant || !bounded || !fits(binary.getRHS()))
      return;
    found.push_back(
        {&binary, binary.getLHS(), binary.getRHS(), "int",
         "'" + dividend->getNameAsString() + "' is not negative and was compared with a number of 32 bits"});
  }

  const clang::ASTContext &ast_;
  VariableChanges changes_;
  std::vector<const VarDecl *> bounded_;
};

} // namespace

std::vector<NarrowDivision> findNarrowDivisions(const clang::FunctionDecl &function,
                                                const clang::ASTContext &ast) {
  NarrowSearch search(function, ast);
  search.visit(function.getBody());
  return std::move(search.found);
}

} // namespace warpwright
