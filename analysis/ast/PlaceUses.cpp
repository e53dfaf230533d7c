#include "analysis/ast/PlaceUses.h"

#include "analysis/annotation/Annotation.h"
#include "analysis/ast/PureCalls.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::VarDecl;

constexpr unsigned deepestPointer = 16; ///< pointers that are initialised with pointers

/// Whether the variable stands for memory that others may see, or for a reference to some.
bool isMemory(const VarDecl &variable) {
  return variable.getType()->isReferenceType() || !variable.isLocalVarDeclOrParm() ||
         variable.isStaticLocal() || variable.hasAttr<clang::CUDASharedAttr>();
}

/// The lvalue of memory that the expression is, without brackets and casts that change nothing; null where it
/// is none. Elements of a thread's own arrays are places, too; its plain variables are not.
const Expr *placeIn(const Expr *expression) {
  expression = expression->IgnoreParens();
  while (const auto *cast = llvm::dyn_cast<clang::ImplicitCastExpr>(expression)) {
    if (cast->getCastKind() != clang::CK_NoOp || !cast->isGLValue())
      return nullptr;
    expression = cast->getSubExpr()->IgnoreParens();
  }
  if (!expression->isGLValue())
    return nullptr;
  if (llvm::isa<clang::ArraySubscriptExpr>(expression))
    return expression;
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return unary->getOpcode() == clang::UO_Deref ? expression : nullptr;
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression))
    return member->isArrow() || placeIn(member->getBase()) ? expression : nullptr;
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
  const auto *variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable && isMemory(*variable) && !variable->isConstexpr() ? expression : nullptr;
}

bool isLoadOfPlace(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() && call.getNumArgs() == 1 &&
         llvm::is_contained({"__ldg", "__ldcg", "__ldca", "__ldcs"}, callee->getName());
}

class UseFinder {
public:
  UseFinder(const PlaceReader &reader, CodeUses &uses) : reader_(reader), uses_(uses) {}

  void visit(const clang::Stmt *code) {
    if (!code || llvm::isa<clang::PseudoObjectExpr, clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr>(code))
      return;
    if (const auto *expression = llvm::dyn_cast<Expr>(code))
      return visitExpression(expression);
    if (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt>(code)) {
      visitChildren(code);
      uses_.leaves = left_ = true;
      return;
    }
    if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(code)) {
      left_ = true;
      return;
    }
    if (llvm::isa<clang::GCCAsmStmt>(code)) {
      uses_.others.push_back(code);
      return visitChildren(code);
    }
    visitControl(code);
  }
  bool mayLeave() const { return left_; }

