#include "rewriters/edits/LaunchStatement.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>

namespace warpwright {
namespace {

/// The functions of this file, instantiations among them, whose text holds a place.
class FunctionsAround : public clang::ConstDynamicRecursiveASTVisitor {
public:
  FunctionsAround(const clang::SourceManager &sources, clang::SourceLocation place)
      : sources_(sources), place_(place) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
        sources_.isPointWithin(place_, function->getBeginLoc(), function->getEndLoc()))
      found.push_back(function);
    return true;
  }
  std::vector<const clang::FunctionDecl *> found;

private:
  const clang::SourceManager &sources_;
  clang::SourceLocation place_;
};

class StatementFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit StatementFinder(const clang::Stmt *wanted) : wanted_(wanted) {}
  bool VisitStmt(const clang::Stmt *statement) override {
    found |= statement == wanted_;
    return !found;
  }
  bool found = false;

private:
  const clang::Stmt *wanted_;
};

/// The statements from a function's body down to one of its expressions.
class PathFinder {
public:
  explicit PathFinder(const clang::Stmt *wanted) : wanted_(wanted) {}

  bool find(const clang::Stmt *statement) {
    if (!statement)
      return false;
    path.push_back(statement);
    if (statement == wanted_)
      return true;
    for (const clang::Stmt *child : statement->children())
      if (find(child))
        return true;
    path.pop_back();
    return false;
  }

  std::vector<const clang::Stmt *> path; ///< outermost first

private:
  const clang::Stmt *wanted_;
};

/// Whether the expression only hands on the value of what is in it.
bool isWrapping(const clang::Stmt &outer) {
  return llvm::isa<clang::FullExpr, clang::ParenExpr, clang::CastExpr, clang::CXXBindTemporaryExpr,
                   clang::MaterializeTemporaryExpr>(outer);
}

enum class Home { Sequence, Body, Label, None };

/// What a statement is to the one that holds it.
Home homeIn(const clang::Stmt &parent, const clang::Stmt *statement) {
  if (llvm::isa<clang::CompoundStmt>(parent))
    return Home::Sequence;
  auto bodyIf = [](bool is) { return is ? Home::Body : Home::None; };
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&parent))
    return bodyIf(statement == branch->getThen() || statement == branch->getElse());
  if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&parent))
    return bodyIf(statement == loop->getBody());
  if (const auto *loop = llvm::dyn_cast<clang::CXXForRangeStmt>(&parent))
    return bodyIf(statement == loop->getBody());
  if (const auto *loop = llvm::dyn_cast<clang::WhileStmt>(&parent))
    return bodyIf(statement == loop->getBody());
  if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(&parent))
    return bodyIf(statement == loop->getBody());
  if (const auto *label = llvm::dyn_cast<clang::SwitchCase>(&parent))
    return label->getSubStmt() == statement ? Home::Label : Home::None;
  if (const auto *label = llvm::dyn_cast<clang::LabelStmt>(&parent))
    return label->getSubStmt() == statement ? Home::Label : Home::None;
  return Home::None;
}

/// Whether lines of the preprocessor stand in the text: they cannot be written twice.
bool holdsDirective(llvm::StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.ltrim().starts_with("#"))
      return true;
    text = rest;
  }
  return false;
}

} // namespace

const clang::FunctionDecl *enclosingFunction(const clang::Stmt &statement, clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  FunctionsAround around(sources, statement.getBeginLoc());
  for (const clang::Decl *declaration : ast.getTranslationUnitDecl()->noload_decls())
    if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
      around.TraverseDecl(declaration);
  for (const clang::FunctionDecl *function : around.found) {
    StatementFinder finder(&statement);
    finder.TraverseStmt(function->getBody());
    if (finder.found)
      return function;
  }
  return nullptr;
}

const clang::VarDecl *copiedVariable(const clang::Expr &passed) {
  const clang::Expr *argument = passed.IgnoreImplicit();
  if (const auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(argument))
    if (construct->getConstructor()->isCopyOrMoveConstructor() && construct->getNumArgs() == 1)
      argument = construct->getArg(0)->IgnoreImplicit();
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenImpCasts());
  return reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

LaunchStatement findLaunchStatement(const clang::Expr &call, const clang::FunctionDecl &function,
                                    const clang::ASTContext &ast) {
  LaunchStatement launch;
  PathFinder finder(&call);
  if (!finder.find(function.getBody())) {
    launch.whyWhole = "it is not found among the statements of its function";
    return launch;
  }
  size_t top = finder.path.size() - 1;
  while (top > 0 && isWrapping(*finder.path[top - 1]))
    --top;
  const clang::Stmt *statement = finder.path[top];
  Home home = top == 0 ? Home::None : homeIn(*finder.path[top - 1], statement);
  if (home == Home::None) {
    launch.whyWhole = "it is part of a larger statement";
    return launch;
  }
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation begin = statement->getBeginLoc(), last = statement->getEndLoc();
  clang::SourceLocation end;
  if (begin.isFileID() && last.isFileID())
    end = clang::Lexer::findLocationAfterToken(last, clang::tok::semi, sources, ast.getLangOpts(),
                                               /*SkipTrailingWhitespaceAndNewLine=*/false);
  if (end.isInvalid() || sources.getFileID(begin) != sources.getMainFileID() ||
      sources.getFileID(end) != sources.getMainFileID()) {
    launch.whyWhole = "it comes out of a macro";
    return launch;
  }
  launch.begin = sources.getFileOffset(begin);
  launch.end = sources.getFileOffset(end);
  launch.needsBraces = home != Home::Sequence;
  if (holdsDirective(sources.getBufferData(sources.getMainFileID()).slice(launch.begin, launch.end)))
    launch.whyWhole = "lines of the preprocessor stand in it";
  return launch;
}

} // namespace warpwright
