#include "rewriters/tiling/LeafWriter.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/tiling/Polynomials.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

void forEachDeclared(llvm::ArrayRef<NestItem> items, llvm::function_ref<void(const clang::VarDecl *)> visit) {
  for (const NestItem &item : items) {
    if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(item.statement))
      for (const clang::Decl *one : declaration->decls())
        if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(one))
          visit(variable);
    forEachDeclared(item.items, visit);
  }
}

bool isZero(const clang::Expr &expression, const clang::ASTContext &ast) {
  clang::Expr::EvalResult result;
  if (expression.isValueDependent() || !expression.EvaluateAsRValue(result, ast))
    return false;
  return result.Val.isInt() ? result.Val.getInt().isZero()
                            : result.Val.isFloat() && result.Val.getFloat().isPosZero();
}

} // namespace

LeafWriter::LeafWriter(const RewriteContext &context, const Nest &nest, const NestReader &reader,
                       const TileFrame &frame)
    : context_(context), ast_(context.unit.ast()), nest_(nest), reader_(reader), frame_(frame) {
  if (nest.nest)
    forEachDeclared(nest.nest->items, [&](const clang::VarDecl *variable) { inner_.insert(variable); });
  for (const clang::VarDecl *variable : nest.declarations)
    inner_.insert(variable);
}

/// What the statement mentions, apart from what is replaced in it.
void LeafWriter::collect(const clang::Stmt *statement) {
  if (!statement)
    return;
  if (const auto *expression = llvm::dyn_cast<clang::Expr>(statement);
      expression && replaced_.contains(expression))
    return;
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(statement))
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      need(*variable);
  for (const clang::Stmt *child : statement->children())
    collect(child);
}

void LeafWriter::collect(const NestItem &item) {
  if (item.kind == NestItem::Kind::Guard) {
    if (!absorbed_.contains(item.condition))
      collect(item.condition);
    for (const NestItem &inner : item.items)
      collect(inner);
  } else if (!llvm::isa<clang::DeclStmt>(item.statement)) {
    collect(item.statement);
  }
}

void LeafWriter::need(const clang::VarDecl &variable) {
  if (needed_.count(&variable) || llvm::is_contained(nest_.accumulators, &variable))
    return;
  bool isDerived =
      llvm::any_of(reader_.derived(), [&](const auto &derived) { return derived.first == &variable; });
  bool isCoordinate = llvm::any_of(
      nest_.coordinates, [&](const NestCoordinate &coordinate) { return coordinate.variable == &variable; });
  if (isDerived)
    for (const auto &[derived, value] : reader_.derived())
      if (derived == &variable)
        value.forEachSymbol([&](const Symbol *symbol) {
          if (const NestCoordinate *coordinate = nest_.coordinateOf(symbol))
            need(*coordinate->variable);
        });
  if (!isDerived && !isCoordinate && inner_.contains(&variable) && variable.getInit())
    collect(variable.getInit());
  if (isDerived || isCoordinate || inner_.contains(&variable) || counters_.count(&variable))
    needed_[&variable] = true;
}

std::string LeafWriter::typeOf(const clang::VarDecl &variable) const {
  return variable.getType().getAsString(ast_.getPrintingPolicy());
}