private:
  void visitControl(const clang::Stmt *code) {
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(code)) {
      visit(branch->getInit());
      visit(branch->getConditionVariableDeclStmt());
      visit(branch->getCond());
      maybe([&] {
        visit(branch->getThen());
        visit(branch->getElse());
      });
    } else if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(code)) {
      visit(loop->getInit());
      repeated([&] {
        visit(loop->getCond());
        maybe([&] {
          visit(loop->getBody());
          visit(loop->getInc());
        });
      });
    } else if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(code)) {
      repeated([&] {
        visit(loop->getCond());
        maybe([&] { visit(loop->getBody()); });
      });
    } else if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(code)) {
      repeated([&] {
        visit(loop->getBody());
        visit(loop->getCond());
      });
    } else if (llvm::isa<clang::SwitchStmt, clang::CXXForRangeStmt>(code)) {
      repeated([&] { maybe([&] { visitChildren(code); }); });
    } else if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(code)) {
      for (const clang::Decl *declared : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<VarDecl>(declared); variable && variable->getInit())
          visitInitialiser(*variable);
    } else {
      visitChildren(code);
    }
  }

  void visitInitialiser(const VarDecl &variable) {
    const Expr *place = placeIn(variable.getInit());
    bool alias = variable.getType()->isReferenceType() && place;
    if (!alias)
      return visit(variable.getInit());
    bool readOnly = variable.getType().getNonReferenceType().isConstQualified();
    add(place, readOnly ? PlaceUse::Kind::Read : PlaceUse::Kind::Escape);
  }

  void visitExpression(const Expr *expression) {
    if (const auto *cast = llvm::dyn_cast<clang::CastExpr>(expression))
      return visitCast(*cast);
    if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression))
      return visitBinary(*binary);
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression))
      return visitUnary(*unary);
    if (const auto *choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(expression)) {
      visit(choice->getCond());
      return maybe([&] {
        visit(choice->getTrueExpr());
        visit(choice->getFalseExpr());
      });
    }
    if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(expression)) {
      for (unsigned i = 0; i < construct->getNumArgs(); ++i)
        visitArgument(construct->getArg(i), i < construct->getConstructor()->getNumParams()
                                                ? construct->getConstructor()->getParamDecl(i)
                                                : nullptr);
      return;
    }
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(expression))
      return visitCall(*call);
    if (const Expr *place = placeIn(expression); place && place == expression)
      return visitPlaceParts(place); // evaluated for nothing
    visitChildren(expression);
  }

  void visitCast(const clang::CastExpr &cast) {
    const Expr *place = placeIn(cast.getSubExpr());
    if (place && cast.getCastKind() == clang::CK_LValueToRValue)
      return add(place, PlaceUse::Kind::Read);
    if (place && cast.getCastKind() == clang::CK_ArrayToPointerDecay)
      return add(place, PlaceUse::Kind::Escape);
    visit(cast.getSubExpr());
  }

  void visitBinary(const clang::BinaryOperator &binary) {
    if (binary.isAssignmentOp()) {
      visit(binary.getRHS());
      if (const Expr *place = placeIn(binary.getLHS()))
        return add(place, binary.isCompoundAssignmentOp() ? PlaceUse::Kind::Update : PlaceUse::Kind::Write);
      return visit(binary.getLHS());
    }
    visit(binary.getLHS());
    if (binary.isLogicalOp())
      return maybe([&] { visit(binary.getRHS()); });
    visit(binary.getRHS());
  }

  void visitUnary(const clang::UnaryOperator &unary) {
    const Expr *place = placeIn(unary.getSubExpr());
    if (place && unary.isIncrementDecrementOp())
      return add(place, PlaceUse::Kind::Update);
    if (place && unary.getOpcode() == clang::UO_AddrOf)
      return add(place, PlaceUse::Kind::Escape);
    visit(unary.getSubExpr());
  }

  void visitArgument(const Expr *argument, const clang::ParmVarDecl *parameter) {
    const Expr *place = argument->isGLValue() ? placeIn(argument) : nullptr;
    if (!place)
      return visit(argument);
    bool readOnly = parameter && parameter->getType()->isReferenceType() &&
                    parameter->getType().getNonReferenceType().isConstQualified();
    add(place, readOnly ? PlaceUse::Kind::Read : PlaceUse::Kind::Escape);
  }

  void visitCall(const clang::CallExpr &call) {
    if (isLoadOfPlace(call)) {
      const auto *address = llvm::dyn_cast<clang::UnaryOperator>(call.getArg(0)->IgnoreParenImpCasts());
      const Expr *place =
          address && address->getOpcode() == clang::UO_AddrOf ? placeIn(address->getSubExpr()) : nullptr;
      if (place)
        return add(place, PlaceUse::Kind::Read, &call);
      visit(call.getArg(0));
      return add(&call, PlaceUse::Kind::Read); // `__ldg(p + i)`: the call is how the place is written
    }
    const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(&call);
    if (operation && operation->isAssignmentOp() && operation->getNumArgs() == 2) {
      // A struct is read through the reference that its operator takes.
      const clang::FunctionDecl *assign = call.getDirectCallee();
      visitArgument(operation->getArg(1), assign && assign->getNumParams() != 0
                                              ? assign->getParamDecl(assign->getNumParams() - 1)
                                              : nullptr);
      const Expr *place = placeIn(operation->getArg(0));
      bool plain = operation->getOperator() == clang::OO_Equal;
      if (place)
        return add(place, plain ? PlaceUse::Kind::Write : PlaceUse::Kind::Update);
      return visit(operation->getArg(0));
    }
    const clang::FunctionDecl *callee = call.getDirectCallee();
    unsigned offset = operation && llvm::isa_and_nonnull<clang::CXXMethodDecl>(callee) ? 1 : 0;
    for (unsigned i = 0; i < call.getNumArgs(); ++i)
      visitArgument(call.getArg(i), callee && i >= offset && i - offset < callee->getNumParams()
                                        ? callee->getParamDecl(i - offset)
                                        : nullptr);
    if (const auto *member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call))
      visitArgument(member->getImplicitObjectArgument(), nullptr);
    if (!isPureCall(call))
      uses_.others.push_back(&call);
  }

  void add(const Expr *place, PlaceUse::Kind kind, const Expr *spelled = nullptr) {
    visitPlaceParts(place);
    PlaceUse use;
    use.place = place;
    use.spelled = spelled ? spelled : place;
    const auto *call = llvm::dyn_cast<clang::CallExpr>(place);
    use.root = reader_.rootOf(call ? *call->getArg(0) : *place);
    use.kind = kind;
    use.sure = doubts_ == 0 && !left_;
    use.inLoop = loops_ != 0;
    use.isVolatile = place->getType().isVolatileQualified();
    uses_.places.push_back(std::move(use));
  }

  /// The index and the pointer are evaluated, too.
  void visitPlaceParts(const Expr *place) {
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
      const Expr *base = subscript->getBase()->IgnoreParens();
      const auto *decay = llvm::dyn_cast<clang::ImplicitCastExpr>(base);
      if (decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay) {
        if (const Expr *array = placeIn(decay->getSubExpr()))
          visitPlaceParts(array);
      } else {
        visit(base);
      }
      return visit(subscript->getIdx());
    }
    if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(place))
      return visit(unary->getSubExpr());
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(place)) {
      if (member->isArrow())
        return visit(member->getBase());
      if (const Expr *base = placeIn(member->getBase()))
        return visitPlaceParts(base);
      return visit(member->getBase());
    }
  }

  void visitChildren(const clang::Stmt *code) {
    for (const clang::Stmt *child : code->children())
      visit(child);
  }
  template <typename Body> void maybe(Body body) {
    ++doubts_;
    body();
    --doubts_;
  }
  template <typename Body> void repeated(Body body) {
    bool before = left_, leaves = std::exchange(uses_.leaves, false);
    ++loops_;
    body();
    --loops_;
    // What a break or a continue skips ends with the loop; what a return skips does not.
    left_ = before || uses_.leaves;
    uses_.leaves |= leaves;
  }

  const PlaceReader &reader_;
  CodeUses &uses_;
  unsigned doubts_ = 0, loops_ = 0;
  bool left_ = false;
};

class AssignmentFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit AssignmentFinder(llvm::DenseSet<const VarDecl *> &assigned) : assigned_(assigned) {}
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    if (binary->getOpcode() == clang::BO_Assign)
      if (const VarDecl *variable = namedVariable(binary->getLHS()))
        assigned_.insert(variable);
    return true;
  }

private:
  llvm::DenseSet<const VarDecl *> &assigned_;
};

class MentionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const VarDecl *> variables;
  MentionFinder() { ShouldVisitImplicitCode = true; }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
    if (variable && !llvm::is_contained(variables, variable))
      variables.push_back(variable);
    return true;
  }
};

} // namespace

bool MemoryRoot::isParameter() const {
  return variable && member.empty() && llvm::isa<clang::ParmVarDecl>(variable) &&
         variable->getType()->isPointerType();
}

bool MemoryRoot::isOnChip() const {
  return variable && member.empty() && !llvm::isa<clang::ParmVarDecl>(variable) &&
         (variable->hasAttr<clang::CUDASharedAttr>() ||
          (variable->isLocalVarDecl() && !variable->isStaticLocal() &&
           !variable->getType()->isPointerType() && !variable->getType()->isReferenceType()));
}

std::string MemoryRoot::name() const {
  if (!variable)
    return {};
  return variable->getNameAsString() + (member.empty() ? "" : "." + member);
}

bool CodeUses::acts() const {
  return !others.empty() || leaves || llvm::any_of(places, [](const PlaceUse &use) {
    bool own = use.root.isOnChip() && !use.root.variable->hasAttr<clang::CUDASharedAttr>();
    return use.isVolatile || (use.writes() && !own);
  });
}

PlaceReader::PlaceReader(const clang::FunctionDecl &function) : changes_(*function.getBody()) {
  AssignmentFinder(assigned_).TraverseStmt(function.getBody());
}

