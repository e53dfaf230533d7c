#include "rewriters/mapping/BlockSum.h"

#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

#include <map>
#include <set>

namespace warpwright {
namespace {

using Variables = std::set<const clang::VarDecl *>;

/// Whether an expression or statement mentions blockIdx or one of some variables.
class Mentions : public clang::ConstDynamicRecursiveASTVisitor {
public:
  Mentions(const Variables &variables, bool block) : variables_(variables), block_(block) {}
  bool VisitMSPropertyRefExpr(const clang::MSPropertyRefExpr *property) override {
    auto found = specialRegisterOf(*property);
    any |=
        block_ && found && (found->first == SymbolKind::BlockIndex || found->first == SymbolKind::GridExtent);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    any |= variable && variables_.contains(variable);
    return true;
  }
  bool any = false;

private:
  const Variables &variables_;
  bool block_;
};

bool mentions(const clang::Stmt *statement, const Variables &variables, bool block = false) {
  if (!statement)
    return false;
  Mentions finder(variables, block);
  finder.TraverseStmt(statement);
  return finder.any;
}

/// The shared array or local variable that an lvalue lies in.
const clang::VarDecl *rootOf(const clang::Expr *lvalue) {
  lvalue = lvalue->IgnoreParenImpCasts();
  while (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
    if (!subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      return nullptr;
    lvalue = subscript->getBase()->IgnoreParenImpCasts();
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(lvalue);
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

bool isShared(const clang::VarDecl &variable) {
  return variable.hasAttr<clang::CUDASharedAttr>();
}

/// Follows the value through what comes after it.
class LinearReader {
public:
  LinearReader(Variables &linear, const Variables &ofBlock) : linear_(linear), ofBlock_(ofBlock) {}

  bool read(const clang::Stmt &statement) {
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement))
      return llvm::all_of(compound->body(), [&](const clang::Stmt *child) { return read(*child); });
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement))
      return isFree(branch->getCond()) && !branch->getInit() && read(*branch->getThen()) &&
             (!branch->getElse() || read(*branch->getElse()));
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return (!loop->getInit() || isFree(loop->getInit())) && (!loop->getCond() || isFree(loop->getCond())) &&
             (!loop->getInc() || isFree(loop->getInc())) && read(*loop->getBody());
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
      return llvm::all_of(declaration->decls(), [&](const clang::Decl *one) { return readVariable(*one); });
    if (llvm::isa<clang::NullStmt>(statement))
      return true;
    const auto *expression = llvm::dyn_cast<clang::Expr>(&statement);
    return expression && readExpression(*expression);
  }
  bool leaves = false; ///< it reached memory

private:
  /// It has nothing to do with the value or the block, and changes nothing that lives on.
  bool isFree(const clang::Stmt *statement) const {
    return !mentions(statement, linear_) && !mentions(statement, ofBlock_, /*block=*/true) &&
           !effectsOf(*statement).seenByOthers();
  }

  bool readVariable(const clang::Decl &declaration) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (!variable)
      return false;
    if (!variable->getInit() || isFree(variable->getInit()))
      return true;
    linear_.insert(variable);
    return isLinear(*variable->getInit());
  }

