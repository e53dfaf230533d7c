#include "rewriters/indices/CarriedDivisions.h"

#include "analysis/annotation/Annotation.h"
#include "analysis/ast/CanonicalLoops.h"
#include "analysis/ast/IterationOrder.h"
#include "analysis/ast/PlaceUses.h"
#include "analysis/ast/StridedLoops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <functional>

namespace warpwright {
namespace {

using clang::Expr;

/// Whether the value is never negative: unsigned numbers, and sums and products of what is not.
bool isNotNegative(const Expr *expression, const clang::ASTContext &ast, const VariableChanges &function,
                   unsigned depth = 0) {
  if (const auto *full = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
    expression = full->getSubExpr();
  expression = expression->IgnoreParenCasts();
  if (depth > 16)
    return false;
  if (!specialRegister(expression).empty() || expression->getType()->isUnsignedIntegerType())
    return true;
  Expr::EvalResult value;
  if (!expression->isValueDependent() && expression->EvaluateAsInt(value, ast))
    return value.Val.getInt().isNonNegative();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
      binary && (binary->getOpcode() == clang::BO_Add || binary->getOpcode() == clang::BO_Mul ||
                 binary->getOpcode() == clang::BO_Div || binary->getOpcode() == clang::BO_Rem))
    return isNotNegative(binary->getLHS(), ast, function, depth + 1) &&
           isNotNegative(binary->getRHS(), ast, function, depth + 1);
  const clang::VarDecl *variable = namedVariable(expression);
  return variable && variable->isLocalVarDecl() && function.isConstant(variable) && variable->getInit() &&
         isNotNegative(variable->getInit(), ast, function, depth + 1);
}

class DivisionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit DivisionFinder(const CanonicalLoop &loop) : loop_(loop) {}
  std::vector<const clang::BinaryOperator *> found;
  bool continues = false;

  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    bool divides = binary->getOpcode() == clang::BO_Div || binary->getOpcode() == clang::BO_Rem;
    if (divides && binary->getType()->isIntegerType() && namedVariable(binary->getLHS()) == loop_.counter)
      found.push_back(binary);
    return true;
  }
  bool VisitContinueStmt(const clang::ContinueStmt *) override {
    continues |= depth_ == 0;
    return true;
  }
  bool TraverseForStmt(const clang::ForStmt *loop) override {
    ++depth_;
    bool goOn = clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(loop);
    --depth_;
    return goOn;
  }
  bool TraverseWhileStmt(const clang::WhileStmt *loop) override {
    ++depth_;
    bool goOn = clang::ConstDynamicRecursiveASTVisitor::TraverseWhileStmt(loop);
    --depth_;
    return goOn;
  }
  bool TraverseDoStmt(const clang::DoStmt *loop) override {
    ++depth_;
    bool goOn = clang::ConstDynamicRecursiveASTVisitor::TraverseDoStmt(loop);
    --depth_;
    return goOn;
  }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }

private:
  const CanonicalLoop &loop_;
  unsigned depth_ = 0;
};

class Search {
public:
  Search(const clang::FunctionDecl &function, const clang::ASTContext &ast, const Annotation &annotation)
      : ast_(ast), annotation_(annotation), changes_(*function.getBody()), body_(*function.getBody()) {}

  std::vector<CarriedDivision> found;

