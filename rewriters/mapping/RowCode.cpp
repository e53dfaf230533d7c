#include "rewriters/mapping/RowCode.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/PlaceUses.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace warpwright {
namespace {

/// Writes of a variable in a statement, its own initialiser not among them.
class WriteCounter : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit WriteCounter(const clang::VarDecl *variable) : variable_(variable) {}
  bool VisitBinaryOperator(const clang::BinaryOperator *binary) override {
    count += binary->isAssignmentOp() && localOf(binary->getLHS()) == variable_;
    return true;
  }
  bool VisitCallExpr(const clang::CallExpr *call) override {
    const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call);
    count += operation && operation->isAssignmentOp() && localOf(operation->getArg(0)) == variable_;
    return true;
  }
  bool VisitUnaryOperator(const clang::UnaryOperator *unary) override {
    bool writes = unary->isIncrementDecrementOp() || unary->getOpcode() == clang::UO_AddrOf;
    count += writes && localOf(unary->getSubExpr()) == variable_;
    return true;
  }
  unsigned count = 0;

private:
  const clang::VarDecl *variable_;
};

unsigned writesIn(const clang::Stmt &statement, const clang::VarDecl *variable) {
  WriteCounter counter(variable);
  counter.TraverseStmt(&statement);
  return counter.count;
}

bool equals(const clang::Expr *expression, int64_t wanted, const clang::ASTContext &ast) {
  clang::Expr::EvalResult result;
  if (!expression || expression->isValueDependent() || !expression->EvaluateAsRValue(result, ast))
    return false;
  if (result.Val.isInt())
    return result.Val.getInt() == wanted;
  return result.Val.isFloat() && result.Val.getFloat().isExactlyValue(double(wanted));
}

class Reader {
public:
  Reader(const RewriteContext &context, std::string &whyNot)
      : analysis_(context.analysis), ast_(context.unit.ast()), whyNot_(whyNot) {}

  RowCode read() {
    const clang::Stmt *body = analysis_.kernel.declaration->getBody();
    findRows(*body);
    if (rows_.empty())
      return {};
    walk(*body, /*isRepeated=*/false, Position::InBlock);
    if (whyNot_.empty())
      checkMemory();
    return whyNot_.empty() ? std::move(code_) : RowCode();
  }

private:
  /// The loops along which a thread of its own walks memory element by element, outermost first.
  void findRows(const clang::Stmt &body) {
    class Loops : public clang::ConstDynamicRecursiveASTVisitor {
    public:
      bool VisitForStmt(const clang::ForStmt *loop) override {
        found.push_back(loop);
        return true;
      }
      std::vector<const clang::ForStmt *> found;
    } loops;
    loops.TraverseStmt(&body);
    for (const clang::ForStmt *loop : loops.found)
      if (std::vector<unsigned> ids = factsOf(*loop);
          llvm::any_of(ids, [&](unsigned id) { return walksRow(id); }))
        rows_.push_back(loop);
  }

  /// The loops of the device code that come from that statement.
  std::vector<unsigned> factsOf(const clang::ForStmt &loop) const {
    Place place = placeOf(loop.getBeginLoc(), ast_.getSourceManager());
    std::vector<unsigned> ids;
    for (const LoopFacts &facts : analysis_.facts.loops)
      if (facts.place.place.line == place.line && facts.place.inlinedAt.empty() &&
          (facts.place.place.column == place.column || facts.place.place.column == 0))
        ids.push_back(facts.id);
    return ids;
  }

  bool walksRow(unsigned loop) const {
    return llvm::any_of(analysis_.facts.accesses, [&](const MemoryAccess &access) {
      if (access.space != MemorySpace::Global)
        return false;
      std::optional<int64_t> lane =
          access.laneStride().known() ? access.laneStride().value().asConstant() : 0;
      // What lanes touch side by side needs no help, and what all of them touch is no row of theirs.
      bool isOwnRow =
          access.laneStride().known() && (!lane || static_cast<uint64_t>(std::abs(*lane)) > access.bytes);
      return isOwnRow &&
             llvm::any_of(access.loopCoefficients, [&](const MemoryAccess::LoopCoefficient &along) {
               std::optional<int64_t> bytes =
                   along.bytes.known() ? along.bytes.value().asConstant() : std::nullopt;
               return along.loop == loop && bytes &&
                      static_cast<uint64_t>(std::abs(*bytes)) <= 4 * uint64_t(access.bytes) && *bytes != 0;
             });
    });
  }

