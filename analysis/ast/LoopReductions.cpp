#include "analysis/ast/LoopReductions.h"

#include "analysis/ast/PureCalls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

class Mentions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Mentions(const VarDecl *variable) : variable_(variable) {}
  std::vector<const clang::DeclRefExpr *> found;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl() == variable_)
      found.push_back(reference);
    return true;
  }

private:
  const VarDecl *variable_;
};

std::optional<FoldOperation> operationOf(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Add:
  case clang::BO_AddAssign:
    return FoldOperation::Sum;
  case clang::BO_Mul:
  case clang::BO_MulAssign:
    return FoldOperation::Product;
  case clang::BO_And:
  case clang::BO_AndAssign:
    return FoldOperation::BitAnd;
  case clang::BO_Or:
  case clang::BO_OrAssign:
    return FoldOperation::BitOr;
  case clang::BO_Xor:
  case clang::BO_XorAssign:
    return FoldOperation::BitXor;
  default:
    return std::nullopt;
  }
}

/// Reads the statements that change the variable and sees whether they are all of one kind.
class Reader : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Reader(const VarDecl &variable, LoopReduction &reduction) : variable_(&variable), reduction_(reduction) {}
  unsigned accounted = 0; ///< mentions that gather
  bool failed = false;

  bool VisitBinaryOperator(const clang::BinaryOperator *assignment) override {
    if (!assignment->isAssignmentOp() || namedVariable(assignment->getLHS()) != variable_)
      return true;
    if (assignment->isCompoundAssignmentOp()) {
      note(operationOf(assignment->getOpcode()), nullptr, 1);
      return true;
    }
    const Expr *value = assignment->getRHS()->IgnoreParenImpCasts();
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(value);
        binary && hasOperand(binary->getLHS(), binary->getRHS()))
      note(operationOf(binary->getOpcode()), nullptr, 2);
    else if (const auto *call = llvm::dyn_cast<clang::CallExpr>(value);
             call && call->getNumArgs() == 2 && call->getDirectCallee() &&
             isExtremum(*call->getDirectCallee()) && hasOperand(call->getArg(0), call->getArg(1)))
      note(call->getDirectCallee()->getName().contains("max") ? FoldOperation::Maximum
                                                              : FoldOperation::Minimum,
           call->getCallee(), 2);
    else
      failed = true;
    return true;
  }

private:
  bool hasOperand(const Expr *left, const Expr *right) const {
    return namedVariable(left) == variable_ || namedVariable(right) == variable_;
  }
  void note(std::optional<FoldOperation> operation, const Expr *function, unsigned mentions) {
    failed |= !operation || (accounted != 0 && *operation != reduction_.operation);
    if (operation)
      reduction_.operation = *operation;
    reduction_.function = function;
    accounted += mentions;
  }

  const VarDecl *variable_;
  LoopReduction &reduction_;
};

} // namespace

std::optional<LoopReduction> reductionOf(const CanonicalLoop &loop, const VarDecl &variable) {
  LoopReduction reduction;
  reduction.variable = &variable;
  Reader reader(variable, reduction);
  reader.TraverseStmt(loop.body);
  Mentions mentions(&variable);
  mentions.TraverseStmt(loop.body);
  // A mention that does not gather reads what has been gathered so far.
  if (reader.failed || reader.accounted == 0 || reader.accounted != mentions.found.size() ||
      loop.changes.isExposed(&variable) || !variable.getType()->isArithmeticType())
    return std::nullopt;
  reduction.mentions = std::move(mentions.found);
  reduction.rounds =
      variable.getType()->isRealFloatingType() &&
      (reduction.operation == FoldOperation::Sum || reduction.operation == FoldOperation::Product);
  return reduction;
}

} // namespace warpwright
