// An index that 32 bits do not hold, and unsigned numbers that go below zero.

#include "rewriters/remedies/Remedy.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

struct Target {
  const clang::SourceManager *sources;
  const Place *place;
};

/// Debug information and the source spell a file differently.
bool isOperatorAt(const clang::Stmt &node, const void *data) {
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(&node);
  if (!binary)
    return false;
  const auto &[sources, wanted] = *static_cast<const Target *>(data);
  Place place = placeOf(binary->getOperatorLoc(), *sources);
  return place.line == wanted->line && place.column == wanted->column &&
         llvm::sys::path::filename(place.file) == llvm::sys::path::filename(wanted->file);
}

/// An array's index that is computed in 32 bits, from the operator up.
bool isIndex(llvm::ArrayRef<const clang::Stmt *> path) {
  for (size_t i = path.size() - 1; i > 0; --i) {
    if (const auto *subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(path[i - 1]))
      return subscript->getIdx() == path[i];
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(path[i - 1]);
    if (!llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr>(path[i - 1]) &&
        !(binary && binary->isAdditiveOp()))
      return false;
  }
  return false;
}

std::optional<Remedy> widen(const clang::BinaryOperator &binary, const clang::ASTContext &ast) {
  const clang::Expr *first = &binary;
  while (const auto *inner = llvm::dyn_cast<clang::BinaryOperator>(first->IgnoreImpCasts()))
    first = inner->getLHS();
  const std::string type = binary.getType()->isUnsignedIntegerType() ? "(unsigned long long)" : "(long long)";
  std::optional<Edit> edit = EditBuilder(ast).insertBefore(
      first->getSourceRange(), type, "computes the index in 64 bits from its first operand on");
  if (!edit)
    return std::nullopt;
  return Remedy{"compute the index in 64 bits", {*edit}};
}

/// The registers that a sum or difference comes from; not those in indices and arguments.
void collectRegisters(const clang::Expr &expression, std::vector<const clang::Expr *> &found) {
  const clang::Expr *value = expression.IgnoreParenImpCasts();
  if (specialRegisterOf(*value)) {
    found.push_back(value);
    return;
  }
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(value);
  if (!binary || !(binary->isAdditiveOp() || binary->isMultiplicativeOp()))
    return;
  collectRegisters(*binary->getLHS(), found);
  collectRegisters(*binary->getRHS(), found);
}

std::optional<Remedy> makeSigned(llvm::ArrayRef<const clang::Expr *> operands, const clang::ASTContext &ast) {
  std::vector<const clang::Expr *> registers;
  for (const clang::Expr *operand : operands)
    collectRegisters(*operand, registers);
  Remedy remedy;
  remedy.description = "make threadIdx, blockIdx and their extents signed where they are subtracted";
  EditBuilder builder(ast);
  for (const clang::Expr *value : registers) {
    const std::string reason = "a signed number goes below zero";
    std::optional<Edit> open = builder.insertBefore(value->getSourceRange(), "int(", reason);
    std::optional<Edit> close = builder.insertAfter(value->getSourceRange(), ")", reason);
    if (!open || !close)
      return std::nullopt;
    remedy.edits.push_back(*open);
    remedy.edits.push_back(*close);
  }
  return remedy.edits.empty() ? std::nullopt : std::optional(std::move(remedy));
}

/// Where the whole sum becomes a floating-point number: as an index, a signed number below zero is no better.
bool becomesFloating(llvm::ArrayRef<const clang::Stmt *> path) {
  for (const clang::Stmt *node : llvm::reverse(path.drop_back())) {
    const auto *cast = llvm::dyn_cast<clang::CastExpr>(node);
    if (cast && cast->getCastKind() == clang::CK_IntegralToFloating)
      return true;
    if (!llvm::isa<clang::ParenExpr>(node) && !cast)
      return false;
  }
  return false;
}

} // namespace

std::optional<Remedy> remedyOf(const Finding &finding, const KernelAnalysis &analysis) {
  const clang::Stmt *body = analysis.kernel.declaration->getBody();
  if (!body || (finding.id != "index-overflow" && finding.id != "unsigned-wrap"))
    return std::nullopt;
  const clang::ASTContext &ast = analysis.kernel.declaration->getASTContext();
  Target target{&ast.getSourceManager(), &finding.place};
  std::vector<const clang::Stmt *> path = pathTo(*body, isOperatorAt, &target);
  if (path.empty())
    return std::nullopt;
  const auto &binary = *llvm::cast<clang::BinaryOperator>(path.back());
  if (finding.id == "index-overflow")
    return isIndex(path) ? widen(binary, ast) : std::nullopt;
  if (binary.isComparisonOp())
    return makeSigned({binary.getLHS(), binary.getRHS()}, ast);
  return becomesFloating(path) ? makeSigned({&binary}, ast) : std::nullopt;
}

} // namespace warpwright
