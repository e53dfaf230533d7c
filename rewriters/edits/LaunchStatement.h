#pragma once

#include <string>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// The statement that a launch is, in the main file.
struct LaunchStatement {
  unsigned begin = 0;
  unsigned end = 0;         ///< behind its semicolon
  bool needsBraces = false; ///< another statement in its place might take part in what is around it
  std::string whyWhole;     ///< why it cannot be written twice, in branches; empty where it can
};

/// The function that a launch stands in, or null: it may stand in a variable's initialiser.
const clang::FunctionDecl *enclosingFunction(const clang::Stmt &statement, clang::ASTContext &ast);

/// The variable that an argument passed by value copies, or null.
const clang::VarDecl *copiedVariable(const clang::Expr &passed);

LaunchStatement findLaunchStatement(const clang::Expr &call, const clang::FunctionDecl &function,
                                    const clang::ASTContext &ast);

} // namespace warpwright
