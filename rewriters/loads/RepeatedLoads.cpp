#include "rewriters/loads/RepeatedLoads.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

/// A number, or a small vector of numbers: what fits a variable.
bool isValue(clang::QualType type, const clang::ASTContext &ast) {
  type = type.getCanonicalType();
  if (type->isArithmeticType() || type->isEnumeralType())
    return true;
  constexpr uint64_t widestBits = 128;
  return type->isRecordType() && type.isTriviallyCopyableType(ast) && ast.getTypeSize(type) <= widestBits;
}

class RepeatSearch {
public:
  RepeatSearch(const clang::ASTContext &ast, const PlaceReader &reader, const RepeatedLoadRules &rules)
      : ast_(ast), reader_(reader), rules_(rules) {}

  std::vector<RepeatedLoad> found;

  void scan(const Stmt *code) {
    if (!code || llvm::isa<clang::LambdaExpr>(code))
      return;
    if (const auto *scope = llvm::dyn_cast<clang::CompoundStmt>(code))
      scanScope(*scope);
    for (const Stmt *child : code->children())
      scan(child);
  }

private:
  struct Load {
    size_t at = 0; ///< statement of the scope
    PlaceUse use;
  };
  struct Scope {
    const clang::CompoundStmt *code = nullptr;
    std::vector<const Stmt *> statements;
    std::vector<CodeUses> uses;
    std::vector<VariableChanges> changes;
  };

  void scanScope(const clang::CompoundStmt &code) {
    // A label or a case would jump over the variable.
    if (llvm::any_of(code.body(),
                     [](const Stmt *child) { return llvm::isa<clang::SwitchCase, clang::LabelStmt>(child); }))
      return;
    Scope scope;
    scope.code = &code;
    std::vector<std::vector<Load>> groups;
    for (const Stmt *statement : code.body()) {
      scope.statements.push_back(statement);
      scope.uses.push_back(reader_.usesOf(*statement));
      scope.changes.emplace_back(*statement);
      for (const PlaceUse &use : scope.uses.back().places) {
        if (use.kind != PlaceUse::Kind::Read || !isEligible(use))
          continue;
        auto group = llvm::find_if(groups, [&](const std::vector<Load> &loads) {
          return areAlike(loads.front().use.place, use.place, ast_);
        });
        if (group == groups.end())
          group = groups.emplace(groups.end());
        group->push_back({scope.statements.size() - 1, use});
      }
    }
    // Larger places first: an element whose index is loaded, too, takes its index along.
    for (const std::vector<Load> &loads : groups)
      consider(scope, loads);
  }

  bool isEligible(const PlaceUse &use) const {
    clang::SourceRange range = use.spelled->getSourceRange();
    return !use.isVolatile && isValue(use.place->getType(), ast_) && !range.getBegin().isMacroID() &&
           !range.getEnd().isMacroID() && !llvm::isa<clang::DeclRefExpr>(use.place) && isFixedPlace(use);
  }

  /// Nothing that the place depends on is memory that may change, and evaluating it does nothing.
  bool isFixedPlace(const PlaceUse &use) const {
    if (!rules_.isFixed(use))
      return false;
    CodeUses parts = reader_.usesOf(*use.place);
    VariableChanges changes(*use.place);
    return parts.others.empty() && changes.changed().empty() &&
           llvm::all_of(parts.places, [&](const PlaceUse &part) {
             return part.kind == PlaceUse::Kind::Read && rules_.isFixed(part);
           });
  }