/// Coordinates and counters first, then what is made of them, in the source's order.
void LeafWriter::writeNeeded(CodeLines &code, bool isOutside) {
  // Without loops over outputs, what is declared outside of the nest is declared once.
  for (const clang::VarDecl *variable : declared_)
    needed_.erase(variable);
  if (isOutside && frame_.subscripts(false).empty())
    for (const auto &[variable, isNeeded] : needed_)
      declared_.insert(variable);
  for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
    if (needed_.count(nest_.coordinates[i].variable) && !frame_.isUniform(i))
      code.line(frame_.declaration(i));
  for (const auto &[variable, value] : reader_.derived())
    if (needed_.count(variable)) {
      std::optional<std::string> text = toCode(value);
      failed_ |= !text;
      std::string type = typeOf(*variable);
      code.line((llvm::StringRef(type).starts_with("const ") ? type : "const " + type) + " " +
                variable->getNameAsString() + " = " + text.value_or("") + ";");
    }
  std::vector<const clang::VarDecl *> rest;
  for (const auto &[variable, isNeeded] : needed_) {
    if (auto counter = counters_.find(variable); counter != counters_.end()) {
      code.line(counter->second);
      continue;
    }
    bool isDone = llvm::any_of(nest_.coordinates,
                               [&](const NestCoordinate &one) { return one.variable == variable; }) ||
                  llvm::any_of(reader_.derived(), [&](const auto &one) { return one.first == variable; }) ||
                  llvm::any_of(nest_.loops, [&](const NestLoop &one) { return one.counter == variable; });
    if (!isDone)
      rest.push_back(variable);
  }
  llvm::sort(rest, [](const clang::VarDecl *left, const clang::VarDecl *right) {
    return left->getLocation() < right->getLocation();
  });
  for (const clang::VarDecl *variable : rest) {
    failed_ |= variable->getType()->isArrayType();
    std::string type = typeOf(*variable);
    std::string text = type + (llvm::StringRef(type).ends_with("*") ? "" : " ") + variable->getNameAsString();
    if (variable->getInit())
      text += " = " + textOf(*variable->getInit());
    code.line(text + ";");
  }
}

std::string LeafWriter::plainTextOf(const clang::Stmt &statement) {
  std::optional<std::string> text = PatchedText(ast_).of(statement.getSourceRange());
  failed_ |= !text;
  return text.value_or("");
}

/// The text, with accumulators and reads replaced.
std::string LeafWriter::textOf(const clang::Stmt &statement) {
  PatchedText patched(ast_);
  auto patch = [&](auto &&self, const clang::Stmt *part) -> void {
    if (!part)
      return;
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(part))
      if (auto found = replaced_.find(expression); found != replaced_.end())
        return patched.replace(expression->getSourceRange(), found->second);
    if (const auto *expression = llvm::dyn_cast<clang::Expr>(part))
      if (auto found = wrapped_.find(expression); found != wrapped_.end())
        return patched.replace(expression->getSourceRange(),
                               found->second.first + plainTextOf(*expression) + found->second.second);
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(part))
      if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
          variable && llvm::is_contained(nest_.accumulators, variable) && !frame_.subscripts(false).empty())
        return patched.replace(reference->getSourceRange(),
                               variable->getNameAsString() + frame_.subscripts(false));
    for (const clang::Stmt *child : part->children())
      self(self, child);
  };
  patch(patch, &statement);
  std::optional<std::string> text = patched.of(statement.getSourceRange());
  failed_ |= !text;
  return text.value_or("");
}

void LeafWriter::writeStatement(const clang::Stmt &statement, CodeLines &code) {
  std::string text = textOf(statement);
  if (!llvm::StringRef(text).ends_with("}") && !llvm::StringRef(text).ends_with(";"))
    text += ";";
  const auto &function = *context_.analysis.kernel.declaration;
  code.moved(text, indentationAt(statement.getBeginLoc(), function, ast_).base);
}

std::string LeafWriter::conditionOf(const clang::Expr &condition, bool isNegated) {
  const clang::Expr *inner = condition.IgnoreParenImpCasts();
  const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(inner);
  if (!isNegated) {
    std::string text = textOf(*inner);
    return binary && binary->getOpcode() == clang::BO_LOr ? "(" + text + ")" : text;
  }
  if (binary && binary->getOpcode() == clang::BO_LOr)
    return conditionOf(*binary->getLHS(), true) + " && " + conditionOf(*binary->getRHS(), true);
  // A comparison of floating-point numbers has no opposite.
  if (binary && binary->isComparisonOp() && binary->getLHS()->getType()->isIntegralOrEnumerationType() &&
      binary->getRHS()->getType()->isIntegralOrEnumerationType())
    return textOf(*binary->getLHS()) + " " +
           clang::BinaryOperator::getOpcodeStr(clang::BinaryOperator::negateComparisonOp(binary->getOpcode()))
               .str() +
           " " + textOf(*binary->getRHS());
  return "!(" + textOf(*inner) + ")";
}

