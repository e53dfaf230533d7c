#include "rewriters/mapping/RowRegisters.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PointerRoots.h"
#include "analysis/ast/PureCalls.h"
#include "analysis/ast/VariableChanges.h"
#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::ArraySubscriptExpr;
using clang::VarDecl;

/// Whether both compute the same where the counters are the same.
bool isSame(const clang::Stmt *left, const VarDecl *leftCounter, const clang::Stmt *right,
            const VarDecl *rightCounter) {
  if (const auto *expression = llvm::dyn_cast<clang::Expr>(left))
    left = expression->IgnoreParenImpCasts();
  if (const auto *expression = llvm::dyn_cast<clang::Expr>(right))
    right = expression->IgnoreParenImpCasts();
  if (left->getStmtClass() != right->getStmtClass())
    return false;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(left)) {
    const auto *other = llvm::cast<clang::DeclRefExpr>(right);
    return reference->getDecl() == other->getDecl() ||
           (reference->getDecl() == leftCounter && other->getDecl() == rightCounter);
  }
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(left);
      binary && binary->getOpcode() != llvm::cast<clang::BinaryOperator>(right)->getOpcode())
    return false;
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(left);
      unary && unary->getOpcode() != llvm::cast<clang::UnaryOperator>(right)->getOpcode())
    return false;
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(left);
      member && member->getMemberDecl() != llvm::cast<clang::MemberExpr>(right)->getMemberDecl())
    return false;
  if (const auto *literal = llvm::dyn_cast<clang::IntegerLiteral>(left))
    return literal->getValue().getLimitedValue() ==
           llvm::cast<clang::IntegerLiteral>(right)->getValue().getLimitedValue();
  // A cast changes what its operand is worth; other kinds of expressions are not looked into.
  if (const auto *cast = llvm::dyn_cast<clang::ExplicitCastExpr>(left);
      cast && cast->getType() != llvm::cast<clang::Expr>(right)->getType())
    return false;
  if (const auto *literal = llvm::dyn_cast<clang::FloatingLiteral>(left))
    return literal->getValue().bitwiseIsEqual(llvm::cast<clang::FloatingLiteral>(right)->getValue());
  if (!llvm::isa<clang::BinaryOperator, clang::UnaryOperator, clang::MemberExpr, ArraySubscriptExpr,
                 clang::ExplicitCastExpr, clang::CallExpr>(left))
    return false;
  return llvm::equal(left->children(), right->children(),
                     [&](const clang::Stmt *one, const clang::Stmt *two) {
                       return one && two && isSame(one, leftCounter, two, rightCounter);
                     });
}

class ReadFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitArraySubscriptExpr(const ArraySubscriptExpr *subscript) override {
    found.push_back(subscript);
    return true;
  }
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->isAssignmentOp())
      written.push_back(binary->getLHS()->IgnoreParens());
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    if (unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf)
      written.push_back(unary->getSubExpr()->IgnoreParens());
    return true;
  }
  std::vector<const ArraySubscriptExpr *> found;
  std::vector<const clang::Expr *> written;
};

/// Whether the statement evaluates the expression whenever it runs.
bool evaluatesAlways(const clang::Stmt *code, const clang::Expr *wanted) {
  if (code == wanted)
    return true;
  if (!code || llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(code))
    return false;
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(code))
    return evaluatesAlways(branch->getCond(), wanted);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(code))
    return evaluatesAlways(choice->getCond(), wanted);
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(code); binary && binary->isLogicalOp())
    return evaluatesAlways(binary->getLHS(), wanted);
  return llvm::any_of(code->children(),
                      [&](const clang::Stmt *child) { return evaluatesAlways(child, wanted); });
}

/// The expressions of the statement that hold the one wanted, innermost first, itself included.
std::vector<const clang::Expr *> around(const clang::Stmt *code, const clang::Expr *wanted) {
  if (!code)
    return {};
  if (code == wanted)
    return {wanted};
  for (const clang::Stmt *child : code->children()) {
    std::vector<const clang::Expr *> found = around(child, wanted);
    if (found.empty())
      continue;
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(code))
      found.push_back(expression);
    return found;
  }
  return {};
}

class ContinueFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitContinueStmt(const clang::ContinueStmt *) override { return !(found = true); }
  bool found = false;
};

class SlotFinder {
public:
  SlotFinder(const RewriteContext &context, const RowCode &code)
      : analysis_(context.analysis), ast_(context.unit.ast()), code_(code),
        changes_(*context.analysis.kernel.declaration->getBody()) {}