  /// Where a statement stands: in a block, or alone under a condition or a loop.
  enum class Position { InBlock, Alone, AloneBeforeElse };

  void walk(const clang::Stmt &statement, bool isRepeated, Position position) {
    if (!whyNot_.empty())
      return;
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
      for (const clang::Stmt *child : compound->body())
        walk(*child, isRepeated, Position::InBlock);
      return;
    }
    if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
      checkPlain(*branch->getCond());
      walk(*branch->getThen(), isRepeated, branch->getElse() ? Position::AloneBeforeElse : Position::Alone);
      if (branch->getElse())
        walk(*branch->getElse(), isRepeated, Position::Alone);
      return;
    }
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      return walkFor(*loop, isRepeated, position == Position::InBlock);
    if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
      checkPlain(*loop->getCond());
      return walk(*loop->getBody(), true, Position::Alone);
    }
    if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(&statement)) {
      checkPlain(*loop->getCond());
      return walk(*loop->getBody(), true, Position::Alone);
    }
    if (llvm::isa<clang::DeclStmt, clang::ReturnStmt, clang::BreakStmt, clang::ContinueStmt, clang::NullStmt>(
            statement))
      return checkPlain(statement);
    if (llvm::isa<clang::Expr>(statement))
      return walkExpression(statement, position == Position::AloneBeforeElse);
    refuse(statement, "holds a statement that is not understood");
  }

  void walkFor(const clang::ForStmt &loop, bool isRepeated, bool standsInBlock) {
    if (!llvm::is_contained(rows_, &loop)) {
      for (const clang::Stmt *part : {loop.getInit(), static_cast<const clang::Stmt *>(loop.getCond()),
                                      static_cast<const clang::Stmt *>(loop.getInc())})
        if (part)
          checkPlain(*part);
      return walk(*loop.getBody(), true, Position::Alone);
    }
    std::string why;
    std::optional<RowLoop> row = readRowLoop(loop, ast_, why);
    if (!row)
      return refuse(loop, "walks a row, but " + why);
    RowCode::SharedLoop shared{*row, standsInBlock, isRepeated, {}};
    for (const RowReduction &reduction : row->reductions) {
      if (reduction.rounds() && !analysis_.annotation->allows(Permission::Reassociate))
        return refuse(loop, "adds up '" + reduction.variable->getNameAsString() +
                                "', whose order allow(reassociate) would have to free");
      if (std::string why = whyNotFrom(reduction, *row); !why.empty())
        return refuse(loop, why);
      shared.startsEmpty.push_back(startsEmpty(reduction, loop));
    }
    if (row->stores && !storesApart(loop))
      return refuse(loop, "was not proved to store to another place in each iteration");
    code_.loops.push_back(std::move(shared));
  }

  /// What a lane that runs no iteration holds must not be taken for something that was found.
  std::string whyNotFrom(const RowReduction &reduction, const RowLoop &row) const {
    const std::string name = "'" + reduction.variable->getNameAsString() + "'";
    auto startsAs = [&](const clang::VarDecl *variable, int64_t wanted) {
      return holdsAtFirst(variable, *row.loop) && equals(variable->getInit(), wanted, ast_);
    };
    if (reduction.logical && !startsAs(reduction.variable, 0) && !startsAs(reduction.variable, 1))
      return "takes " + name + " for true or false, which it need not be before";
    if (!reduction.takesEqual)
      return {};
    const bool isBefore = holdsAtFirst(reduction.place, *row.loop) &&
                          isNoLater(*reduction.place->getInit(), *row.first, row.isDown);
    return isBefore && reduction.lastWins != row.isDown
               ? ""
               : "may find what " + name + " holds before, which cannot be told from finding nothing";
  }

  /// Whether a place comes no later than the loop's first.
  bool isNoLater(const clang::Expr &place, const clang::Expr &first, bool isDown) const {
    const clang::Stmt &body = *analysis_.kernel.declaration->getBody();
    if (areAlike(place.IgnoreParenImpCasts(), first.IgnoreParenImpCasts(), ast_) &&
        llvm::all_of(variablesIn(&first),
                     [&](const clang::VarDecl *variable) { return writesIn(body, variable) == 0; }))
      return true;
    clang::Expr::EvalResult one, other;
    if (place.isValueDependent() || !place.EvaluateAsInt(one, ast_) || !first.EvaluateAsInt(other, ast_))
      return false;
    const int64_t here = one.Val.getInt().getExtValue(), there = other.Val.getInt().getExtValue();
    return isDown ? here >= there : here <= there;
  }

  /// Whether the variable holds its initialiser whenever the loop starts: it stands right before, and nothing
  /// else writes it.
  bool holdsAtFirst(const clang::VarDecl *variable, const clang::ForStmt &loop) const {
    const clang::Stmt &body = *analysis_.kernel.declaration->getBody();
    return variable->getInit() && writesIn(body, variable) == writesIn(loop, variable) &&
           standsBeside(variable, loop, body);
  }

  /// Whether it holds the identity whenever the loop starts.
  bool startsEmpty(const RowReduction &reduction, const clang::ForStmt &loop) const {
    int64_t identity = reduction.kind == RowReduction::Kind::Product ? 1 : 0;
    return holdsAtFirst(reduction.variable, loop) && equals(reduction.variable->getInit(), identity, ast_);
  }

  /// Whether the declaration and the loop are statements of one block, so that one runs as often as the
  /// other.
  static bool standsBeside(const clang::VarDecl *variable, const clang::ForStmt &loop,
                           const clang::Stmt &body) {
    const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&body);
    bool hasLoop = false, hasVariable = false;
    for (const clang::Stmt *child : body.children()) {
      if (!child)
        continue;
      hasLoop |= child == &loop;
      if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(child))
        hasVariable |= llvm::is_contained(declaration->decls(), variable);
      if (standsBeside(variable, loop, *child))
        return true;
    }
    return compound && hasLoop && hasVariable;
  }

  /// By facts: each store of the loop moves by at least its own width in each iteration.
  bool storesApart(const clang::ForStmt &loop) const {
    std::vector<unsigned> ids = factsOf(loop);
    for (const MemoryAccess &access : analysis_.facts.accesses) {
      bool isShared = access.space == MemorySpace::Local || access.kind != AccessKind::Write;
      if (isShared || !within(access, ids))
        continue;
      bool isApart = llvm::any_of(access.loopCoefficients, [&](const MemoryAccess::LoopCoefficient &along) {
        std::optional<int64_t> bytes = along.bytes.known() ? along.bytes.value().asConstant() : std::nullopt;
        return llvm::is_contained(ids, along.loop) && bytes &&
               static_cast<uint64_t>(std::abs(*bytes)) >= access.bytes;
      });
      if (!isApart || access.loopCoefficients.size() > depthOf(ids))
        return false;
    }
    return true;
  }
  size_t depthOf(llvm::ArrayRef<unsigned> ids) const {
    size_t depth = 0;
    for (const LoopFacts &facts : analysis_.facts.loops)
      if (llvm::is_contained(ids, facts.id))
        depth = std::max<size_t>(depth, facts.depth);
    return depth;
  }
  static bool within(const MemoryAccess &access, llvm::ArrayRef<unsigned> loops) {
    return llvm::any_of(access.loopCoefficients, [&](const MemoryAccess::LoopCoefficient &along) {
      return llvm::is_contained(loops, along.loop);
    });
  }

  void walkExpression(const clang::Stmt &expression, bool bracesNeeded) {
    Effects effects = effectsOf(expression);
    if (effects.leaves)
      return refuse(expression, "may leave the kernel");
    if (!effects.seenByOthers())
      return;
    if (!effects.variables.empty())
      return refuse(expression,
                    "both stores and changes '" + effects.variables.front()->getNameAsString() + "'");
    for (const clang::Expr *call : effects.calls)
      if (call != &expression)
        return refuse(expression, "uses what a call with effects returns");
    code_.single.push_back(&expression);
    code_.needsBraces.push_back(bracesNeeded);
  }

  /// All lanes run it, so it may do nothing that others see.
  void checkPlain(const clang::Stmt &statement) {
    if (effectsOf(statement).seenByOthers())
      refuse(statement, "has an effect within a condition or an initialiser");
  }

  /// Lanes must not read what another lane of the row wrote: a buffer that is read and written is touched in
  /// loops that are shared out alone, and there at one place an iteration.
  void checkMemory() {
    std::vector<unsigned> shared;
    for (const RowCode::SharedLoop &loop : code_.loops)
      llvm::append_range(shared, factsOf(*loop.loop));
    for (const MemoryAccess &write : analysis_.facts.accesses) {
      if (write.kind != AccessKind::Write || write.space == MemorySpace::Local)
        continue;
      for (const MemoryAccess &other : analysis_.facts.accesses) {
        if (other.id == write.id || other.kind == AccessKind::Atomic || other.space == MemorySpace::Local ||
            !mayMeet(write, other) || (isSingle(write) && isSingle(other)))
          continue;
        if (!sameEachIteration(write, other, shared)) {
          whyNot_ = "what line " + std::to_string(write.place.place.line) +
                    " stores may be what another lane accesses at line " +
                    std::to_string(other.place.place.line);
          return;
        }
      }
    }
  }

  /// Whether one lane alone makes the access.
  bool isSingle(const MemoryAccess &access) const {
    if (!access.place.inlinedAt.empty() || !access.place.place.known())
      return false;
    const clang::SourceManager &sources = ast_.getSourceManager();
    auto at = std::pair(access.place.place.line, access.place.place.column);
    return llvm::any_of(code_.single, [&](const clang::Stmt *statement) {
      Place begin = placeOf(statement->getBeginLoc(), sources),
            end = placeOf(statement->getEndLoc(), sources);
      return std::pair(begin.line, begin.column) <= at && at <= std::pair(end.line, end.column);
    });
  }

  bool mayMeet(const MemoryAccess &write, const MemoryAccess &other) const {
    if (other.space == MemorySpace::Parameter || other.space == MemorySpace::Constant)
      return false;
    if (!write.object.known() || !other.object.known())
      return true;
    const MemoryObject &one = write.object.value(), &two = other.object.value();
    if (one == two)
      return true;
    bool areParameters =
        one.kind == MemoryObject::Kind::Parameter && two.kind == MemoryObject::Kind::Parameter;
    return !areParameters || !analysis_.annotation->areDistinct(one.name, two.name);
  }

  /// Whether one lane makes both accesses: in loops that are shared out alike, at one place an iteration.
  bool sameEachIteration(const MemoryAccess &one, const MemoryAccess &other,
                         llvm::ArrayRef<unsigned> shared) const {
    if (!one.offset.known() || !other.offset.known() || !one.loop || !other.loop ||
        !llvm::is_contained(shared, *one.loop) || !llvm::is_contained(shared, *other.loop) ||
        one.bytes != other.bytes)
      return false;
    auto symbolOf = [&](unsigned loop) {
      return analysis_.facts.symbols->find(SymbolKind::LoopCounter, loop);
    };
    const Symbol *first = symbolOf(*one.loop), *second = symbolOf(*other.loop);
    if (!first || !second)
      return false;
    return one.offset.value() == other.offset.value().substitute(second, Expression(first));
  }

  void refuse(const clang::Stmt &statement, std::string why) {
    if (whyNot_.empty())
      whyNot_ = "line " + std::to_string(placeOf(statement.getBeginLoc(), ast_.getSourceManager()).line) +
                " " + std::move(why);
  }

  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  std::string &whyNot_;
  std::vector<const clang::ForStmt *> rows_;
  RowCode code_;
};

} // namespace

RowCode readRowCode(const RewriteContext &context, std::string &whyNot) {
  return Reader(context, whyNot).read();
}

} // namespace warpwright