void LeafWriter::writeItem(const NestItem &item, CodeLines &code) {
  if (item.kind == NestItem::Kind::Plain) {
    if (!llvm::isa<clang::DeclStmt>(item.statement))
      writeStatement(*item.statement, code);
    return;
  }
  bool isLeftOut = absorbed_.contains(item.condition);
  if (!isLeftOut)
    code.open("if (" + conditionOf(*item.condition, item.isNegated) + ") {");
  for (const NestItem &inner : item.items)
    writeItem(inner, code);
  if (!isLeftOut)
    code.close();
}

void LeafWriter::write(llvm::ArrayRef<const NestItem *> items, llvm::ArrayRef<const NestItem *> around,
                       bool isGuarded, CodeLines &code) {
  bool isEmpty = llvm::all_of(items, [](const NestItem *item) {
    return item->kind == NestItem::Kind::Plain && llvm::isa<clang::DeclStmt>(item->statement);
  });
  if (isEmpty)
    return;
  needed_.clear();
  if (isGuarded)
    collectGuards();
  for (const NestItem *guard : around)
    if (!absorbed_.contains(guard->condition))
      collect(guard->condition);
  for (const NestItem *item : items)
    collect(*item);
  frame_.openLoops(code);
  writeNeeded(code, /*isOutside=*/false);
  unsigned opened = 0;
  if (std::string condition = isGuarded ? guards() : ""; !condition.empty()) {
    code.open("if (" + condition + ") {");
    ++opened;
  }
  for (const NestItem *guard : around)
    if (!absorbed_.contains(guard->condition)) {
      code.open("if (" + conditionOf(*guard->condition, guard->isNegated) + ") {");
      ++opened;
    }
  for (const NestItem *item : items)
    writeItem(*item, code);
  for (; opened > 0; --opened)
    code.close();
  frame_.closeLoops(code);
}

/// The kernel's guards, and the bounds that the launch alone kept.
std::string LeafWriter::guards() {
  std::string text;
  auto add = [&](const std::string &one) { text += (text.empty() ? "" : " && ") + one; };
  for (const Nest::Guard &guard : nest_.guards)
    add(conditionOf(*guard.condition, guard.isNegated));
  for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
    if (nest_.coordinates[i].isLaunchBound && !frame_.isUniform(i))
      add(nest_.coordinates[i].name + " < " + toFactor(*nest_.coordinates[i].end).value_or(""));
  return text;
}

void LeafWriter::collectGuards() {
  for (const Nest::Guard &guard : nest_.guards)
    collect(guard.condition);
  for (unsigned i = 0; i < nest_.coordinates.size(); ++i)
    if (nest_.coordinates[i].isLaunchBound && !frame_.isUniform(i))
      need(*nest_.coordinates[i].variable);
}

void LeafWriter::writeEpilogue(CodeLines &code) {
  needed_.clear();
  collectGuards();
  for (const clang::Stmt *statement : nest_.epilogue)
    collect(statement);
  frame_.openLoops(code);
  writeNeeded(code, /*isOutside=*/true);
  std::string condition = guards();
  if (!condition.empty())
    code.open("if (" + condition + ") {");
  for (const clang::Stmt *statement : nest_.epilogue)
    writeStatement(*statement, code);
  if (!condition.empty())
    code.close();
  frame_.closeLoops(code);
}

void LeafWriter::writeAccumulators(CodeLines &code) {
  std::string extents = frame_.subscripts(/*extents=*/true);
  std::vector<const clang::VarDecl *> toFill;
  for (const clang::VarDecl *variable : nest_.accumulators) {
    std::string text = typeOf(*variable) + " " + variable->getNameAsString() + extents;
    bool startsZero = variable->getInit() && isZero(*variable->getInit(), ast_);
    code.line(text + (startsZero ? (extents.empty() ? " = " + textOf(*variable->getInit()) : " = {}") : "") +
              ";");
    if (!startsZero && variable->getInit())
      toFill.push_back(variable);
  }
  if (toFill.empty())
    return;
  needed_.clear();
  for (const clang::VarDecl *variable : toFill)
    collect(variable->getInit());
  frame_.openLoops(code);
  writeNeeded(code, /*isOutside=*/true);
  for (const clang::VarDecl *variable : toFill)
    code.line(variable->getNameAsString() + frame_.subscripts(false) + " = " + textOf(*variable->getInit()) +
              ";");
  frame_.closeLoops(code);
}

} // namespace warpwright
