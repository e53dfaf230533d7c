#include "rewriters/mapping/RepeatedBody.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace warpwright {
namespace {

/// Returns of a body, and whether one of them stands in a loop or a switch.
class ReturnFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitReturnStmt(const clang::ReturnStmt *statement) override {
    found.push_back(statement);
    isNested |= depth_ != 0;
    return true;
  }
  bool TraverseForStmt(clang::ForStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseForStmt(loop); });
  }
  bool TraverseWhileStmt(clang::WhileStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseWhileStmt(loop); });
  }
  bool TraverseDoStmt(clang::DoStmt const *loop) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseDoStmt(loop); });
  }
  bool TraverseSwitchStmt(clang::SwitchStmt const *choice) override {
    return within([&] { return clang::ConstDynamicRecursiveASTVisitor::TraverseSwitchStmt(choice); });
  }
  bool TraverseLambdaExpr(clang::LambdaExpr const *) override { return true; }
  std::vector<const clang::ReturnStmt *> found;
  bool isNested = false;

private:
  template <typename Traverse> bool within(Traverse traverse) {
    ++depth_;
    bool goesOn = traverse();
    --depth_;
    return goesOn;
  }
  unsigned depth_ = 0;
};

} // namespace

RepeatedBody::RepeatedBody(const clang::FunctionDecl &kernel, const clang::ASTContext &ast)
    : kernel_(kernel), ast_(ast), builder_(ast), text_(ast) {
  const auto *body = llvm::dyn_cast_or_null<clang::CompoundStmt>(kernel.getBody());
  if (!body || body->body_empty()) {
    whyNot_ = "its body is empty";
    return;
  }
  ReturnFinder returns;
  returns.TraverseStmt(body);
  if (returns.isNested) {
    whyNot_ = "it leaves a loop by a return";
    return;
  }
  for (const clang::ReturnStmt *statement : returns.found)
    text_.replace(statement->getSourceRange(), "continue");
}

std::optional<std::string> RepeatedBody::textOf(const clang::Stmt &first, const clang::Stmt &last) const {
  std::optional<Edit> place = builder_.replaceStatements(first, last, "", "its place");
  return place ? text_.between(place->offset, place->offset + place->length) : std::nullopt;
}

std::optional<std::string> RepeatedBody::textOf(const clang::Expr &expression) const {
  return text_.of(expression.getSourceRange());
}

bool RepeatedBody::append(CodeLines &code, const clang::Stmt &first, const clang::Stmt &last) const {
  std::optional<std::string> text = textOf(first, last);
  if (text)
    code.moved(*text, indentationAt(first.getBeginLoc(), kernel_, ast_).base);
  return text.has_value();
}

std::optional<Edit> RepeatedBody::replaceStatements(const clang::Stmt &first, const clang::Stmt &last,
                                                    const CodeLines &code, std::string reason) const {
  std::optional<Edit> edit = builder_.replaceStatements(first, last, "", std::move(reason));
  if (!edit)
    return std::nullopt;
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  Indentation indentation = indentationAt(first.getBeginLoc(), kernel_, ast_);
  llvm::StringRef line = file.take_front(edit->offset);
  line = line.substr(line.rfind('\n') + 1);
  bool ownLine = line.trim().empty();
  if (ownLine) {
    edit->text = code.str(indentation);
    return edit;
  }
  // It shares its line with the brace before it.
  const std::string base = indentation.base;
  indentation.base += indentation.step;
  edit->text = "\n" + indentation.base + code.str(indentation) + "\n" + base;
  unsigned behind = edit->offset + edit->length;
  edit->length += file.substr(behind).size() - file.substr(behind).ltrim(" \t").size();
  unsigned front = line.size() - line.rtrim().size();
  edit->offset -= front;
  edit->length += front;
  return edit;
}

std::optional<Edit> RepeatedBody::inLoop(const CodeLines &before, const std::string &head,
                                         std::string reason) const {
  const auto *body = llvm::cast<clang::CompoundStmt>(kernel_.getBody());
  CodeLines code;
  code.append(before);
  code.open(head);
  if (!append(code, *body->body_front(), *body->body_back()))
    return std::nullopt;
  code.close();
  return replaceStatements(*body->body_front(), *body->body_back(), code, std::move(reason));
}

} // namespace warpwright
