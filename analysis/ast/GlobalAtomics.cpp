#include "analysis/ast/GlobalAtomics.h"

#include "analysis/ast/VariableChanges.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

using clang::Expr;

std::optional<FoldOperation> atomicOperation(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<FoldOperation>>(name)
      .Cases({"atomicAdd", "atomicSub"}, FoldOperation::Sum)
      .Case("atomicMin", FoldOperation::Minimum)
      .Case("atomicMax", FoldOperation::Maximum)
      .Case("atomicAnd", FoldOperation::BitAnd)
      .Case("atomicOr", FoldOperation::BitOr)
      .Case("atomicXor", FoldOperation::BitXor)
      .Default(std::nullopt);
}

/// `p`, `p + i`, `&p[i]`: the variable and the index.
bool readAddress(const Expr *address, AtomicCall &atomic) {
  address = address->IgnoreParenImpCasts();
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(address);
      unary && unary->getOpcode() == clang::UO_AddrOf) {
    const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(unary->getSubExpr()->IgnoreParens());
    if (!subscript)
      return false;
    atomic.pointer = namedVariable(subscript->getBase());
    atomic.index = subscript->getIdx();
  } else if (const auto *sum = llvm::dyn_cast<clang::BinaryOperator>(address);
             sum && sum->getOpcode() == clang::BO_Add) {
    bool first = sum->getLHS()->getType()->isPointerType();
    atomic.pointer = namedVariable(first ? sum->getLHS() : sum->getRHS());
    atomic.index = first ? sum->getRHS() : sum->getLHS();
  } else {
    atomic.pointer = namedVariable(address);
  }
  return atomic.pointer && atomic.pointer->getType()->isPointerType();
}

class AtomicFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  AtomicFinder(const clang::ASTContext &ast, std::vector<AtomicCall> &calls) : ast_(ast), calls_(calls) {}

  bool VisitCompoundStmt(const clang::CompoundStmt *compound) override {
    for (const clang::Stmt *child : compound->body())
      statements_.insert(child);
    return true;
  }
  bool VisitIfStmt(const clang::IfStmt *choice) override {
    statements_.insert(choice->getThen());
    statements_.insert(choice->getElse());
    return true;
  }
  bool VisitForStmt(const clang::ForStmt *loop) override {
    statements_.insert(loop->getBody());
    return true;
  }
  bool VisitWhileStmt(const clang::WhileStmt *loop) override {
    statements_.insert(loop->getBody());
    return true;
  }
  bool VisitDoStmt(const clang::DoStmt *loop) override {
    statements_.insert(loop->getBody());
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getDeclName().isIdentifier() || call->getNumArgs() != 2)
      return true;
    std::optional<FoldOperation> operation = atomicOperation(callee->getName());
    if (!operation || !ast_.getSourceManager().isInSystemHeader(callee->getLocation()))
      return true;
    AtomicCall atomic;
    atomic.call = call;
    atomic.operation = *operation;
    atomic.subtracts = callee->getName() == "atomicSub";
    atomic.value = call->getArg(1);
    atomic.isStatement = statements_.contains(call);
    if (readAddress(call->getArg(0), atomic))
      calls_.push_back(atomic);
    return true;
  }

private:
  const clang::ASTContext &ast_;
  std::vector<AtomicCall> &calls_;
  llvm::SmallPtrSet<const clang::Stmt *, 32> statements_;
};

} // namespace

std::vector<AtomicCall> findAtomicCalls(const clang::FunctionDecl &function, const clang::ASTContext &ast) {
  std::vector<AtomicCall> calls;
  if (function.getBody())
    AtomicFinder(ast, calls).TraverseStmt(function.getBody());
  return calls;
}

} // namespace warpwright
