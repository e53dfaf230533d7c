#include "rewriters/mapping/NeighbourRows.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/mapping/Effects.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

using clang::Expr;

NeighbourRows::NeighbourRows(const RewriteContext &context, BlockShape &shape, unsigned axis,
                             unsigned gridAxis)
    : context_(context), kernel_(*context.analysis.kernel.declaration), ast_(context.unit.ast()),
      whole_(llvm::cast<clang::CompoundStmt>(*kernel_.getBody())), axis_(axis), gridAxis_(gridAxis),
      sums_(shape.placeSums(axis, gridAxis)), reader_(kernel_), builder_(ast_), names_(kernel_, ast_) {}

bool NeighbourRows::isPlace(const Expr &expression) const {
  const Expr *plain = expression.IgnoreParenImpCasts();
  return llvm::any_of(sums_, [&](const BlockShape::PlaceSum &sum) { return sum.sum == plain; });
}

bool NeighbourRows::replacePlaces(RepeatedBody &body, int64_t factor, const std::string &k) {
  const std::string number = std::to_string(factor);
  const std::string place = std::string("(blockIdx.") + "xyz"[gridAxis_] + " * blockDim." + "xyz"[axis_] +
                            " + threadIdx." + "xyz"[axis_] + ")";
  for (const BlockShape::PlaceSum &sum : sums_) {
    std::optional<std::string> text = builder_.textOf(sum.sum->getSourceRange());
    if (!text || sum.factor.asConstant() != 1) {
      whyNot_ = "a place in the grid is multiplied, or comes out of a macro";
      return false;
    }
    body.replace(sum.sum->getSourceRange(),
                 sum.rest.isZero() ? "(" + *text + ") * " + number + " + " + k
                                   : *text + " + " + place + " * " + std::to_string(factor - 1) + " + " + k);
  }
  return true;
}

std::optional<Edit> NeighbourRows::edit(int64_t factor) {
  RepeatedBody body(kernel_, ast_);
  whyNot_ = body.whyNot();
  const std::string number = std::to_string(factor), k = names_.scoped("k");
  if (!whyNot_.empty() || !replacePlaces(body, factor, k))
    return std::nullopt;
  const std::string head = "for (int " + k + " = 0; " + k + " < " + number + "; ++" + k + ") {";
  CodeLines code;
  code.comment("A thread takes " + number + " neighbouring places along " + "xyz"[axis_] +
               ", whose neighbourhoods share what they load.");
  std::optional<Edit> edit;
  if (const clang::IfStmt *guard = guardOf(whole_)) {
    const std::string inside = names_.scoped("inside"), last = std::to_string(factor - 1);
    std::optional<std::string> condition = body.textOf(*guard->getCond());
    code.line("bool " + inside + " = true;");
    code.line("#pragma unroll");
    code.open("for (int " + k + " = 0; " + k + " < " + number + "; " + k + " += " + last +
              ") { // the first and the last");
    if (!condition || !appendDeclarations(code, body)) {
      whyNot_ = "its text comes out of a macro";
      return std::nullopt;
    }
    code.line(inside + " = " + inside + " && " + *condition + ";");
    code.close();
    code.open("if (" + inside + ") {");
    bool whole = appendInside(code, body, *guard, head);
    code.otherwise();
    whole = whole && appendLoop(code, body, head, *guard);
    code.close();
    if (whole)
      edit = body.replaceStatements(*whole_.body_front(), *whole_.body_back(), code,
                                    "a thread takes " + number + " neighbouring places");
  } else {
    code.line("#pragma unroll");
    edit = body.inLoop(code, head, "a thread takes " + number + " neighbouring places");
  }
  if (!edit) {
    whyNot_ = "its text comes out of a macro";
    return std::nullopt;
  }
  edit->expectedGain = "what neighbouring places share is loaded once; more loads are under way at once";
  edit->risk = "registers";
  return edit;
}

/// The `if` that ends a body of declarations, where its condition holds for all places between two for which
/// it holds.
const clang::IfStmt *NeighbourRows::guardOf(const clang::CompoundStmt &body) const {
  const auto *guard = llvm::dyn_cast<clang::IfStmt>(body.body_back());
  if (!guard || guard->getElse() || guard->getInit() || guard->getConditionVariable() || guard->isConstexpr())
    return nullptr;
  for (const clang::Stmt *statement : body.body())
    if (statement != guard &&
        (!llvm::isa<clang::DeclStmt>(statement) || effectsOf(*statement).seenByOthers() ||
         !effectsOf(*statement).variables.empty()))
      return nullptr;
  VaryingValues values(body, reader_, [&](const Expr &expression) { return isPlace(expression); });
  Effects effects = effectsOf(*guard->getCond());
  bool isPlain = !effects.seenByOthers() && effects.variables.empty();
  return isPlain && holdsBetween(*guard->getCond(), values) ? guard : nullptr;
}

