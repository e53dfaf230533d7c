#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace warpwright {

/// Changes at several places that only make sense together: a variable, and the expressions that it replaces.
/// Each group becomes one edit from its first place to its last; groups whose places interleave become one.
class LinkedEdits {
public:
  LinkedEdits(const clang::FunctionDecl &function, const clang::ASTContext &ast)
      : function_(function), ast_(ast), builder_(ast) {}

  /// A new group; what follows belongs to it.
  void begin(std::string reason, std::string expectedGain, std::string risk);
  /// Takes back the group that was begun last.
  void drop() { groups_.pop_back(); }

  // Each is false where a macro or a header is in the way; the group is then to be dropped.
  bool replace(clang::SourceRange tokens, std::string text);
  /// Text before and behind the tokens, which stay.
  bool wrap(clang::SourceRange tokens, std::string before, std::string behind);
  /// Lines before a statement that begins a line.
  bool insertBefore(const clang::Stmt &statement, const CodeLines &code);
  /// Lines behind a statement.
  bool insertBehind(const clang::Stmt &statement, const CodeLines &code);
  /// A statement with its semicolon. Without code it goes with its line.
  bool replaceStatement(const clang::Stmt &statement, const CodeLines &code);

  bool empty() const { return groups_.empty(); }
  /// Sorted and disjoint.
  std::vector<Edit> edits() const;

private:
  struct Piece {
    unsigned offset, length;
    std::string text;
    size_t order = 0; ///< of those at one place
  };
  struct Group {
    std::string reason, expectedGain, risk;
    std::vector<Piece> pieces;
    unsigned begin() const;
    unsigned end() const;
  };
  bool add(std::optional<Edit> located, std::string text);
  Edit joined(llvm::ArrayRef<const Group *> groups) const;

  const clang::FunctionDecl &function_;
  const clang::ASTContext &ast_;
  EditBuilder builder_;
  std::vector<Group> groups_;
};

} // namespace warpwright