  void read(const CanonicalLoop &loop) {
    DivisionFinder finder(loop);
    finder.TraverseStmt(loop.body);
    std::vector<CarriedDivision> here;
    for (const clang::BinaryOperator *division : finder.found) {
      const Expr *divisor = division->getRHS();
      Expr::EvalResult value;
      if (divisor->isValueDependent() || divisor->EvaluateAsInt(value, ast_) || slopeOf(divisor, loop) != 0 ||
          !isKnownBefore(divisor, loop))
        continue;
      auto known = llvm::find_if(here, [&](const CarriedDivision &other) {
        return areAlike(other.divisor, divisor, ast_) &&
               ast_.hasSameUnqualifiedType(other.type, division->getType());
      });
      if (known == here.end()) {
        CarriedDivision carried;
        carried.divisor = divisor->IgnoreParenImpCasts();
        carried.type = division->getType();
        known = here.insert(here.end(), std::move(carried));
      }
      (division->getOpcode() == clang::BO_Div ? known->quotients : known->remainders).push_back(division);
    }
    for (CarriedDivision &carried : here) {
      describe(loop, finder.continues, carried);
      found.push_back(std::move(carried));
    }
  }

private:
  void describe(const CanonicalLoop &loop, bool continues, CarriedDivision &carried) {
    carried.loop = loop.statement;
    carried.counter = loop.counter;
    carried.init = loop.init->IgnoreParenImpCasts();
    carried.step = loop.constantStep == 1 ? nullptr : loop.step;
    Expr::EvalResult value;
    carried.startsAtZero = !loop.init->isValueDependent() && loop.init->EvaluateAsInt(value, ast_) &&
                           value.Val.getInt().isZero();
    const auto *body = llvm::dyn_cast<clang::CompoundStmt>(loop.body);
    if (!loop.upward || !loop.declaresCounter || (!loop.constantStep && !loop.step))
      carried.whyNot = "its counter does not grow, or is seen outside of the loop";
    else if (!isNotNegative(loop.init, ast_, changes_))
      carried.whyNot = "its counter may start below zero, where remainders have a sign";
    else if (carried.step && !isNotNegative(carried.step, ast_, changes_))
      carried.whyNot = "its step may be negative";
    else if (!body || body->body_empty() || continues)
      carried.whyNot = continues ? "a continue would leave out what carries the quotient along"
                                 : "its body is a single statement";
    else if (!standsInBlock(&body_, loop.statement))
      carried.whyNot = "it is the only statement of another";
    if (carried.whyNot.empty())
      carried.whyNot = whyNotPositive(carried);
    if (body && !body->body_empty())
      carried.last = body->body_back();
  }

  /// Everything that the divisor mentions is there before the loop.
  bool isKnownBefore(const Expr *divisor, const CanonicalLoop &loop) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return llvm::all_of(variablesIn(divisor), [&](const clang::VarDecl *variable) {
      return !variable->isLocalVarDecl() ||
             sources.isBeforeInTranslationUnit(variable->getLocation(), loop.statement->getBeginLoc());
    });
  }

  std::string whyNotPositive(CarriedDivision &carried) const {
    const Expr *divisor = carried.divisor;
    if (carried.type->isUnsignedIntegerType() || isNotNegative(divisor, ast_, changes_))
      return {};
    std::string name = nameOf(divisor);
    bool isExtent =
        llvm::any_of(annotation_.usedNames(), [&](const NameUse &use) { return use.name == name; });
    if (name.empty() || !isExtent)
      return "its divisor may be negative";
    carried.assumptions.push_back("'" + name + "' is not negative: extents of the annotation are made of it");
    return {};
  }

  /// As annotations name it; empty where it is no scalar parameter.
  std::string nameOf(const Expr *divisor) const {
    divisor = divisor->IgnoreParenCasts();
    std::string member;
    if (const auto *part = llvm::dyn_cast<clang::MemberExpr>(divisor); part && !part->isArrow()) {
      member = "." + part->getMemberDecl()->getNameAsString();
      divisor = part->getBase()->IgnoreParenImpCasts();
    }
    const clang::VarDecl *variable = namedVariable(divisor);
    bool parameter = variable && llvm::isa<clang::ParmVarDecl>(variable) && changes_.isConstant(variable);
    return parameter ? variable->getNameAsString() + member : "";
  }

  static bool standsInBlock(const clang::Stmt *code, const clang::Stmt *statement) {
    if (!code)
      return false;
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(code);
        compound && llvm::is_contained(compound->body(), statement))
      return true;
    return llvm::any_of(code->children(),
                        [&](const clang::Stmt *child) { return standsInBlock(child, statement); });
  }

  const clang::ASTContext &ast_;
  const Annotation &annotation_;
  VariableChanges changes_;
  const clang::Stmt &body_;
};

} // namespace

std::vector<CarriedDivision> findCarriedDivisions(const clang::FunctionDecl &function,
                                                  const clang::ASTContext &ast, const KernelFacts &facts,
                                                  const Annotation &annotation) {
  Search search(function, ast, annotation);
  for (const CanonicalLoop &loop : findCanonicalLoops(function, ast, facts))
    search.read(loop);
  return std::move(search.found);
}

} // namespace warpwright
