#include "rewriters/indices/ProductDivisions.h"

#include "analysis/ast/PlaceUses.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;

class ProductFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const BinaryOperator *> found; ///< outer before inner
  bool VisitBinaryOperator(const BinaryOperator *binary) override {
    bool divides = binary->getOpcode() == clang::BO_Div || binary->getOpcode() == clang::BO_Rem;
    if (divides && binary->getType()->isIntegerType())
      found.push_back(binary);
    return true;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }
};

const BinaryOperator *asOperation(const Expr *expression, clang::BinaryOperatorKind kind) {
  const auto *binary = llvm::dyn_cast<BinaryOperator>(expression->IgnoreParenImpCasts());
  return binary && binary->getOpcode() == kind ? binary : nullptr;
}

void appendFactors(const Expr *product, std::vector<const Expr *> &factors) {
  if (const BinaryOperator *binary = asOperation(product, clang::BO_Mul)) {
    appendFactors(binary->getLHS(), factors);
    appendFactors(binary->getRHS(), factors);
    return;
  }
  factors.push_back(product->IgnoreParenImpCasts());
}

class ProductSearch {
public:
  ProductSearch(const clang::FunctionDecl &function, const clang::ASTContext &ast)
      : ast_(ast), changes_(*function.getBody()), reader_(function) {
    finder_.TraverseStmt(function.getBody());
  }

  std::vector<ProductDivision> run() {
    for (const BinaryOperator *division : finder_.found) {
      std::optional<ProductDivision> read = readQuotient(*division);
      if (!read)
        read = readRow(*division);
      if (read && isFixed(*read) && isOneType(*division)) {
        read->whole = division;
        finishReading(*division, *read);
        found_.push_back(std::move(*read));
      }
    }
    return std::move(found_);
  }

private:
  /// `a / (b * c * d)`, where `a / b` is there: b first.
  std::optional<ProductDivision> readQuotient(const BinaryOperator &division) const {
    std::vector<const Expr *> factors;
    appendFactors(division.getRHS(), factors);
    if (division.getOpcode() != clang::BO_Div || factors.size() < 2)
      return std::nullopt;
    ProductDivision result;
    result.dividend = division.getLHS()->IgnoreParenImpCasts();
    // From quotient to quotient, as far as the function has them; what is left over is one product's rest.
    auto next =
        llvm::find_if(factors, [&](const Expr *factor) { return isDividedBy(result.dividend, factor); });
    if (next == factors.end())
      return std::nullopt;
    result.factors.push_back(*next);
    factors.erase(next);
    llvm::append_range(result.factors, factors);
    return result;
  }

  /// `a % (b * c) / b`, where `a / b` is there: `a / b % c`.
  std::optional<ProductDivision> readRow(const BinaryOperator &division) const {
    const BinaryOperator *remainder = asOperation(division.getLHS(), clang::BO_Rem);
    if (division.getOpcode() != clang::BO_Div || !remainder)
      return std::nullopt;
    std::vector<const Expr *> factors;
    appendFactors(remainder->getRHS(), factors);
    if (factors.size() != 2)
      return std::nullopt;
    auto same =
        llvm::find_if(factors, [&](const Expr *factor) { return areAlike(factor, division.getRHS(), ast_); });
    if (same == factors.end() || isConstant(factors[0]) || isConstant(factors[1]))
      return std::nullopt;
    ProductDivision result;
    result.dividend = remainder->getLHS()->IgnoreParenImpCasts();
    result.factors = {*same};
    result.modulus = factors[same == factors.begin() ? 1 : 0];
    return result;
  }

  bool isConstant(const Expr *expression) const {
    Expr::EvalResult value;
    return !expression->isValueDependent() && expression->EvaluateAsInt(value, ast_);
  }

  bool isDividedBy(const Expr *dividend, const Expr *divisor) const {
    return !isConstant(divisor) && llvm::any_of(finder_.found, [&](const BinaryOperator *other) {
      return areAlike(other->getLHS(), dividend, ast_) && areAlike(other->getRHS(), divisor, ast_);
    });
  }

  /// Wherever they are evaluated, the numbers are the same.
  bool isFixed(const ProductDivision &division) const {
    std::vector<const Expr *> parts = division.factors;
    parts.push_back(division.dividend);
    if (division.modulus)
      parts.push_back(division.modulus);
    return llvm::all_of(parts, [&](const Expr *part) {
      CodeUses uses = reader_.usesOf(*part);
      return uses.places.empty() && uses.others.empty() && !part->getBeginLoc().isMacroID() &&
             llvm::all_of(variablesIn(part), [&](const clang::VarDecl *variable) {
               return !variable->isLocalVarDeclOrParm() || changes_.isConstant(variable);
             });
    });
  }

  /// No part is computed in another type than the whole: a narrower one might have wrapped.
  bool isOneType(const BinaryOperator &division) const {
    std::vector<const Expr *> work = {&division};
    while (!work.empty()) {
      const Expr *expression = work.back()->IgnoreParenImpCasts();
      work.pop_back();
      const auto *binary = llvm::dyn_cast<BinaryOperator>(expression);
      if (!binary)
        continue;
      if (!ast_.hasSameUnqualifiedType(binary->getType(), division.getType()) &&
          (binary->getType()->isUnsignedIntegerType() != division.getType()->isUnsignedIntegerType() ||
           ast_.getTypeSize(binary->getType()) != ast_.getTypeSize(division.getType())))
        return false;
      if (binary->isMultiplicativeOp()) {
        work.push_back(binary->getLHS());
        work.push_back(binary->getRHS());
      }
    }
    return true;
  }

  void finishReading(const BinaryOperator &division, ProductDivision &result) {
    if (division.getType()->isUnsignedIntegerType())
      result.assumptions.push_back("products of extents that are divided by do not wrap");
    for (const clang::DynTypedNode &parent : const_cast<clang::ASTContext &>(ast_).getParents(division))
      if (const auto *binary = parent.get<BinaryOperator>())
        result.needsBrackets =
            binary->isMultiplicativeOp() && binary->getRHS()->IgnoreImpCasts() == &division;
  }

  const clang::ASTContext &ast_;
  VariableChanges changes_;
  PlaceReader reader_;
  ProductFinder finder_;
  std::vector<ProductDivision> found_;
};

} // namespace

std::vector<ProductDivision> findProductDivisions(const clang::FunctionDecl &function,
                                                  const clang::ASTContext &ast) {
  return ProductSearch(function, ast).run();
}

} // namespace warpwright
