#include "rewriters/jam/VaryingValues.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

/// A call that all threads, or all lanes of a warp, make together, and that computes on values alone.
bool isMeeting(const clang::Stmt &code, bool &isBlock) {
  const auto *call = llvm::dyn_cast<clang::CallExpr>(&code);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getDeclName().isIdentifier())
    return false;
  isBlock = callee->getName() == "__syncthreads" || callee->getName() == "__syncwarp";
  return isBlock || callee->getName().starts_with("__shfl_");
}

class Finder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit Finder(std::function<bool(const clang::Stmt &)> is) : is_(std::move(is)) {
    ShouldVisitImplicitCode = true;
  }
  bool found = false;
  bool VisitStmt(const clang::Stmt *statement) override { return !(found |= is_(*statement)); }

private:
  std::function<bool(const clang::Stmt &)> is_;
};

bool holds(const clang::Stmt &code, std::function<bool(const clang::Stmt &)> is) {
  Finder finder(std::move(is));
  finder.TraverseStmt(&code);
  return finder.found;
}

bool waits(const clang::Stmt &code) {
  return holds(code, [](const clang::Stmt &part) {
    bool isBlock = false;
    return isMeeting(part, isBlock) && isBlock;
  });
}

bool leaves(const clang::Stmt &part) {
  return llvm::isa<clang::ReturnStmt, clang::ContinueStmt, clang::GotoStmt, clang::IndirectGotoStmt,
                   clang::LabelStmt>(part);
}

bool isLoop(const clang::Stmt &statement) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement);
}

/// The part of an `if` or a loop that says whether, and how often, what is in it runs; null parts are left
/// out.
std::vector<const clang::Stmt *> controlOf(const clang::Stmt &statement) {
  std::vector<const clang::Stmt *> parts;
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement))
    parts = {branch->getInit(), branch->getConditionVariableDeclStmt(), branch->getCond()};
  else if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement))
    parts = {loop->getInit(), loop->getConditionVariableDeclStmt(), loop->getCond(), loop->getInc()};
  else if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(&statement))
    parts = {loop->getConditionVariableDeclStmt(), loop->getCond()};
  else if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(&statement))
    parts = {loop->getCond()};
  llvm::erase(parts, nullptr);
  return parts;
}

} // namespace

VaryingValues::VaryingValues(const clang::Stmt &code, const PlaceReader &reader,
                             std::function<bool(const Expr &)> isSeed)
    : code_(code), reader_(reader), isSeed_(std::move(isSeed)) {
  // What is marked varies wherever it is read, also before: until nothing is added.
  do {
    changed_ = false;
    visit(&code_, false);
  } while (changed_ && whyNot_.empty());
  checkPointers();
}

void VaryingValues::refuse(std::string why) {
  if (whyNot_.empty())
    whyNot_ = std::move(why);
}

void VaryingValues::mark(const VarDecl &variable) {
  if (variables_.insert(&variable))
    changed_ = true;
}

bool VaryingValues::isInside(const VarDecl &variable) const {
  return variable.getASTContext().getSourceManager().isPointWithin(variable.getLocation(),
                                                                   code_.getBeginLoc(), code_.getEndLoc());
}

bool VaryingValues::mentionsVarying(const clang::Stmt *code) const {
  return code && holds(*code, [&](const clang::Stmt &part) {
           const auto *expression = llvm::dyn_cast<Expr>(&part);
           if (!expression)
             return false;
           if (isSeed_(*expression))
             return true;
           const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
           const auto *variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
           return variable && variables_.contains(variable);
         });
}

bool VaryingValues::isShared(const clang::Stmt &statement) const {
  if (llvm::isa<clang::CompoundStmt, clang::AttributedStmt>(statement))
    return true;
  if (!isLoop(statement) && !llvm::isa<clang::IfStmt>(statement))
    return false;
  const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement);
  if (branch && branch->isConstexpr())
    return false;
  return !leftByBreak_.contains(&statement) &&
         llvm::none_of(controlOf(statement), [&](const clang::Stmt *part) { return mentionsVarying(part); });
}