  bool isTaken(const Expr *load) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return llvm::any_of(taken_, [&](const Expr *other) {
      return other == load ||
             sources.isPointWithin(load->getBeginLoc(), other->getBeginLoc(), other->getEndLoc());
    });
  }

  void consider(const Scope &scope, llvm::ArrayRef<Load> loads) {
    for (size_t first = 0; first < loads.size();) {
      size_t at = loads[first].at;
      size_t last = first + 1;
      if (isTaken(loads[first].use.spelled) || !isKnownAt(loads[first].use, scope, at) ||
          changesIn(scope, at, loads[first].use)) {
        first = last;
        continue;
      }
      size_t end = at; // the last statement that leaves the place what it is
      while (end + 1 < scope.statements.size() && !changesIn(scope, end + 1, loads[first].use))
        ++end;
      while (last < loads.size() && loads[last].at <= end)
        ++last;
      propose(scope, loads.slice(first, last - first));
      first = last;
    }
  }

  /// All variables of the place are there before the statement.
  bool isKnownAt(const PlaceUse &use, const Scope &scope, size_t at) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return llvm::all_of(variablesIn(use.place), [&](const VarDecl *variable) {
      return !variable->isLocalVarDeclOrParm() ||
             (!reader_.changes().isExposed(variable) &&
              sources.isBeforeInTranslationUnit(variable->getLocation(),
                                                scope.statements[at]->getBeginLoc()));
    });
  }

  bool changesIn(const Scope &scope, size_t at, const PlaceUse &use) const {
    return llvm::any_of(variablesIn(use.place),
                        [&](const VarDecl *variable) { return scope.changes[at].isChanged(variable); });
  }

  void propose(const Scope &scope, llvm::ArrayRef<Load> loads) {
    RepeatedLoad result;
    result.scope = scope.code;
    result.before = scope.statements[loads.front().at];
    result.place = loads.front().use.place;
    bool isSure = runsAnyway(scope, loads);
    if (!isSure) {
      // Under the loop's condition, only what the loop itself loads.
      loads = loads.take_while([&](const Load &load) { return load.at == loads.front().at; });
      result.guardLoop = loopThatLoads(*result.before, loads.front().use);
      if (!result.guardLoop)
        return;
    }
    for (const Load &load : loads) {
      if (isTaken(load.use.spelled))
        continue;
      result.loads.push_back(load.use.spelled);
      result.leavesLoop |= load.use.inLoop && isKept(scope, load.at, load.at);
    }
    bool repeats = result.loads.size() >= 2 && isKept(scope, loads.front().at, loads.back().at);
    if (result.loads.empty() || !(repeats || result.leavesLoop))
      return;
    result.variable = isSure ? variableThatHolds(*result.before, loads.front().use) : nullptr;
    if (result.variable)
      result.loads.erase(result.loads.begin());
    if (result.loads.empty())
      return;
    llvm::append_range(taken_, result.loads);
    found.push_back(std::move(result));
  }

  /// Whether one of the loads runs whenever the first statement is reached.
  static bool runsAnyway(const Scope &scope, llvm::ArrayRef<Load> loads) {
    for (const Load &load : loads) {
      bool reached = true;
      for (size_t i = loads.front().at; i < load.at; ++i)
        reached &= !scope.uses[i].mayLeave;
      if (reached && load.use.sure)
        return true;
    }
    return false;
  }

  /// Something between makes the compiler load again.
  bool isKept(const Scope &scope, size_t first, size_t last) const {
    for (size_t i = first; i <= last; ++i)
      if (!scope.uses[i].others.empty() ||
          llvm::any_of(scope.uses[i].places, [&](const PlaceUse &use) { return rules_.isObstacle(use); }))
        return true;
    return false;
  }

  /// The statement, where it is a loop each of whose iterations loads the place.
  const Stmt *loopThatLoads(const Stmt &statement, const PlaceUse &load) const {
    const Stmt *body = nullptr;
    if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement))
      body = loop->getCond() && !loop->getConditionVariable() ? loop->getBody() : nullptr;
    if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(&statement))
      body = loop->getConditionVariable() ? nullptr : loop->getBody();
    if (!body)
      return nullptr;
    for (const PlaceUse &use : reader_.usesOf(*body).places)
      if (use.sure && use.kind == PlaceUse::Kind::Read && areAlike(use.place, load.place, ast_))
        return &statement;
    return nullptr;
  }

  /// `float v = x[i];` with a `v` that keeps it.
  const VarDecl *variableThatHolds(const Stmt &statement, const PlaceUse &load) const {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
    const auto *variable = declaration && declaration->isSingleDecl()
                               ? llvm::dyn_cast<VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    bool holds = variable && variable->getInit() && variable->isLocalVarDecl() &&
                 !variable->isStaticLocal() && reader_.changes().isConstant(variable) &&
                 variable->getInit()->IgnoreParenImpCasts() == load.spelled &&
                 ast_.hasSameUnqualifiedType(variable->getType(), load.place->getType());
    return holds ? variable : nullptr;
  }

  const clang::ASTContext &ast_;
  const PlaceReader &reader_;
  const RepeatedLoadRules &rules_;
  std::vector<const Expr *> taken_;
};

} // namespace

std::vector<RepeatedLoad> findRepeatedLoads(const clang::FunctionDecl &function, const clang::ASTContext &ast,
                                            const PlaceReader &reader, const RepeatedLoadRules &rules) {
  RepeatSearch search(ast, reader, rules);
  search.scan(function.getBody());
  return std::move(search.found);
}

} // namespace warpwright