  RowRegisters find() {
    // A template's text serves elements of other types, too.
    if (analysis_.kernel.declaration->getTemplateInstantiationPattern() || code_.loops.size() < 2)
      return {};
    for (const RowCode::SharedLoop &loop : code_.loops)
      takeLoop(loop);
    if (kept_.loops.size() < 2)
      return {};
    for (const RowCode::SharedLoop *loop : rows_)
      takeReads(*loop);
    llvm::erase_if(elements_, [&](const Element &element) { return !isKept(element); });
    for (Element &element : elements_) {
      derive(element);
      kept_.elements.push_back(std::move(element.kept));
    }
    return std::move(kept_);
  }

private:
  struct Element {
    RowElement kept;
    const ArraySubscriptExpr *first;
    const VarDecl *counter;
    std::vector<const clang::ForStmt *> loops;
    bool isWholeRow = false; ///< some loop reads it at every place from 0 on
  };

  void takeLoop(const RowCode::SharedLoop &loop) {
    const auto *comparison = llvm::dyn_cast_or_null<clang::BinaryOperator>(
        loop.loop->getCond() ? loop.loop->getCond()->IgnoreParenImpCasts() : nullptr);
    clang::Expr::EvalResult start;
    bool isPlain = loop.standsInBlock && !loop.isRepeated && !loop.isDown && loop.step == 1 && comparison &&
                   comparison->getOpcode() == clang::BO_LT &&
                   namedVariable(comparison->getLHS()) == loop.counter &&
                   loop.counter->getType()->isIntegerType() &&
                   ast_.getTypeSize(loop.counter->getType()) >= 32 && isTopLevel(*loop.loop) &&
                   loop.first->EvaluateAsInt(start, ast_) && start.Val.getInt().isNonNegative() &&
                   start.Val.getInt().getExtValue() < 32 && isFixed(comparison->getRHS());
    if (!isPlain)
      return;
    if (kept_.end && !isSame(kept_.end, nullptr, comparison->getRHS(), nullptr))
      return;
    kept_.end = comparison->getRHS();
    kept_.loops.push_back(loop.loop);
    kept_.starts.push_back(start.Val.getInt().getExtValue());
    rows_.push_back(&loop);
  }

  /// It stands among the statements of the body, so that it runs whenever the others do.
  bool isTopLevel(const clang::ForStmt &loop) const {
    const auto *body = llvm::dyn_cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
    return body && llvm::is_contained(body->body(), &loop);
  }

