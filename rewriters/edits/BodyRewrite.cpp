#include "rewriters/edits/BodyRewrite.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

BodyRewrite::BodyRewrite(const clang::FunctionDecl &function, const clang::ASTContext &ast)
    : function_(function), ast_(ast), builder_(ast), returns_(findEarlyReturns(function)), text_(ast) {
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(function.getBody());
  if (returns_.whyNot.empty() && (!body || body->body_empty()))
    returns_.whyNot = "its body is empty";
}

void BodyRewrite::replace(clang::SourceRange tokens, std::string text) {
  text_.replace(tokens, std::move(text));
}

/// The condition under which the guard does not return.
std::string BodyRewrite::negated(const clang::Stmt *condition) const {
  const auto *expression = llvm::cast<clang::Expr>(condition)->IgnoreParenImpCasts();
  if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    if (binary->getOpcode() == clang::BO_LOr)
      return negated(binary->getLHS()) + " && " + negated(binary->getRHS());
    // A comparison of floating-point numbers has no opposite: NaN is neither less nor not less.
    bool whole = binary->getLHS()->getType()->isIntegralOrEnumerationType() &&
                 binary->getRHS()->getType()->isIntegralOrEnumerationType();
    if (whole && binary->isComparisonOp())
      return builder_.textOf(binary->getLHS()->getSourceRange()).value_or("") + " " +
             clang::BinaryOperator::getOpcodeStr(
                 clang::BinaryOperator::negateComparisonOp(binary->getOpcode()))
                 .str() +
             " " + builder_.textOf(binary->getRHS()->getSourceRange()).value_or("");
  }
  return "!(" + builder_.textOf(expression->getSourceRange()).value_or("") + ")";
}

std::optional<Edit> BodyRewrite::build(std::string reason) const {
  if (!whyNot().empty())
    return std::nullopt;
  const clang::SourceManager &sources = ast_.getSourceManager();
  const auto *body = llvm::cast<clang::CompoundStmt>(function_.getBody());
  std::optional<Edit> edit =
      builder_.replace({body->body_front()->getBeginLoc(), body->getRBracLoc()}, "", std::move(reason));
  if (!edit)
    return std::nullopt;
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  unsigned start = edit->offset;
  unsigned close = edit->offset + edit->length - 1;
  const unsigned content = start + file.slice(start, close).rtrim().size();
  unsigned end = content;
  if (const auto *last = llvm::dyn_cast<clang::ReturnStmt>(body->body_back()))
    end = sources.getFileOffset(last->getBeginLoc());
  bool oneLine =
      file.slice(sources.getFileOffset(body->getLBracLoc()), start).find('\n') == llvm::StringRef::npos;

  Indentation indentation = indentationAt(body->body_front()->getBeginLoc(), function_, ast_);
  const std::string from = indentation.base;
  if (oneLine)
    indentation.base += indentation.step;
  CodeLines code;
  code.append(before_);
  unsigned nested = 0;
  CodeLines inner;
  for (const clang::IfStmt *guard : returns_.guards) {
    std::optional<Edit> place = builder_.replaceStatements(*guard, *guard, "", "its place");
    std::optional<std::string> text = place ? text_.between(start, place->offset) : std::nullopt;
    if (!text)
      return std::nullopt;
    if (!text->empty())
      inner.moved(*text, from);
    inner.open("if (" + negated(guard->getCond()) + ") {");
    ++nested;
    start = place->offset + place->length;
    start += file.substr(start).size() - file.substr(start).ltrim().size();
  }
  if (start < end) {
    std::optional<std::string> text = text_.between(start, end);
    if (!text)
      return std::nullopt;
    if (!text->empty())
      inner.moved(*text, from);
  }
  for (; nested > 0; --nested)
    inner.close();
  code.append(inner);
  code.append(behind_);
  edit->text = code.str(indentation);
  if (oneLine)
    edit->text = "\n" + indentation.base + edit->text + "\n" + from;
  edit->length = (oneLine ? close : content) - edit->offset;
  return edit;
}

} // namespace warpwright
