#include "analysis/ast/EarlyReturns.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

const clang::ReturnStmt *onlyReturn(const clang::Stmt *statement) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = compound->size() == 1 ? compound->body_front() : nullptr;
  return llvm::dyn_cast_or_null<clang::ReturnStmt>(statement);
}

class ReturnFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const clang::Stmt *> found;
  bool jumps = false;
  bool VisitReturnStmt(const clang::ReturnStmt *statement) override {
    found.push_back(statement);
    return true;
  }
  bool VisitGotoStmt(const clang::GotoStmt *) override { return jumps = true; }
  bool TraverseLambdaExpr(const clang::LambdaExpr *) override { return true; }
};

} // namespace

EarlyReturns findEarlyReturns(const clang::FunctionDecl &function) {
  EarlyReturns result;
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  if (!body) {
    result.whyNot = "its body is not a plain block";
    return result;
  }
  ReturnFinder finder;
  finder.TraverseStmt(body);
  if (finder.jumps)
    result.whyNot = "it holds a goto";
  for (const clang::Stmt *child : body->body()) {
    if (child == body->body_back() && llvm::isa<clang::ReturnStmt>(child)) {
      llvm::erase(finder.found, child);
      continue;
    }
    const auto *guard = llvm::dyn_cast<clang::IfStmt>(child);
    if (!guard || guard->getElse() || guard->getInit() || guard->getConditionVariable() ||
        guard->isConstexpr())
      continue;
    if (const clang::ReturnStmt *statement = onlyReturn(guard->getThen())) {
      llvm::erase(finder.found, statement);
      result.guards.push_back(guard);
    }
  }
  if (!finder.found.empty() && result.whyNot.empty())
    result.whyNot = "threads return from within other statements";
  return result;
}

} // namespace warpwright