void VaryingValues::visit(const clang::Stmt *statement, bool control) {
  if (!statement || !whyNot_.empty())
    return;
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
    for (const clang::Stmt *child : compound->body())
      visit(child, control);
    return;
  }
  if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(statement))
    return visit(attributed->getSubStmt(), control);
  if (isLoop(*statement))
    return visitLoop(*statement, control);
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(statement)) {
    bool varies = control || !isShared(*statement);
    for (const clang::Stmt *part : controlOf(*statement))
      visitPlain(*part, varies);
    visit(branch->getThen(), varies);
    visit(branch->getElse(), varies);
    return;
  }
  if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(statement)) {
    if (control && loops_.empty())
      refuse("some of them alone would leave what is around it");
    else if (control && leftByBreak_.insert(loops_.back()).second)
      changed_ = true;
    return;
  }
  if (llvm::isa<clang::ReturnStmt>(statement)) {
    if (control)
      refuse("some of them alone may return early");
    return;
  }
  if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt, clang::LabelStmt, clang::GCCAsmStmt>(statement))
    return refuse("it jumps, or holds inline PTX");
  visitPlain(*statement, control);
}

void VaryingValues::visitLoop(const clang::Stmt &loop, bool control) {
  bool varies = control || !isShared(loop);
  for (const clang::Stmt *part : controlOf(loop))
    visitPlain(*part, varies);
  loops_.push_back(&loop);
  if (const auto *counted = llvm::dyn_cast<clang::ForStmt>(&loop))
    visit(counted->getBody(), varies);
  else if (const auto *whileLoop = llvm::dyn_cast<clang::WhileStmt>(&loop))
    visit(whileLoop->getBody(), varies);
  else
    visit(llvm::cast<clang::DoStmt>(loop).getBody(), varies);
  loops_.pop_back();
}

/// A statement that is copied as a whole or stands once.
void VaryingValues::visitPlain(const clang::Stmt &statement, bool control) {
  if (llvm::isa<clang::DeclStmt>(statement))
    return visitDeclarations(statement, control);
  if (!control && !mentionsVarying(&statement))
    return;
  if (waits(statement))
    return refuse("some of them alone would wait for other threads");
  if (!llvm::isa<Expr>(statement) && holds(statement, leaves))
    return refuse("some of them alone may leave what is around it");
  markWrites(statement);
}

void VaryingValues::visitDeclarations(const clang::Stmt &statement, bool control) {
  for (const clang::Decl *declared : llvm::cast<clang::DeclStmt>(statement).decls()) {
    const auto *variable = llvm::dyn_cast<VarDecl>(declared);
    if (!variable)
      continue;
    const Expr *init = variable->getInit();
    if (!init || !(control || mentionsVarying(init)))
      continue;
    mark(*variable);
    markWrites(*init);
  }
}

void VaryingValues::markWrites(const clang::Stmt &code) {
  holds(code, [&](const clang::Stmt &part) {
    const Expr *written = nullptr;
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&part); binary && binary->isAssignmentOp())
      written = binary->getLHS();
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&part);
        unary && unary->isIncrementDecrementOp())
      written = unary->getSubExpr();
    if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&part);
        call && (call->isAssignmentOp() || call->getOperator() == clang::OO_PlusPlus ||
                 call->getOperator() == clang::OO_MinusMinus))
      written = call->getArg(0);
    if (!written)
      return false;
    if (const VarDecl *variable = namedVariable(written)) {
      if (isInside(*variable))
        mark(*variable);
      else
        refuse("'" + variable->getNameAsString() + "' would hold something else in each");
      return false;
    }
    MemoryRoot root = reader_.rootOf(*written);
    if (!root.known())
      refuse("it is not known whose memory is written");
    else if (root.isOnChip() && isInside(*root.variable))
      mark(*root.variable);
    else if (root.isOnChip() && root.variable->getType()->isArrayType())
      outerArrays_.insert(root.variable);
    else if (root.isOnChip())
      refuse("'" + root.name() + "' would hold something else in each");
    return false;
  });
}

/// Through a pointer a copy could reach another's.
void VaryingValues::checkPointers() {
  if (holds(code_, [](const clang::Stmt &part) { return llvm::isa<clang::LambdaExpr>(part); }))
    refuse("it holds a lambda");
  for (const VarDecl *variable : variables_)
    if (variable->getType()->isReferenceType() || reader_.changes().isExposed(variable))
      refuse("'" + variable->getNameAsString() +
             "' would hold something else in each, and a pointer or a reference is in the way");
  CodeUses uses = reader_.usesOf(code_);
  for (const PlaceUse &use : uses.places) {
    bool varies = use.root.variable && variables_.contains(use.root.variable);
    if (use.isVolatile)
      refuse("it accesses volatile memory");
    if (use.kind == PlaceUse::Kind::Escape && (varies || !use.root.known()))
      refuse("a pointer into '" + use.root.name() + "' goes elsewhere");
  }
  for (const clang::Stmt *other : uses.others) {
    bool isBlock = false;
    if (!isMeeting(*other, isBlock))
      refuse("it calls what may do anything");
  }
}

} // namespace warpwright
