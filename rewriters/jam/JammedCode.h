#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/edits/PatchedText.h"
#include "rewriters/jam/VaryingValues.h"

#include <llvm/ADT/StringMap.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A text for some tokens that depends on which copy they are of.
struct SeedText {
  clang::SourceRange tokens;
  std::function<std::string(const std::string &copy)> text;
};

/// Code of which several copies run side by side, statement by statement: what varies has a dimension more,
/// the number of the copy, and statements that mention it stand in loops over the copies. Everything is
/// borrowed.
class JammedCode {
public:
  /// `copy`: the name of the copies' counter, which means nothing in the function yet.
  JammedCode(const clang::FunctionDecl &function, const clang::ASTContext &ast, const VaryingValues &values,
             unsigned copies, std::string copy);

  void addSeed(SeedText seed) { seeds_.push_back(std::move(seed)); }
  /// Why it cannot be written; empty while it can.
  const std::string &whyNot() const { return whyNot_; }
  /// The statements' lines, nested in `code` as it stands, with comments that stand on lines of their own
  /// between them. False where `whyNot` says why.
  bool append(CodeLines &code, llvm::ArrayRef<const clang::Stmt *> statements);
  /// Those of a loop's body, or of a branch.
  bool appendBody(CodeLines &code, const clang::Stmt &body);

private:
  bool appendStatement(CodeLines &code, const clang::Stmt &statement);
  bool appendShared(CodeLines &code, const clang::Stmt &statement);
  bool appendAll(CodeLines &code, llvm::ArrayRef<const clang::Stmt *> statements, unsigned end);
  bool appendDeclarations(CodeLines &code, const clang::DeclStmt &statement);
  bool appendDeclaration(CodeLines &code, const clang::VarDecl &variable);
  void appendComments(CodeLines &code, unsigned begin, unsigned end);
  /// What is copied until something stands between that is not.
  void flush(CodeLines &code);

  std::optional<std::string> statementText(const clang::Stmt &statement, const std::string &copy) const;
  PatchedText patched(const clang::Stmt &code, const std::string &copy) const;
  bool hasOwnName(const clang::VarDecl &variable) const;
  std::string declarator(const clang::VarDecl &variable) const;
  bool refuse(std::string why);

  const clang::FunctionDecl &function_;
  const clang::ASTContext &ast_;
  const VaryingValues &values_;
  const unsigned copies_;
  const std::string copy_;
  EditBuilder builder_;
  std::vector<SeedText> seeds_;
  CodeLines pending_;
  llvm::StringMap<unsigned> declarations_; ///< of the function, by name
  std::string whyNot_;
};

} // namespace warpwright