  bool readExpression(const clang::Expr &statement) {
    const clang::Expr *expression = statement.IgnoreParenImpCasts();
    if (const auto *cleanup = llvm::dyn_cast<clang::ExprWithCleanups>(expression))
      expression = cleanup->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
        binary && binary->isAssignmentOp()) {
      const clang::VarDecl *target = rootOf(binary->getLHS());
      bool isOwn = target && (isShared(*target) || localOf(binary->getLHS()) == target);
      bool adds = binary->getOpcode() == clang::BO_Assign || binary->getOpcode() == clang::BO_AddAssign;
      if (!isOwn || ofBlock_.contains(target))
        return false;
      if (isFree(binary->getRHS()) && !linear_.contains(target))
        return isFree(binary->getLHS());
      // An index must not depend on the value; the array itself may.
      if (!adds || !hasFreeIndices(binary->getLHS()))
        return false;
      linear_.insert(target);
      return isLinear(*binary->getRHS());
    }
    const auto *call = llvm::dyn_cast<clang::CallExpr>(expression);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !callee->getDeclName().isIdentifier())
      return isFree(expression);
    llvm::StringRef name = callee->getName();
    if (name == "__syncthreads" || name == "__syncwarp")
      return true;
    if (name != "atomicAdd" || call->getNumArgs() != 2)
      return isFree(expression);
    leaves = true;
    return isFree(call->getArg(0)) && isLinear(*call->getArg(1));
  }

  bool hasFreeIndices(const clang::Expr *lvalue) const {
    lvalue = lvalue->IgnoreParenImpCasts();
    while (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(lvalue)) {
      if (!isFree(subscript->getIdx()))
        return false;
      lvalue = subscript->getBase()->IgnoreParenImpCasts();
    }
    return true;
  }

  /// A sum of values, each as often as the thread says, or zero.
  bool isLinear(const clang::Expr &whole) const {
    const clang::Expr *expression = whole.IgnoreParenImpCasts();
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return binary->getOpcode() == clang::BO_Add && isLinear(*binary->getLHS()) &&
             isLinear(*binary->getRHS());
    if (const auto *selection = llvm::dyn_cast<clang::ConditionalOperator>(expression))
      return isFree(selection->getCond()) && isLinear(*selection->getTrueExpr()) &&
             isLinear(*selection->getFalseExpr());
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression)) {
      const clang::FunctionDecl *callee = call->getDirectCallee();
      bool isShuffle = callee && callee->getDeclName().isIdentifier() &&
                       callee->getName().starts_with("__shfl") && call->getNumArgs() >= 3;
      return isShuffle && isLinear(*call->getArg(1)) && isFree(call->getArg(0)) && isFree(call->getArg(2));
    }
    if (const clang::VarDecl *root = rootOf(expression))
      return linear_.contains(root) && hasFreeIndices(expression);
    clang::Expr::EvalResult result;
    const clang::ASTContext &ast = (*linear_.begin())->getASTContext();
    bool isKnown = !expression->isValueDependent() && expression->EvaluateAsRValue(result, ast);
    return isKnown && (result.Val.isInt() ? result.Val.getInt() == 0
                                          : result.Val.isFloat() && result.Val.getFloat().isZero());
  }

  Variables &linear_;
  const Variables &ofBlock_;
};

/// Whether computing it reads memory.
class LoadFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitArraySubscriptExpr(const clang::ArraySubscriptExpr *) override { return !(found = true); }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    return !(found |= unary->getOpcode() == clang::UO_Deref);
  }
  bool found = false;
};

bool loads(const clang::Expr &expression) {
  LoadFinder finder;
  finder.TraverseStmt(&expression);
  return finder.found;
}

bool isZero(const clang::Expr *expression) {
  clang::Expr::EvalResult result;
  const auto *reference = expression ? expression->IgnoreParenImpCasts() : nullptr;
  if (const auto *literal = llvm::dyn_cast_or_null<clang::FloatingLiteral>(reference))
    return literal->getValue().isPosZero();
  const auto *literal = llvm::dyn_cast_or_null<clang::IntegerLiteral>(reference);
  return literal && literal->getValue() == 0;
}

class Finder {
public:
  Finder(const clang::FunctionDecl &kernel, std::string &whyNot) : kernel_(kernel), whyNot_(whyNot) {}

  BlockSum find() {
    const auto *body = llvm::dyn_cast<clang::CompoundStmt>(kernel_.getBody());
    if (!body)
      return fail("its body is no block");
    BlockSum sum;
    std::vector<const clang::Stmt *> statements(body->body_begin(), body->body_end());
    size_t next = 0;
    for (; next < statements.size() && !sum.last; ++next) {
      if (!readHead(*statements[next], sum))
        return fail("what a thread brings to its block's sum was not found");
      if (!sum.last)
        sum.beforeLast = statements[next];
    }
    if (!sum.last)
      return fail("what a thread brings to its block's sum was not found");
    Variables linear = {sum.variable};
    LinearReader reader(linear, ofBlock_);
    for (; next < statements.size(); ++next)
      if (!reader.read(*statements[next]))
        return fail("what a block makes of its threads' values is no plain sum");
    if (!reader.leaves)
      return fail("no atomicAdd() takes the block's sum");
    return sum;
  }

private:
  BlockSum fail(std::string why) {
    whyNot_ = std::move(why);
    return {};
  }

