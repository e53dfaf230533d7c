#include "rewriters/loops/UnrolledLoop.h"

#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/Operands.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/folds/FoldCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>
#include <llvm/ADT/STLExtras.h>

#include <functional>

namespace warpwright {
UnrolledLoop::UnrolledLoop(const RewriteContext &context, const clang::FunctionDecl &kernel,
                           const CanonicalLoop &loop, std::vector<LoopReduction> reductions)
    : ast_(context.unit.ast()), kernel_(kernel), loop_(loop), reductions_(std::move(reductions)),
      builder_(ast_) {}

std::optional<std::string> UnrolledLoop::textOf(const clang::Stmt *statement) const {
  return builder_.textOf(statement->getSourceRange());
}

std::string UnrolledLoop::counterType() const {
  if (const clang::TypeSourceInfo *info = loop_.counter->getTypeSourceInfo())
    if (std::optional<std::string> text =
            builder_.textOf(info->getTypeLoc().getUnqualifiedLoc().getSourceRange());
        text && !text->empty() && *text != "auto")
      return *text;
  return loop_.counter->getType().getUnqualifiedType().getAsString(clang::PrintingPolicy(ast_.getLangOpts()));
}

/// `times` steps: "3 * blockDim.x", or "3" where the step is 1.
std::string UnrolledLoop::stepText(const std::string &times) const {
  if (!loop_.step)
    return times;
  std::string step = textOf(loop_.step).value_or("");
  return times + " * " + (isOperand(loop_.step) ? step : "(" + step + ")");
}

/// What the additional sums start with, as initialisers of the whole array.
std::string UnrolledLoop::neutral(const LoopReduction &reduction, unsigned factor) const {
  const std::string name = reduction.variable->getNameAsString();
  if (reduction.operation == FoldOperation::Sum || reduction.operation == FoldOperation::BitOr ||
      reduction.operation == FoldOperation::BitXor)
    return "{" + name + "}";
  std::string other = name; // the smallest of a number and itself is that number
  if (reduction.operation == FoldOperation::Product)
    other = "1";
  std::string text = "{" + name;
  for (unsigned i = 1; i < factor; ++i)
    text += ", " + other;
  return text + "}";
}

CodeLines UnrolledLoop::body(unsigned factor, const std::string &first, const std::string &k) {
  CodeLines code;
  code.line("#pragma unroll");
  code.open("for (int " + k + " = 0; " + k + " < " + std::to_string(factor) + "; ++" + k + ") {");
  PatchedText text(ast_);
  for (size_t i = 0; i < reductions_.size(); ++i)
    for (const clang::DeclRefExpr *mention : reductions_[i].mentions)
      text.replace(mention->getSourceRange(), arrays_[i] + "[" + k + "]");
  if (loop_.changes.mentionsOf(loop_.counter) != 0)
    code.line(counterType() + " " + loop_.counter->getNameAsString() + " = " + first + " + " + stepText(k) +
              ";");
  std::vector<const clang::Stmt *> statements = {loop_.body};
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(loop_.body))
    statements.assign(compound->body_begin(), compound->body_end());
  for (const clang::Stmt *statement : statements) {
    std::optional<Edit> whole = builder_.replaceStatements(*statement, *statement, "", "its place");
    std::optional<std::string> moved =
        whole ? text.between(whole->offset, whole->offset + whole->length) : std::nullopt;
    if (!moved)
      return {};
    code.moved(*moved, indentationAt(statement->getBeginLoc(), kernel_, ast_).base);
  }
  return code.close();
}

std::optional<Edit> UnrolledLoop::edit(unsigned factor, unsigned position) {
  std::optional<std::string> init = textOf(loop_.init), bound = textOf(loop_.bound);
  std::optional<Edit> edit =
      builder_.replaceStatements(*loop_.statement, *loop_.statement, "", "sums wait for each other");
  if (!init || !bound || !edit)
    return std::nullopt;
  FreshNames names(kernel_, ast_);
  // Loops of one kernel are written anew independently of each other, in one scope.
  auto taken = [&](const std::string &wish) {
    std::string name;
    for (unsigned i = 0; i <= position; ++i)
      name = names.take(wish);
    return name;
  };
  arrays_.clear();
  for (const LoopReduction &reduction : reductions_)
    arrays_.push_back(taken(reduction.variable->getNameAsString() + "Parts"));
  const std::string type = counterType(), first = taken("first"), k = names.scoped("k");
  const std::string count = std::to_string(factor),
                    limit = isOperand(loop_.bound) ? *bound : "(" + *bound + ")";
  CodeLines code;
  code.comment(count + " iterations side by side, each with sums of its own: none waits for the one before.");
  clang::PrintingPolicy policy(ast_.getLangOpts());
  for (size_t i = 0; i < reductions_.size(); ++i)
    code.line(reductions_[i].variable->getType().getUnqualifiedType().getAsString(policy) + " " + arrays_[i] +
              "[" + count + "] = " + neutral(reductions_[i], factor) + ";");
  CodeLines inner = body(factor, first, k);
  if (inner.empty())
    return std::nullopt;
  code.line(type + " " + first + " = " + *init + ";");
  // The distance to the bound does not overflow where the counter itself does not.
  const std::string last = stepText(std::to_string(factor - 1) + (loop_.step ? "ll" : ""));
  code.open("for (; " + first + " < " + limit + " && " + limit + " - " + first + " > " + last + "; " + first +
            " += " + stepText(count) + ") {");
  code.append(inner);
  code.close();
  std::optional<std::string> loopText = textOf(loop_.statement);
  PatchedText rest(ast_);
  rest.replace(loop_.init->getSourceRange(), first);
  for (size_t i = 0; i < reductions_.size(); ++i)
    for (const clang::DeclRefExpr *mention : reductions_[i].mentions)
      rest.replace(mention->getSourceRange(), arrays_[i] + "[0]");
  std::optional<std::string> tail = rest.between(edit->offset, edit->offset + edit->length);
  if (!tail)
    return std::nullopt;
  Indentation indentation = indentationAt(loop_.statement->getBeginLoc(), kernel_, ast_);
  code.moved(*tail, indentation.base);
  for (size_t i = 0; i < reductions_.size(); ++i) {
    FoldedValue value;
    value.name = arrays_[i] + "[0]";
    value.operation = reductions_[i].operation;
    if (reductions_[i].function)
      value.function = textOf(reductions_[i].function).value_or("");
    for (unsigned part = 1; part < factor; ++part)
      code.line(combineText(value, arrays_[i] + "[" + std::to_string(part) + "]"));
    code.line(reductions_[i].variable->getNameAsString() + " = " + arrays_[i] + "[0];");
  }
  edit->text = code.str(indentation);
  return edit;
}

} // namespace warpwright