CodeUses PlaceReader::usesOf(const clang::Stmt &code) const {
  CodeUses uses;
  UseFinder finder(*this, uses);
  finder.visit(&code);
  uses.mayLeave = finder.mayLeave();
  return uses;
}

MemoryRoot PlaceReader::rootOf(const Expr &pointerOrPlace) const {
  return rootOf(pointerOrPlace, 0);
}

MemoryRoot PlaceReader::rootOf(const Expr &given, unsigned depth) const {
  const Expr *expression = given.IgnoreParenCasts();
  if (depth > deepestPointer)
    return {};
  auto inner = [&](const Expr *next) { return rootOf(*next, depth + 1); };
  if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression))
    return inner(subscript->getBase());
  if (const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    bool follows = unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_AddrOf ||
                   unary->isIncrementDecrementOp();
    return follows ? inner(unary->getSubExpr()) : MemoryRoot();
  }
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (!binary->isAdditiveOp())
      return {};
    bool left = binary->getLHS()->getType()->isPointerType() || binary->getLHS()->getType()->isArrayType();
    return inner(left ? binary->getLHS() : binary->getRHS());
  }
  if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(expression)) {
    // A pointer that was loaded may point anywhere; an array, or a number, lies in what holds it.
    bool pointer = member->getType()->isPointerType();
    if (!pointer)
      return inner(member->getBase());
    const VarDecl *holder = member->isArrow() ? nullptr : namedVariable(member->getBase());
    bool byValue = holder && llvm::isa<clang::ParmVarDecl>(holder) && !holder->getType()->isReferenceType() &&
                   changes_.isConstant(holder);
    return byValue ? MemoryRoot{holder, member->getMemberDecl()->getNameAsString()} : MemoryRoot();
  }
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
  const auto *variable = reference ? llvm::dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable || changes_.isExposed(variable))
    return variable && !variable->getType()->isPointerType() && !variable->getType()->isReferenceType()
               ? MemoryRoot{variable, {}}
               : MemoryRoot();
  bool leads = variable->getType()->isPointerType() || variable->getType()->isReferenceType();
  if (!leads)
    return {variable, {}};
  if (assigned_.contains(variable) && variable->getType()->isPointerType())
    return {};
  if (llvm::isa<clang::ParmVarDecl>(variable))
    return variable->getType()->isPointerType() ? MemoryRoot{variable, {}} : MemoryRoot();
  return variable->isLocalVarDecl() && !variable->isStaticLocal() && variable->getInit()
             ? inner(variable->getInit())
             : MemoryRoot();
}

bool mayOverlap(const MemoryRoot &left, const MemoryRoot &right, const Annotation &annotation,
                std::vector<std::string> &assumptions) {
  if (!left.known() || !right.known() || left == right)
    return true;
  if (left.isOnChip() || right.isOnChip()) {
    // All arrays of the launch's dynamic shared memory begin at one place.
    return left.isOnChip() && right.isOnChip() && left.variable->hasExternalStorage() &&
           right.variable->hasExternalStorage();
  }
  auto restricted = [](const MemoryRoot &root) {
    return root.isParameter() && root.variable->getType().isRestrictQualified();
  };
  if (restricted(left) || restricted(right))
    return false;
  bool buffers =
      llvm::isa<clang::ParmVarDecl>(left.variable) && llvm::isa<clang::ParmVarDecl>(right.variable);
  if (!buffers || !annotation.areDistinct(left.name(), right.name()))
    return true;
  std::string first = std::min(left.name(), right.name()), second = std::max(left.name(), right.name());
  std::string assumption =
      "buffers '" + first + "' and '" + second + "' do not overlap: both are annotated with extents";
  if (!llvm::is_contained(assumptions, assumption))
    assumptions.push_back(std::move(assumption));
  return false;
}

bool areAlike(const Expr *left, const Expr *right, const clang::ASTContext &ast) {
  llvm::FoldingSetNodeID one, other;
  left->IgnoreParenImpCasts()->Profile(one, ast, /*Canonical=*/true);
  right->IgnoreParenImpCasts()->Profile(other, ast, /*Canonical=*/true);
  return one == other;
}

std::vector<const VarDecl *> variablesIn(const clang::Stmt *code) {
  MentionFinder finder;
  finder.TraverseStmt(code);
  return std::move(finder.variables);
}

} // namespace warpwright