bool NeighbourRows::holdsBetween(const Expr &given, const VaryingValues &values) const {
  const Expr *condition = given.IgnoreParenImpCasts();
  if (!values.mentionsVarying(condition))
    return true;
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(condition);
  if (!binary)
    return false;
  if (binary->getOpcode() == clang::BO_LAnd)
    return holdsBetween(*binary->getLHS(), values) && holdsBetween(*binary->getRHS(), values);
  // An unsigned number below zero is a large one: there `i - 1 < n` grows and falls.
  if (!binary->isRelationalOp() || !binary->getLHS()->getType()->isSignedIntegerType())
    return false;
  bool left = values.mentionsVarying(binary->getLHS()), right = values.mentionsVarying(binary->getRHS());
  return left != right && growsByOne(left ? *binary->getLHS() : *binary->getRHS(), values);
}

/// By one from each place to the next.
bool NeighbourRows::growsByOne(const Expr &given, const VaryingValues &values) const {
  const Expr *expression = given.IgnoreParenImpCasts();
  if (isPlace(*expression))
    return true;
  if (const clang::VarDecl *variable = namedVariable(expression))
    return variable->getInit() && reader_.changes().isConstant(variable) &&
           variable->getType()->isSignedIntegerType() && growsByOne(*variable->getInit(), values);
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
  if (!binary || !binary->isAdditiveOp() || binary->getType()->isPointerType())
    return false;
  bool right = values.mentionsVarying(binary->getRHS());
  if (right && (binary->getOpcode() == clang::BO_Sub || values.mentionsVarying(binary->getLHS())))
    return false;
  return growsByOne(right ? *binary->getRHS() : *binary->getLHS(), values);
}

bool NeighbourRows::appendDeclarations(CodeLines &code, const RepeatedBody &body) const {
  for (const clang::Stmt *statement : whole_.body())
    if (llvm::isa<clang::DeclStmt>(statement) && !body.append(code, *statement, *statement))
      return false;
  return true;
}

bool NeighbourRows::appendLoop(CodeLines &code, const RepeatedBody &body, const std::string &head,
                               const clang::Stmt &last) const {
  code.line("#pragma unroll");
  code.open(head);
  bool whole = appendDeclarations(code, body) && body.append(code, last, last);
  code.close();
  return whole;
}

/// All places do what the guard guards.
bool NeighbourRows::appendInside(CodeLines &code, const RepeatedBody &body, const clang::IfStmt &guard,
                                 const std::string &head) {
  std::vector<const clang::Stmt *> statements = {guard.getThen()};
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(guard.getThen()))
    statements.assign(compound->body_begin(), compound->body_end());
  const auto *store =
      statements.size() == 1 ? llvm::dyn_cast<clang::BinaryOperator>(statements.front()) : nullptr;
  if (!store || !mayLoadFirst(*store)) {
    code.line("#pragma unroll");
    code.open(head);
    bool whole = appendDeclarations(code, body);
    for (const clang::Stmt *statement : statements)
      whole = whole && body.append(code, *statement, *statement);
    code.close();
    return whole;
  }
  std::optional<std::string> place = body.textOf(*store->getLHS()), value = body.textOf(*store->getRHS());
  if (!place || !value)
    return false;
  const std::string k = names_.scoped("k"), values = names_.scoped("values");
  clang::PrintingPolicy policy(ast_.getLangOpts());
  llvm::StringRef number = llvm::StringRef(head).split("< ").second.split(';').first;
  code.line(store->getLHS()->getType().getUnqualifiedType().getCanonicalType().getAsString(policy) + " " +
            values + "[" + number.str() + "];");
  for (bool loads : {true, false}) {
    code.line("#pragma unroll");
    code.open(head);
    if (!appendDeclarations(code, body))
      return false;
    const std::string kept = values + "[" + k + "]";
    code.moved(loads ? kept + " = " + *value + ";" : *place + " = " + kept + ";",
               indentationAt(store->getBeginLoc(), kernel_, ast_).base);
    code.close();
  }
  return true;
}

/// Nothing that the store's value is made of is what another place stores.
bool NeighbourRows::mayLoadFirst(const clang::BinaryOperator &store) {
  if (store.getOpcode() != clang::BO_Assign || !store.getLHS()->getType()->isScalarType())
    return false;
  CodeUses uses = reader_.usesOf(store);
  std::vector<std::string> assumptions;
  for (const PlaceUse &use : uses.places)
    if (use.isVolatile || (use.kind != PlaceUse::Kind::Write && use.kind != PlaceUse::Kind::Read) ||
        (use.kind == PlaceUse::Kind::Read &&
         mayOverlap(use.root, reader_.rootOf(*store.getLHS()), *context_.analysis.annotation, assumptions)))
      return false;
  if (!uses.others.empty())
    return false;
  assumptions_ = std::move(assumptions);
  return true;
}

} // namespace warpwright
