#include "rewriters/transposes/PointBody.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>

namespace warpwright {
namespace {

using clang::BinaryOperator;
using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

constexpr unsigned deepest = 16;

/// Whether calling it with an address reads what lies there.
bool isHintedLoad(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() && call.getNumArgs() == 1 &&
         callee->getName().starts_with("__ld") && callee->getName() != "__ldlu";
}

class Reader {
public:
  Reader(const RewriteContext &context, PointSpace &space, std::string &whyNot)
      : ast_(context.unit.ast()), kernel_(*context.analysis.kernel.declaration),
        facts_(context.analysis.facts), space_(space), whyNot_(whyNot) {}

  std::optional<PointBody> read() {
    if (!facts_.synchronisations.empty())
      return fail("its threads work together by '" + facts_.synchronisations.front().operation + "'");
    if (!facts_.sharedVariables.empty())
      return fail("its block shares memory already");
    for (const MemoryAccess &access : facts_.accesses)
      if (access.isVolatile || access.kind == AccessKind::Atomic)
        return fail("it holds atomics or volatile accesses");
    const auto *body = llvm::dyn_cast<clang::CompoundStmt>(kernel_.getBody());
    if (!body || !readAll(*body))
      return std::nullopt;
    if (body_.stores.empty())
      return fail("it stores nothing that is followed");
    return std::move(body_);
  }

private:
  std::nullopt_t fail(std::string why) {
    if (whyNot_.empty())
      whyNot_ = std::move(why);
    return std::nullopt;
  }
  bool failAt(const Stmt &statement, const std::string &why) {
    fail("what it does at line " +
         std::to_string(placeOf(statement.getBeginLoc(), ast_.getSourceManager()).line) + why);
    return false;
  }

  bool readAll(const clang::CompoundStmt &block) {
    for (const Stmt *statement : block.body()) {
      Next next = readNext(*statement, statement == block.body_back());
      if (next != Next::GoOn)
        return next == Next::Done;
    }
    return true;
  }

  enum class Next { GoOn, Done, Failed };
  Next readNext(const Stmt &next, bool isLast) {
    const Stmt *statement = &next;
    auto done = [](bool isRead) { return isRead ? Next::Done : Next::Failed; };
    auto goOn = [](bool isRead) { return isRead ? Next::GoOn : Next::Failed; };
    if (const auto *inner = llvm::dyn_cast<clang::CompoundStmt>(statement); inner && isLast)
      return done(readAll(*inner));
    if (space_.loop() && statement == space_.loop()->statement)
      return done(readLoop(*space_.loop()->statement, isLast));
    const auto *branch = llvm::dyn_cast<clang::IfStmt>(statement);
    bool isPlain = branch && !branch->getElse() && !branch->getInit() && !branch->getConditionVariable() &&
                   !branch->isConstexpr();
    if (isPlain && leaves(branch->getThen()))
      return goOn(readCondition(*branch, PointItem::Kind::Leave));
    if (isPlain && isLast && storesIn(*branch))
      return done(readCondition(*branch, PointItem::Kind::Enter) && readBranch(*branch->getThen()));
    if (isLast && llvm::isa<clang::ReturnStmt>(statement))
      return Next::Done;
    return goOn(readStatement(*statement));
  }

  /// Each turn is a point: none may know of another.
  bool readLoop(const clang::ForStmt &loop, bool isLast) {
    if (!isLast)
      return failAt(loop, " is a loop, and something follows it");
    struct Declared : clang::ConstDynamicRecursiveASTVisitor {
      llvm::DenseSet<const VarDecl *> found;
      bool VisitVarDecl(const VarDecl *variable) override { return found.insert(variable), true; }
    } declared;
    declared.TraverseStmt(loop.getBody());
    VariableChanges changes(*loop.getBody());
    for (const VarDecl *variable : changes.changed())
      if (!declared.found.contains(variable))
        return failAt(loop, " is a loop whose turns hand on '" + variable->getNameAsString() + "'");
    inLoop_ = true;
    return readBranch(*loop.getBody());
  }

  bool leaves(const Stmt *statement) const {
    if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
      statement = compound->size() == 1 ? compound->body_front() : nullptr;
    // A turn of the loop over the grid that is left is not the last.
    bool mayReturn = !inLoop_;
    return statement && ((mayReturn && llvm::isa<clang::ReturnStmt>(statement)) ||
                         (inLoop_ && llvm::isa<clang::ContinueStmt>(statement)));
  }

