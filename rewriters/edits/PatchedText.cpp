#include "rewriters/edits/PatchedText.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

void PatchedText::replace(clang::SourceRange tokens, std::string text) {
  std::optional<Edit> edit = builder_.replace(tokens, std::move(text), "part of another edit's");
  if (!edit) {
    failed_ = true;
    return;
  }
  pieces_.push_back({edit->offset, edit->length, std::move(edit->text)});
  llvm::sort(pieces_, [](const Piece &left, const Piece &right) { return left.offset < right.offset; });
}

std::optional<std::string> PatchedText::between(unsigned begin, unsigned end) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  std::string text;
  for (const Piece &piece : pieces_) {
    if (piece.offset + piece.length > end || piece.offset + piece.length <= begin)
      continue;
    if (piece.offset < begin)
      return std::nullopt;
    text += file.slice(begin, piece.offset);
    text += piece.text;
    begin = piece.offset + piece.length;
  }
  text += file.slice(begin, end);
  if (failed_)
    return std::nullopt;
  return llvm::StringRef(text).rtrim().str();
}

std::optional<std::string> PatchedText::of(clang::SourceRange tokens) const {
  std::optional<Edit> place = builder_.replace(tokens, "", "its place");
  return place ? between(place->offset, place->offset + place->length) : std::nullopt;
}

} // namespace warpwright
