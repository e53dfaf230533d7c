#include "rewriters/mapping/CounterRoom.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/annotation/Shapes.h"
#include "analysis/ast/IntegerReader.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// What the bound may be at most, or at least where the counter goes down.
struct Limit {
  int64_t value = 0;
  bool upward = true;

  bool admits(int64_t bound) const { return upward ? bound <= value : bound >= value; }
  std::string str() const { return (upward ? " <= " : " >= ") + std::to_string(value); }
};

/// Whether all that an expression names are parameters, which nothing changes, and constants: then an
/// annotation says the same with the same words.
class ScalarsAlone : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit ScalarsAlone(const IntegerReader &reader) : reader_(reader) {}
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    const auto *parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(variable);
    return holds &= !variable || (parameter ? reader_.isUnchanged(*parameter) : variable->isConstexpr());
  }
  bool VisitCallExpr(const clang::CallExpr *) override { return holds = false; }
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *) override { return holds = false; }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    return holds &= unary->getOpcode() == clang::UO_Minus;
  }
  bool holds = true;

private:
  const IntegerReader &reader_;
};

class Judge {
public:
  explicit Judge(const RewriteContext &context)
      : annotation_(context.analysis.annotation), context_(context.analysis.context),
        ast_(context.unit.ast()), reader_(ast_, *context.analysis.kernel.declaration->getBody(), table_,
                                          IntegerReader::Moment::WholeBody) {}

  CounterRoom of(const CounterEnd &end, uint64_t stride) {
    clang::QualType type = end.counter->getType();
    const bool isWide = !type->isIntegerType() || ast_.getTypeSize(type) >= 64;
    // No loop of 2^63 iterations ends; but nothing is below zero without a sign.
    if (isWide && (end.upward || !type->isUnsignedIntegerType()))
      return {};
    const int64_t beyond = static_cast<int64_t>(stride) - (end.inclusive ? 0 : 1);
    const Limit limit =
        end.upward ? Limit{largestOf(type) - beyond, true} : Limit{smallestOf(type) + beyond, false};
    const clang::Expr *bound = valueOf(end.bound);
    const std::string name = end.counter->getNameAsString();
    if (clang::Expr::EvalResult result; !bound->isValueDependent() && bound->EvaluateAsInt(result, ast_))
      return limit.admits(result.Val.getInt().getExtValue()) ? CounterRoom() : always(name);
    if (fitsByType(bound->getType(), limit))
      return {};
    if (std::optional<ScalarExpression> scalars = inScalars(*bound))
      return of(*scalars, limit, name);
    if (!end.upward && type->isUnsignedIntegerType())
      return always(name); // it goes down to something near zero
    return {"", "'" + name + "' holds " + std::to_string(stride) + " more than where its loop ends"};
  }

  CounterRoom of(const ScalarExpression &bound, const Limit &limit, const std::string &counter) const {
    if (isRequired(bound, limit))
      return {};
    const std::string condition = bound.str() + limit.str();
    if (std::string shape = violatedBy(bound, limit); !shape.empty())
      return {"'" + counter + "' would wrap where " + shape, ""};
    return {"", condition + ", or '" + counter + "' would wrap"};
  }

private:
  static CounterRoom always(const std::string &counter) {
    return {"'" + counter + "' would wrap before it passes its bound", ""};
  }

  /// What a variable that nothing changes was initialised with stands for it.
  const clang::Expr *valueOf(const clang::Expr *expression) const {
    for (unsigned depth = 0; depth < 8; ++depth) {
      const clang::Expr *inner = expression->IgnoreParenImpCasts();
      const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner);
      const auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
      const clang::Expr *value = variable ? reader_.valueOf(*variable) : nullptr;
      if (!value)
        return inner;
      expression = value;
    }
    return expression->IgnoreParenImpCasts();
  }

  bool fitsByType(clang::QualType type, const Limit &limit) const {
    if (!type->isIntegerType() || ast_.getTypeSize(type) > 32)
      return false;
    return limit.admits(limit.upward ? largestOf(type) : smallestOf(type));
  }

  int64_t largestOf(clang::QualType type) const {
    const uint64_t bits = ast_.getTypeSize(type) - (type->isSignedIntegerType() ? 1 : 0);
    return bits >= 63 ? INT64_MAX : (int64_t(1) << bits) - 1;
  }
  int64_t smallestOf(clang::QualType type) const {
    return type->isSignedIntegerType() ? -largestOf(type) - 1 : 0;
  }

  /// The bound as an annotation says it.
  std::optional<ScalarExpression> inScalars(const clang::Expr &bound) const {
    ScalarsAlone alone(reader_);
    alone.TraverseStmt(&bound);
    std::optional<std::string> text = EditBuilder(ast_).textOf(bound.getSourceRange());
    if (!alone.holds || !text)
      return std::nullopt;
    llvm::Expected<ScalarExpression> parsed = ScalarExpression::parse(*text);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return std::nullopt;
    }
    if (!llvm::all_of(parsed->names(), [&](const NameUse &use) { return context_.isInteger(use.name); }))
      return std::nullopt;
    return *parsed;
  }

  bool isRequired(const ScalarExpression &bound, const Limit &limit) const {
    return annotation_ && llvm::any_of(annotation_->requirements, [&](const ValueClause &clause) {
             return implies(clause.value, bound.str(), limit);
           });
  }

  /// Whether a condition keeps the bound within the limit: `n <= 1000`, alone or beside others.
  bool implies(const ScalarExpression &condition, const std::string &bound, const Limit &limit) const {
    ScalarExpression::Part part = condition.outermost();
    if (part.operands.size() != 2)
      return false;
    if (part.operation == "&&")
      return llvm::any_of(part.operands,
                          [&](const ScalarExpression &one) { return implies(one, bound, limit); });
    const bool isLess = part.operation == "<" || part.operation == "<=";
    if (!isLess && part.operation != ">" && part.operation != ">=")
      return false;
    const bool boundFirst = part.operands[0].str() == bound;
    if (!boundFirst && part.operands[1].str() != bound)
      return false;
    llvm::Expected<int64_t> number = part.operands[boundFirst ? 1 : 0].evaluate(context_.constantValues());
    if (!number) {
      llvm::consumeError(number.takeError());
      return false;
    }
    const bool isAbove = isLess == boundFirst; // the number is above the bound
    return isAbove == limit.upward && limit.admits(*number);
  }

  /// The first shape of the family that is beyond the limit.
  std::string violatedBy(const ScalarExpression &bound, const Limit &limit) const {
    if (!annotation_)
      return {};
    for (const Shape &shape : completeShapes(*annotation_, context_).shapes) {
      llvm::Expected<int64_t> value = bound.evaluate(valuesOf(shape, context_));
      if (!value)
        llvm::consumeError(value.takeError());
      else if (!limit.admits(*value))
        return shape.str();
    }
    return {};
  }

  const std::optional<Annotation> &annotation_;
  const AnnotationContext &context_;
  const clang::ASTContext &ast_;
  SymbolTable table_;
  IntegerReader reader_;
};

} // namespace

CounterRoom roomBeyond(const CounterEnd &end, uint64_t stride, const RewriteContext &context) {
  return Judge(context).of(end, stride);
}

CounterRoom roomBeyond(const ScalarExpression &bound, uint64_t stride, const std::string &counter,
                       const RewriteContext &context) {
  return Judge(context).of(bound, {INT32_MAX - static_cast<int64_t>(stride) + 1, true}, counter);
}

} // namespace warpwright