  bool readBranch(const Stmt &branch) { return readNext(branch, /*isLast=*/true) != Next::Failed; }

  bool storesIn(const Stmt &statement) { return !effectsOf(statement).stores.empty(); }

  bool readCondition(const clang::IfStmt &branch, PointItem::Kind kind) {
    Effects effects = effectsOf(*branch.getCond());
    if (effects.seenByOthers() || !effects.variables.empty())
      return failAt(branch, " is a condition with an effect");
    size_t before = body_.loads.size();
    bool sawBefore = std::exchange(sawOtherMemory_, false);
    findLoads(branch.getCond(), /*isAlways=*/false);
    if (body_.loads.size() != before || sawOtherMemory_)
      return failAt(branch, " depends on memory");
    sawOtherMemory_ = sawBefore;
    body_.items.push_back({kind, &branch, 0});
    return true;
  }

  bool readStatement(const Stmt &statement) {
    if (const auto *expression = llvm::dyn_cast<Expr>(&statement))
      if (readStore(*expression))
        return true;
    Effects effects = effectsOf(statement);
    if (effects.seenByOthers() || effects.leaves)
      return failAt(statement, " is seen by others, or leaves the kernel");
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement))
      for (const clang::Decl *one : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<VarDecl>(one); !variable || variable->isStaticLocal())
          return failAt(statement, " is not followed");
    findLoads(&statement, llvm::isa<clang::DeclStmt, Expr>(statement));
    body_.items.push_back({PointItem::Kind::Code, &statement, 0});
    return true;
  }

  bool readStore(const Expr &statement) {
    const Expr *inner = statement.IgnoreParens();
    if (const auto *cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(inner))
      inner = cleanups->getSubExpr()->IgnoreParens();
    PointStore store;
    const Expr *target = nullptr;
    if (const auto *binary = llvm::dyn_cast<BinaryOperator>(inner); binary && binary->isAssignmentOp()) {
      target = binary->getLHS();
      store.value = binary->getRHS();
      store.operation = binary->getOpcodeStr().str();
    } else if (const auto *call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(inner);
               call && call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2) {
      target = call->getArg(0);
      store.value = call->getArg(1);
      store.operation = "=";
    }
    if (!target || localOf(target))
      return false;
    std::optional<PointAccess> access = accessOf(*target);
    if (!access || !effectsOf(*store.value).stores.empty() || !effectsOf(*store.value).calls.empty() ||
        !effectsOf(*store.value).variables.empty())
      return false;
    store.statement = &statement;
    store.target = *access;
    findLoads(store.value, /*isAlways=*/true);
    body_.items.push_back({PointItem::Kind::Store, &statement, static_cast<unsigned>(body_.stores.size())});
    body_.stores.push_back(std::move(store));
    return true;
  }