  /// Statements up to the one that makes the value: declarations, and last what gives the value.
  bool readHead(const clang::Stmt &statement, BlockSum &sum) {
    bool asksForBlock = mentions(&statement, ofBlock_, /*block=*/true);
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
      return readDeclaration(*declaration, asksForBlock, sum);
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement))
      return asksForBlock && readBranch(*branch, sum);
    const auto *assignment = llvm::dyn_cast<clang::BinaryOperator>(&statement);
    if (!assignment || assignment->getOpcode() != clang::BO_Assign || !asksForBlock)
      return false;
    const clang::VarDecl *target = rootOf(assignment->getLHS());
    if (!target || !isShared(*target) || mentions(assignment->getLHS(), ofBlock_, true))
      return false;
    return take(statement, *assignment->getRHS(), assignment->getLHS(), target, sum);
  }

  bool readDeclaration(const clang::DeclStmt &declaration, bool asksForBlock, BlockSum &sum) {
    const auto *variable =
        declaration.isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(declaration.getSingleDecl()) : nullptr;
    if (!asksForBlock) {
      bool isPlain = !effectsOf(declaration).seenByOthers();
      if (!isPlain)
        empty_.clear(); // what stood before it must not run again
      if (isPlain && variable && isZero(variable->getInit()))
        empty_[variable] = &declaration;
      return isPlain || !sum.first;
    }
    if (!variable || !variable->getInit() || effectsOf(declaration).seenByOthers())
      return false;
    if (!sum.first)
      sum.first = &declaration;
    // An integer that is loaded is what is counted, any other is an index.
    bool isValue = variable->getType()->isRealFloatingType() ||
                   (variable->getType()->isIntegerType() && loads(*variable->getInit()));
    if (isValue)
      return take(declaration, *variable->getInit(), nullptr, variable, sum);
    ofBlock_.insert(variable);
    return !variable->getType()->isReferenceType();
  }

  /// `if (i < n) value = in[i];` of a variable that holds nothing yet.
  bool readBranch(const clang::IfStmt &branch, BlockSum &sum) {
    const clang::Stmt *then = branch.getThen();
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(then))
      then = compound->size() == 1 ? compound->body_front() : nullptr;
    const auto *assignment = llvm::dyn_cast_or_null<clang::BinaryOperator>(then);
    if (branch.getElse() || branch.getInit() || branch.getConditionVariable() || !assignment ||
        (assignment->getOpcode() != clang::BO_Assign && assignment->getOpcode() != clang::BO_AddAssign) ||
        effectsOf(*branch.getCond()).seenByOthers() || !sum.first)
      return false;
    const clang::VarDecl *variable = localOf(assignment->getLHS());
    if (!variable || !empty_.contains(variable) || !variable->getType()->isArithmeticType() ||
        mentions(assignment->getRHS(), {variable}) || mentions(branch.getCond(), {variable}))
      return false;
    // It is made anew for each block.
    if (variable->getLocation() < sum.first->getBeginLoc())
      sum.first = empty_[variable];
    return take(branch, *assignment->getRHS(), nullptr, variable, sum);
  }

  bool take(const clang::Stmt &statement, const clang::Expr &value, const clang::Expr *target,
            const clang::VarDecl *variable, BlockSum &sum) {
    clang::QualType type = target ? target->getType() : variable->getType();
    if (effectsOf(value).seenByOthers() || !type->isArithmeticType() || type->isBooleanType())
      return false;
    if (!sum.first)
      sum.first = &statement;
    sum.last = &statement;
    sum.value = &value;
    sum.target = target;
    sum.variable = variable;
    sum.type = type.getUnqualifiedType().getAsString(kernel_.getASTContext().getPrintingPolicy());
    sum.rounds = type->isRealFloatingType();
    sum.zero = !sum.rounds ? "0" : sum.type == "float" ? "0.0f" : "0.0";
    return true;
  }

  const clang::FunctionDecl &kernel_;
  std::string &whyNot_;
  Variables ofBlock_;
  std::map<const clang::VarDecl *, const clang::Stmt *> empty_; ///< initialised with zero, and where
};

} // namespace

BlockSum findBlockSum(const clang::FunctionDecl &kernel, std::string &whyNot) {
  return Finder(kernel, whyNot).find();
}

} // namespace warpwright
