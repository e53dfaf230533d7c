#include "rewriters/mapping/ElementLoop.h"

#include "analysis/ast/StridedLoops.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool isPlainReturn(const clang::Stmt *statement) {
  if (const auto *compound = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = compound->size() == 1 ? compound->body_front() : nullptr;
  const auto *leaves = llvm::dyn_cast_or_null<clang::ReturnStmt>(statement);
  return leaves && !leaves->getRetValue();
}

class MentionFinder {
public:
  MentionFinder(const clang::FunctionDecl &kernel, const clang::ASTContext &ast,
                const RegisterUses &registers, std::optional<int64_t> block)
      : ast_(ast), registers_(registers), block_(block),
        body_(llvm::dyn_cast<clang::CompoundStmt>(kernel.getBody())) {}

  std::optional<ElementKernel> find() {
    if (!body_ || !registers_.obstacle.empty())
      return std::nullopt;
    VariableChanges changes(*body_);
    ElementKernel found;
    for (const clang::Stmt *statement : body_->body()) {
      if (!found.element) {
        if (!readNumber(*statement, changes, found) && !isPlain(*statement))
          return std::nullopt;
        continue;
      }
      if (const auto *guard = llvm::dyn_cast<clang::IfStmt>(statement))
        return readGuard(*guard, changes, found) ? std::optional(found) : std::nullopt;
      if (!isPlain(*statement))
        return std::nullopt;
      found.between.push_back(statement);
    }
    return std::nullopt;
  }

private:
  static bool isPlain(const clang::Stmt &statement) {
    return llvm::isa<clang::DeclStmt>(statement) && !effectsOf(statement).seenByOthers();
  }

  /// Every use of the axis must be in it.
  bool readNumber(const clang::Stmt &statement, const VariableChanges &changes, ElementKernel &found) {
    const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
    const auto *variable = declaration && declaration->isSingleDecl()
                               ? llvm::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                               : nullptr;
    if (!variable || !variable->getInit() || !variable->getType()->isIntegerType() ||
        ast_.getTypeSize(variable->getType()) < 32 || !changes.isConstant(variable) ||
        !isThreadOfGrid(*variable->getInit(), changes, block_))
      return false;
    const clang::SourceManager &sources = ast_.getSourceManager();
    for (const RegisterUse &use : registers_.uses)
      if (use.axis == 0 && !sources.isPointWithin(use.range.getBegin(), variable->getInit()->getBeginLoc(),
                                                  variable->getInit()->getEndLoc()))
        return false;
    found.declaration = &statement;
    found.element = variable;
    found.type = typeOf(*variable);
    return true;
  }

  std::string typeOf(const clang::VarDecl &variable) const {
    EditBuilder builder(ast_);
    if (const clang::TypeSourceInfo *info = variable.getTypeSourceInfo())
      if (std::optional<std::string> text =
              builder.textOf(info->getTypeLoc().getUnqualifiedLoc().getSourceRange());
          text && !text->empty() && *text != "auto")
        return *text;
    return variable.getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
  }

  bool readGuard(const clang::IfStmt &guard, const VariableChanges &changes, ElementKernel &found) {
    if (guard.getElse() || guard.getInit() || guard.getConditionVariable())
      return false;
    const bool leaves = isPlainReturn(guard.getThen());
    const auto *comparison = llvm::dyn_cast<clang::BinaryOperator>(guard.getCond()->IgnoreParenImpCasts());
    if (!comparison || !comparison->isRelationalOp())
      return false;
    clang::BinaryOperatorKind kind = comparison->getOpcode();
    const clang::Expr *bound = comparison->getRHS();
    if (namedVariable(comparison->getLHS()) != found.element) {
      if (namedVariable(comparison->getRHS()) != found.element)
        return false;
      bound = comparison->getLHS();
      kind = clang::BinaryOperator::reverseComparisonOp(kind);
    }
    Effects effects = effectsOf(*bound);
    if (kind != (leaves ? clang::BO_GE : clang::BO_LT) || effects.seenByOthers() ||
        !effects.variables.empty() || !isUniform(*bound, changes, /*overGrid=*/true))
      return false;
    found.bound = bound;
    found.last = body_->body_back();
    const auto *place = llvm::find(body_->body(), &guard);
    if (leaves) {
      found.work.assign(std::next(place), body_->body_end());
      return !found.work.empty();
    }
    if (&guard != body_->body_back())
      return false;
    found.work = {guard.getThen()};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(guard.getThen()))
      found.work.assign(compound->body_begin(), compound->body_end());
    return !found.work.empty();
  }

  const clang::ASTContext &ast_;
  const RegisterUses &registers_;
  std::optional<int64_t> block_;
  const clang::CompoundStmt *body_;
};

} // namespace

std::optional<ElementKernel> findElementKernel(const clang::FunctionDecl &kernel,
                                               const clang::ASTContext &ast, const RegisterUses &registers,
                                               std::optional<int64_t> block) {
  return MentionFinder(kernel, ast, registers, block).find();
}

} // namespace warpwright