  /// Every element that is read, in a statement or an expression.
  void findLoads(const Stmt *statement, bool isAlways) {
    if (!statement)
      return;
    if (const auto *call = llvm::dyn_cast<clang::CallExpr>(statement); call && isHintedLoad(*call)) {
      const auto *address = llvm::dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenImpCasts());
      const Expr *element = address && address->getOpcode() == clang::UO_AddrOf
                                ? address->getSubExpr()->IgnoreParens()
                                : nullptr;
      if (std::optional<PointAccess> access = element ? accessOf(*element) : std::nullopt) {
        access->expression = call;
        access->isAlways = isAlways;
        body_.loads.push_back(std::move(*access));
        return;
      }
      sawOtherMemory_ = true;
    }
    const auto *expression = llvm::dyn_cast<Expr>(statement);
    bool isElement = expression &&
                     (llvm::isa<clang::ArraySubscriptExpr>(expression) || isDereference(*expression)) &&
                     !expression->getType()->isArrayType();
    if (isElement && !localOf(expression)) {
      std::optional<PointAccess> access = accessOf(*expression);
      if (access) {
        access->isAlways = isAlways;
        body_.loads.push_back(std::move(*access));
      } else {
        sawOtherMemory_ = true;
      }
    }
    if (const auto *member = llvm::dyn_cast<clang::MemberExpr>(statement); member && member->isArrow())
      sawOtherMemory_ = true;
    bool branches = llvm::isa<clang::AbstractConditionalOperator, clang::IfStmt, clang::ForStmt,
                              clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(statement);
    if (const auto *binary = llvm::dyn_cast<BinaryOperator>(statement))
      branches |= binary->isLogicalOp();
    if (const auto *pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(statement); pseudo)
      return;
    for (const Stmt *child : statement->children())
      findLoads(child, isAlways && !branches);
  }

  static bool isDereference(const Expr &expression) {
    const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(&expression);
    return unary && unary->getOpcode() == clang::UO_Deref;
  }

  /// Where a pointer leads, in elements behind a parameter.
  struct Pointer {
    const VarDecl *parameter = nullptr;
    std::optional<Expression> index;
  };
  std::optional<Pointer> pointerOf(const Expr &expression, unsigned depth = 0) {
    const Expr *inner = expression.IgnoreParenImpCasts();
    if (depth > deepest || !inner->getType()->isPointerType())
      return std::nullopt;
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(inner)) {
      const auto *variable = llvm::dyn_cast<VarDecl>(reference->getDecl());
      if (llvm::isa_and_nonnull<clang::ParmVarDecl>(variable))
        return space_.isUnchanged(*variable) ? std::optional(Pointer{variable, Expression()}) : std::nullopt;
      const Expr *value = variable ? space_.valueOf(*variable) : nullptr;
      return value ? pointerOf(*value, depth + 1) : std::nullopt;
    }
    if (const auto *address = llvm::dyn_cast<clang::UnaryOperator>(inner);
        address && address->getOpcode() == clang::UO_AddrOf)
      return elementOf(*address->getSubExpr(), depth + 1);
    const auto *binary = llvm::dyn_cast<BinaryOperator>(inner);
    if (!binary || (binary->getOpcode() != clang::BO_Add && binary->getOpcode() != clang::BO_Sub))
      return std::nullopt;
    bool isLeft = binary->getLHS()->getType()->isPointerType();
    const Expr &offset = isLeft ? *binary->getRHS() : *binary->getLHS();
    std::optional<Pointer> base = pointerOf(isLeft ? *binary->getLHS() : *binary->getRHS(), depth + 1);
    if (!base || !offset.getType()->isIntegerType())
      return std::nullopt;
    std::optional<Expression> moved = base->index ? space_.read(offset) : std::nullopt;
    if (moved)
      base->index = binary->getOpcode() == clang::BO_Add ? *base->index + *moved : *base->index - *moved;
    else
      base->index.reset();
    return base;
  }

  std::optional<Pointer> elementOf(const Expr &lvalue, unsigned depth) {
    const Expr *inner = lvalue.IgnoreParens();
    if (isDereference(*inner))
      return pointerOf(*llvm::cast<clang::UnaryOperator>(inner)->getSubExpr(), depth);
    const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(inner);
    if (!subscript)
      return std::nullopt;
    std::optional<Pointer> base = pointerOf(*subscript->getBase(), depth);
    if (!base)
      return std::nullopt;
    std::optional<Expression> index = base->index ? space_.read(*subscript->getIdx()) : std::nullopt;
    base->index = index ? std::optional(*base->index + *index) : std::nullopt;
    return base;
  }

  std::optional<PointAccess> accessOf(const Expr &lvalue) {
    std::optional<Pointer> pointer = elementOf(lvalue, 0);
    if (!pointer)
      return std::nullopt;
    // Elements of another size than the parameter's are counted otherwise.
    clang::QualType declared = pointer->parameter->getType()->getPointeeType();
    if (declared.isNull() || !ast_.hasSameUnqualifiedType(declared, lvalue.getType()))
      return std::nullopt;
    return PointAccess{&lvalue, pointer->parameter, declared.getUnqualifiedType(), pointer->index, false};
  }

  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  const KernelFacts &facts_;
  PointSpace &space_;
  std::string &whyNot_;
  PointBody body_;
  bool sawOtherMemory_ = false;
  bool inLoop_ = false;
};

} // namespace

std::optional<PointBody> readPointBody(const RewriteContext &context, PointSpace &space,
                                       std::string &whyNot) {
  return Reader(context, space, whyNot).read();
}

} // namespace warpwright
