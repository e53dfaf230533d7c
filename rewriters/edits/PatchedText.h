#pragma once

#include "rewriters/edits/EditBuilder.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
}

namespace warpwright {

/// Text of the main file with pieces replaced, for code that moves or is copied.
class PatchedText {
public:
  explicit PatchedText(const clang::ASTContext &ast) : ast_(ast), builder_(ast) {}

  /// Pieces must not overlap; one out of a macro or a header makes every text fail.
  void replace(clang::SourceRange tokens, std::string text);
  /// The bytes [begin, end) of the file, without white space at their end.
  std::optional<std::string> between(unsigned begin, unsigned end) const;
  /// The tokens of the range.
  std::optional<std::string> of(clang::SourceRange tokens) const;

private:
  struct Piece {
    unsigned offset, length;
    std::string text;
  };
  const clang::ASTContext &ast_;
  EditBuilder builder_;
  std::vector<Piece> pieces_;
  bool failed_ = false;
};

} // namespace warpwright
