#include "rewriters/tiling/Conditions.h"

#include <clang/AST/Expr.h>

namespace warpwright {
namespace {

class Reader {
public:
  Reader(IntegerReader &reader, NestCondition &result) : reader_(reader), result_(result) {}

  void read(const clang::Expr &condition, bool holds) {
    const clang::Expr *inner = condition.IgnoreParenImpCasts();
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner))
      if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
        if (const clang::Expr *value = reader_.valueOf(*variable))
          return read(*value, holds);
    if (const auto *negation = llvm::dyn_cast<clang::UnaryOperator>(inner);
        negation && negation->getOpcode() == clang::UO_LNot)
      return read(*negation->getSubExpr(), !holds);
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
    if (binary && binary->getOpcode() == (holds ? clang::BO_LAnd : clang::BO_LOr)) {
      read(*binary->getLHS(), holds);
      read(*binary->getRHS(), holds);
      return;
    }
    bool isComparison = binary && binary->isComparisonOp() &&
                        binary->getLHS()->getType()->isIntegralOrEnumerationType() &&
                        binary->getRHS()->getType()->isIntegralOrEnumerationType();
    if (!isComparison || !compare(*binary, holds))
      result_.isKnown = false;
  }

private:
  bool compare(const clang::BinaryOperator &comparison, bool holds) {
    clang::BinaryOperatorKind kind = comparison.getOpcode();
    if (!holds)
      kind = clang::BinaryOperator::negateComparisonOp(kind);
    std::optional<Expression> low = reader_.read(*comparison.getLHS());
    std::optional<Expression> high = reader_.read(*comparison.getRHS());
    if (!low || !high || kind == clang::BO_NE || kind == clang::BO_Cmp)
      return false;
    if (kind == clang::BO_EQ) {
      result_.atLeastZero.push_back(*high - *low);
      result_.atLeastZero.push_back(*low - *high);
      return true;
    }
    if (kind == clang::BO_GT || kind == clang::BO_GE)
      std::swap(low, high);
    bool isStrict = kind == clang::BO_LT || kind == clang::BO_GT;
    // An unsigned number below another one is not a negative one that wrapped; the larger one might be.
    bool isUnsigned = comparison.getLHS()->getType()->isUnsignedIntegerOrEnumerationType();
    if (isUnsigned && mayBeNegative(*high))
      return false;
    if (isUnsigned && mayBeNegative(*low))
      result_.atLeastZero.push_back(*low);
    result_.atLeastZero.push_back(*high - *low - Expression(int64_t(isStrict)));
    return true;
  }

  /// As long as its symbols are not.
  static bool mayBeNegative(const Expression &expression) {
    if (expression.terms().size() == 1 && expression.terms().front().first.size() == 1 &&
        expression.terms().front().second == 1)
      return false;
    for (const auto &[monomial, coefficient] : expression.terms())
      if (coefficient < 0 || !monomial.empty())
        return true;
    return false;
  }

  IntegerReader &reader_;
  NestCondition &result_;
};

} // namespace

NestCondition readCondition(const clang::Expr &condition, bool holds, IntegerReader &reader) {
  NestCondition result;
  Reader(reader, result).read(condition, holds);
  return result;
}

} // namespace warpwright
