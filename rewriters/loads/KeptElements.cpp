#include "rewriters/loads/KeptElements.h"

#include "analysis/annotation/Annotation.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Expr;
using clang::Stmt;
using clang::VarDecl;

class ElementSearch {
public:
  ElementSearch(const clang::ASTContext &ast, const PlaceReader &reader, const Annotation &annotation)
      : ast_(ast), reader_(reader), annotation_(annotation) {}

  std::vector<KeptElement> found;

  void scan(const Stmt *code) {
    if (!code || llvm::isa<clang::LambdaExpr>(code))
      return;
    if (const auto *scope = llvm::dyn_cast<clang::CompoundStmt>(code))
      for (size_t i = 0; i < scope->size(); ++i)
        if (const Stmt *child = scope->body_begin()[i];
            llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(child))
          readLoop(*scope, i);
    for (const Stmt *child : code->children())
      scan(child);
  }

private:
  void readLoop(const clang::CompoundStmt &scope, size_t position) {
    const Stmt &loop = *scope.body_begin()[position];
    CodeUses uses = reader_.usesOf(loop);
    if (!uses.others.empty() || uses.leaves)
      return;
    VariableChanges changes(loop);
    std::vector<const Expr *> seen;
    for (const PlaceUse &use : uses.places) {
      bool isNew = llvm::none_of(seen, [&](const Expr *other) { return areAlike(other, use.place, ast_); });
      bool isNumber = use.place->getType()->isArithmeticType() && !use.place->getType().isConstQualified();
      if (use.kind != PlaceUse::Kind::Update && use.kind != PlaceUse::Kind::Write)
        continue;
      if (!isNew || !use.root.isParameter() || !isNumber || isTaken(use.place))
        continue;
      seen.push_back(use.place);
      readElement(scope, position, uses, changes, use);
    }
  }

  bool isTaken(const Expr *place) const {
    return llvm::any_of(found, [&](const KeptElement &kept) { return llvm::is_contained(kept.uses, place); });
  }

  void readElement(const clang::CompoundStmt &scope, size_t position, const CodeUses &uses,
                   const VariableChanges &changes, const PlaceUse &element) {
    KeptElement kept;
    kept.loop = scope.body_begin()[position];
    kept.place = element.place;
    bool isRead = false;
    std::vector<const PlaceUse *> writes;
    for (const PlaceUse &use : uses.places) {
      if (use.writes())
        writes.push_back(&use);
      if (!areAlike(use.place, element.place, ast_))
        continue;
      kept.uses.push_back(use.spelled);
      isRead |= use.reads();
      if (use.kind == PlaceUse::Kind::Escape || use.isVolatile || isFromMacro(use.spelled))
        return;
    }
    if (!isRead || !isSamePlace(*kept.loop, changes, element))
      return;
    kept.whyNot = whyNotAlone(kept, uses, writes, element);
    if (kept.whyNot.empty())
      readSurroundings(scope, position, kept);
    found.push_back(std::move(kept));
  }

  static bool isFromMacro(const Expr *expression) {
    return expression->getBeginLoc().isMacroID() || expression->getEndLoc().isMacroID();
  }

  /// The address is known before the loop, and does not change in it.
  bool isSamePlace(const Stmt &loop, const VariableChanges &changes, const PlaceUse &element) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    VariableChanges own(*element.place);
    return own.changed().empty() && reader_.usesOf(*element.place).others.empty() &&
           llvm::all_of(variablesIn(element.place), [&](const VarDecl *variable) {
             return !variable->isLocalVarDeclOrParm() ||
                    (!changes.isChanged(variable) && !reader_.changes().isExposed(variable) &&
                     sources.isBeforeInTranslationUnit(variable->getLocation(), loop.getBeginLoc()));
           });
  }

  /// What else in the loop may be the element, or may change where it is.
  std::string whyNotAlone(KeptElement &kept, const CodeUses &uses, llvm::ArrayRef<const PlaceUse *> writes,
                          const PlaceUse &element) const {
    for (const PlaceUse &use : uses.places)
      if (!areAlike(use.place, element.place, ast_) &&
          mayOverlap(use.root, element.root, annotation_, kept.assumptions))
        return use.root.known() ? "'" + use.root.name() +
                                      "' is accessed elsewhere in the loop, too, and may be "
                                      "the same element"
                                : "an access of the loop is not tied to a buffer and may be the same element";
    for (const PlaceUse &part : reader_.usesOf(*element.place).places)
      for (const PlaceUse *write : writes)
        if (mayOverlap(part.root, write->root, annotation_, kept.assumptions))
          return "its index is loaded from memory that the loop may write";
    return {};
  }

  /// Whether the element is touched anyway, right before the loop or behind it.
  void readSurroundings(const clang::CompoundStmt &scope, size_t position, KeptElement &kept) const {
    kept.needsGuard = true;
    if (llvm::isa<clang::DoStmt>(kept.loop)) {
      kept.needsGuard = false;
      return;
    }
    for (size_t i = position; i-- > 0;) {
      const Stmt &statement = *scope.body_begin()[i];
      if (touches(statement, kept.place))
        kept.needsGuard = false;
      if (i + 1 == position)
        readStart(statement, kept);
      if (!kept.needsGuard || changesPlace(statement, kept.place))
        return;
    }
    if (readLeaves(*kept.loop))
      return;
    for (size_t i = position + 1; i < scope.size() && kept.needsGuard; ++i) {
      const Stmt &statement = *scope.body_begin()[i];
      kept.needsGuard = !touches(statement, kept.place);
      if (changesPlace(statement, kept.place) || readLeaves(statement))
        return;
    }
  }

  bool readLeaves(const Stmt &statement) const { return reader_.usesOf(statement).mayLeave; }

  bool touches(const Stmt &statement, const Expr *place) const {
    return llvm::any_of(reader_.usesOf(statement).places, [&](const PlaceUse &use) {
      return use.sure && use.kind != PlaceUse::Kind::Escape && areAlike(use.place, place, ast_);
    });
  }

  bool changesPlace(const Stmt &statement, const Expr *place) const {
    VariableChanges changes(statement);
    return llvm::any_of(variablesIn(place),
                        [&](const VarDecl *variable) { return changes.isChanged(variable); });
  }

  void readStart(const Stmt &statement, KeptElement &kept) const {
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&statement);
    if (!binary || binary->getOpcode() != clang::BO_Assign || binary->getBeginLoc().isMacroID() ||
        !areAlike(binary->getLHS(), kept.place, ast_))
      return;
    kept.start = binary;
    kept.startValue = binary->getRHS();
  }

  const clang::ASTContext &ast_;
  const PlaceReader &reader_;
  const Annotation &annotation_;
};

} // namespace

std::vector<KeptElement> findKeptElements(const clang::FunctionDecl &function, const clang::ASTContext &ast,
                                          const PlaceReader &reader, const Annotation &annotation) {
  ElementSearch search(ast, reader, annotation);
  search.scan(function.getBody());
  return std::move(search.found);
}

} // namespace warpwright
