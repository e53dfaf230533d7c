#include "analysis/annotation/AnnotationSource.h"

#include "analysis/annotation/AnnotationToken.h"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

namespace warpwright {

AnnotationSource::AnnotationSource(const clang::AnnotateAttr &attribute, llvm::StringRef text,
                                   const clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::SourceLocation location = attribute.getLocation();
  begin_ = sources.getExpansionLoc(location);
  end_ = begin_;
  if (!location.isMacroID())
    return;
  clang::CharSourceRange expansion = sources.getImmediateExpansionRange(location);
  if (expansion.getBegin().isFileID() && expansion.getEnd().isFileID())
    match(expansion, text, ast);
}

void AnnotationSource::match(clang::CharSourceRange expansion, llvm::StringRef text,
                             const clang::ASTContext &ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  llvm::StringRef source = clang::Lexer::getSourceText(expansion, sources, ast.getLangOpts());
  std::vector<AnnotationToken> written = tokenizeAnnotation(source);
  std::vector<AnnotationToken> read = tokenizeAnnotation(text);
  // The macro's name, its parentheses, and between them the arguments.
  bool isCall = written.size() == read.size() + 3 && written[1].is("(") && written.back().is(")");
  if (!isCall)
    return;
  std::vector<TokenPlace> places;
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i].text != written[i + 2].text)
      return;
    int offset = static_cast<int>(written[i + 2].range.offset);
    places.push_back({read[i].range, expansion.getBegin().getLocWithOffset(offset)});
  }
  end_ = expansion.getBegin().getLocWithOffset(static_cast<int>(written.back().range.offset));
  places_ = std::move(places);
}

clang::SourceLocation AnnotationSource::locate(unsigned offset) const {
  if (places_.empty())
    return begin_;
  for (const TokenPlace &place : places_) {
    if (offset >= place.text.end())
      continue;
    unsigned inside = offset > place.text.offset ? offset - place.text.offset : 0;
    return place.location.getLocWithOffset(static_cast<int>(inside));
  }
  return end_;
}

clang::CharSourceRange AnnotationSource::rangeOf(TextRange range) const {
  clang::SourceLocation begin = locate(range.offset);
  if (!exact() || range.length == 0)
    return clang::CharSourceRange::getCharRange(begin, begin);
  return clang::CharSourceRange::getCharRange(begin, locate(range.end() - 1).getLocWithOffset(1));
}

} // namespace warpwright