  /// Nothing that it mentions changes, and it reads no memory.
  bool isFixed(const clang::Stmt *code, const VarDecl *counter = nullptr) const {
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(code)) {
      const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      return variable == counter || !variable || (changes_.isConstant(variable) && isOutside(*variable));
    }
    if (llvm::isa<ArraySubscriptExpr, clang::CallExpr>(code))
      return false;
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(code);
        unary && unary->getOpcode() == clang::UO_Deref)
      return false;
    return llvm::all_of(code->children(),
                        [&](const clang::Stmt *child) { return !child || isFixed(child, counter); });
  }

  /// Declared before the first loop, where the row is loaded.
  bool isOutside(const VarDecl &variable) const {
    return kept_.loops.empty() || ast_.getSourceManager().isBeforeInTranslationUnit(
                                      variable.getLocation(), kept_.loops.front()->getBeginLoc());
  }

  void takeReads(const RowCode::SharedLoop &loop) {
    ReadFinder finder;
    finder.TraverseStmt(loop.loop->getBody());
    ContinueFinder continues;
    continues.TraverseStmt(loop.loop->getBody());
    for (const ArraySubscriptExpr *read : finder.found) {
      const VarDecl *base = namedVariable(read->getBase());
      clang::QualType type = read->getType().getUnqualifiedType();
      if (!base || !base->getType()->isPointerType() || !type->isArithmeticType() ||
          llvm::is_contained(finder.written, read) || read->getType().isVolatileQualified() ||
          VariableChanges(*read->getIdx()).mentionsOf(loop.counter) == 0 ||
          !isFixed(read->getIdx(), loop.counter) || !changes_.isConstant(base) ||
          !(llvm::isa<clang::ParmVarDecl>(base) || isOutside(*base)) || read->getBeginLoc().isMacroID())
        continue;
      auto known = llvm::find_if(elements_, [&](const Element &element) {
        return isSame(element.first, element.counter, read, loop.counter);
      });
      if (known == elements_.end())
        known = elements_.insert(elements_.end(),
                                 Element{{base, type, {}, nullptr, {}}, read, loop.counter, {}, false});
      known->kept.reads.push_back(read);
      if (!llvm::is_contained(known->loops, loop.loop))
        known->loops.push_back(loop.loop);
      known->isWholeRow |=
          kept_.startOf(loop.loop) == 0 && !continues.found && evaluatesAlways(loop.loop->getBody(), read);
    }
  }

  /// Finds the largest expression that all loops from one on make of the element, where two of them do.
  void derive(Element &element) const {
    RowElement &kept = element.kept;
    kept.uses = kept.reads;
    for (size_t i = 0; i + 1 < rows_.size(); ++i) {
      std::vector<size_t> later;
      for (size_t read = 0; read < kept.reads.size(); ++read)
        if (indexOf(kept.reads[read]) >= i)
          later.push_back(read);
      if (later.empty() || indexOf(kept.reads[later.front()]) != i || kept_.starts[i] != 0 ||
          indexOf(kept.reads[later.back()]) == i)
        continue;
      const std::vector<const clang::Expr *> chain =
          around(rows_[i]->loop->getBody(), kept.reads[later.front()]);
      for (const clang::Expr *whole : llvm::reverse(chain))
        if (whole != kept.reads[later.front()] && takeWhole(kept, later, *whole, i))
          return;
    }
  }

  size_t indexOf(const clang::Expr *read) const {
    for (size_t i = 0; i < rows_.size(); ++i)
      if (ast_.getSourceManager().isPointWithin(read->getBeginLoc(), rows_[i]->loop->getBeginLoc(),
                                                rows_[i]->loop->getEndLoc()))
        return i;
    return 0;
  }

  bool takeWhole(RowElement &kept, llvm::ArrayRef<size_t> later, const clang::Expr &whole,
                 size_t from) const {
    if (!ast_.hasSameType(whole.getType().getUnqualifiedType(), kept.type) ||
        llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr>(whole) || whole.isLValue() ||
        whole.getBeginLoc().isMacroID() || !staysSame(&whole, kept, *rows_[from]))
      return false;
    std::vector<const clang::Expr *> uses = kept.reads;
    for (size_t read : later) {
      const RowCode::SharedLoop &loop = *rows_[indexOf(kept.reads[read])];
      for (const clang::Expr *other : around(loop.loop->getBody(), kept.reads[read]))
        if (!llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr>(other) &&
            isSame(&whole, rows_[from]->counter, other, loop.counter))
          uses[read] = other;
      if (uses[read] == kept.reads[read])
        return false;
    }
    kept.uses = std::move(uses);
    kept.derivedIn = rows_[from]->loop;
    return true;
  }

  /// It computes on the element, numbers, and variables that nothing changes from the loop on.
  bool staysSame(const clang::Stmt *code, const RowElement &kept, const RowCode::SharedLoop &from) const {
    if (llvm::is_contained(kept.reads, code))
      return true;
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(code)) {
      const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      return !variable || (variable->isLocalVarDeclOrParm() && isUnchangedSince(*variable, from));
    }
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(code); call && !isPureCall(*call))
      return false;
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(code);
        binary && (binary->isAssignmentOp() || binary->isLogicalOp()))
      return false;
    if (!llvm::isa<clang::BinaryOperator, clang::UnaryOperator, clang::CallExpr, clang::ParenExpr,
                   clang::CastExpr, clang::IntegerLiteral, clang::FloatingLiteral>(code))
      return false;
    return llvm::all_of(code->children(),
                        [&](const clang::Stmt *child) { return child && staysSame(child, kept, from); });
  }

  bool isUnchangedSince(const VarDecl &variable, const RowCode::SharedLoop &from) const {
    const auto *body = llvm::cast<clang::CompoundStmt>(analysis_.kernel.declaration->getBody());
    if (changes_.isExposed(&variable) || variable.getLocation() > from.loop->getBeginLoc())
      return false;
    bool since = false;
    for (const clang::Stmt *statement : body->body()) {
      since |= statement == from.loop;
      if (since && VariableChanges(*statement).isChanged(&variable))
        return false;
    }
    return since;
  }

  /// Several loops read it, one of them all of it, and nothing of the kernel writes there.
  bool isKept(const Element &element) const {
    // It is loaded before the first loop, under the name of that loop's counter.
    if (element.loops.size() < 2 || !element.isWholeRow || element.loops.front() != kept_.loops.front())
      return false;
    const VarDecl *root = parameterBehind(element.kept.base, changes_);
    return root && llvm::none_of(analysis_.facts.accesses, [&](const MemoryAccess &access) {
             if (access.kind == AccessKind::Read || access.space == MemorySpace::Shared ||
                 access.space == MemorySpace::Local)
               return false;
             if (!access.object.known() || access.object.value().kind != MemoryObject::Kind::Parameter)
               return true;
             const std::string &name = access.object.value().name;
             return name == root->getName() || !analysis_.annotation->areDistinct(root->getName(), name);
           });
  }

  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  const RowCode &code_;
  VariableChanges changes_;
  RowRegisters kept_;
  std::vector<const RowCode::SharedLoop *> rows_;
  std::vector<Element> elements_;
};

} // namespace

bool RowRegisters::fits(int64_t count) const {
  return !elements.empty() && llvm::all_of(starts, [&](int64_t start) { return start < count; });
}

std::optional<int64_t> RowRegisters::startOf(const clang::ForStmt *loop) const {
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i] == loop)
      return starts[i];
  return std::nullopt;
}

RowRegisters findRowRegisters(const RewriteContext &context, const RowCode &code) {
  return SlotFinder(context, code).find();
}

} // namespace warpwright
