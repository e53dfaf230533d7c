#include "rewriters/edits/EditBuilder.h"

#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

namespace warpwright {

std::optional<Edit> EditBuilder::locate(clang::SourceRange tokens, std::string reason) const {
  assert(!reason.empty() && "an edit has a reason");
  const clang::SourceManager &sources = ast_.getSourceManager();
  if (tokens.getBegin().isMacroID() || tokens.getEnd().isMacroID() ||
      !sources.isInMainFile(tokens.getBegin()))
    return std::nullopt;
  clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(tokens), sources, ast_.getLangOpts());
  if (range.isInvalid())
    return std::nullopt;
  Edit edit;
  edit.file = sources.getFilename(range.getBegin()).str();
  edit.offset = sources.getFileOffset(range.getBegin());
  edit.length = sources.getFileOffset(range.getEnd()) - edit.offset;
  edit.place = placeOf(range.getBegin(), sources);
  edit.reason = std::move(reason);
  return edit;
}

std::optional<Edit> EditBuilder::replace(clang::SourceRange tokens, std::string text,
                                         std::string reason) const {
  std::optional<Edit> edit = locate(tokens, std::move(reason));
  if (edit)
    edit->text = std::move(text);
  return edit;
}

std::optional<Edit> EditBuilder::insertAfter(clang::SourceRange tokens, std::string text,
                                             std::string reason) const {
  std::optional<Edit> edit = replace(tokens, std::move(text), std::move(reason));
  if (!edit)
    return edit;
  edit->offset += edit->length;
  edit->length = 0;
  return edit;
}

std::optional<Edit> EditBuilder::insertBefore(clang::SourceRange tokens, std::string text,
                                              std::string reason) const {
  std::optional<Edit> edit = replace(tokens, std::move(text), std::move(reason));
  if (edit)
    edit->length = 0;
  return edit;
}

std::optional<std::string> EditBuilder::textOf(clang::SourceRange tokens) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::CharSourceRange range = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(tokens), sources, ast_.getLangOpts());
  if (range.isInvalid())
    return std::nullopt;
  return clang::Lexer::getSourceText(range, sources, ast_.getLangOpts()).str();
}

} // namespace warpwright
