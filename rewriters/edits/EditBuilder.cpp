#include "rewriters/edits/EditBuilder.h"

#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Stmt.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

namespace warpwright {
namespace {

/// Whether the text holds an `#if` without its `#endif`, or the other way round: moved, or replaced, it would
/// tear them apart. Its first line does not begin with a directive: it begins with a token.
bool tearsConditionals(llvm::StringRef text) {
  int depth = 0;
  for (text = text.split('\n').second; !text.empty(); text = text.split('\n').second) {
    llvm::StringRef line = text.split('\n').first.ltrim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    if (line.starts_with("if"))
      ++depth;
    else if (line.starts_with("endif") && --depth < 0)
      return true;
    else if (line.starts_with("el") && depth == 0)
      return true;
  }
  return depth != 0;
}

} // namespace

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
  if (tearsConditionals(sources.getBufferData(sources.getMainFileID()).substr(edit.offset, edit.length)))
    return std::nullopt;
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

/// Where a statement begins. `__shared__` is a macro of the toolkit, and begins a declaration all the same.
static clang::SourceLocation beginOf(const clang::Stmt &statement, const clang::ASTContext &ast) {
  clang::SourceLocation begin = statement.getBeginLoc();
  const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&statement);
  bool isShared = declarations && llvm::all_of(declarations->decls(), [](const clang::Decl *declared) {
                    return declared->hasAttr<clang::CUDASharedAttr>();
                  });
  clang::SourceLocation expansion;
  if (isShared && begin.isMacroID() &&
      clang::Lexer::isAtStartOfMacroExpansion(begin, ast.getSourceManager(), ast.getLangOpts(), &expansion))
    return expansion;
  return begin;
}

std::optional<Edit> EditBuilder::replaceStatements(const clang::Stmt &first, const clang::Stmt &last,
                                                   std::string text, std::string reason) const {
  std::optional<Edit> edit =
      replace({beginOf(first, ast_), last.getEndLoc()}, std::move(text), std::move(reason));
  if (!edit)
    return std::nullopt;
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  size_t end = edit->offset + edit->length;
  // A semicolon belongs to the statement, though not to its range, unless a brace or one has ended it.
  if (file[end - 1] == '}' || file[end - 1] == ';')
    return edit;
  std::optional<clang::Token> next =
      clang::Lexer::findNextToken(last.getEndLoc(), sources, ast_.getLangOpts());
  if (!next || next->isNot(clang::tok::semi))
    return std::nullopt;
  edit->length = sources.getFileOffset(next->getLocation()) + 1 - edit->offset;
  return edit;
}

std::optional<Edit> EditBuilder::replaceLines(clang::SourceRange statement, std::string text,
                                              std::string reason) const {
  std::optional<Edit> edit = replace(statement, std::move(text), std::move(reason));
  if (!edit)
    return std::nullopt;
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  size_t begin = file.slice(0, edit->offset).rfind('\n');
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  size_t last = edit->offset + edit->length;
  size_t end = file.find('\n', last);
  end = end == llvm::StringRef::npos ? file.size() : end + 1;
  llvm::StringRef behind = file.slice(last, end).trim();
  behind.consume_front(";");
  behind = behind.ltrim();
  if (!file.slice(begin, edit->offset).trim().empty() || !(behind.empty() || behind.starts_with("//")))
    return std::nullopt;
  edit->offset = begin;
  edit->length = end - begin;
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

std::string EditBuilder::freshName(const std::string &wanted) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  clang::FileID file = sources.getMainFileID();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, ast_.getLangOpts());
  llvm::StringSet<> taken;
  clang::Token token;
  for (bool isLast = false; !isLast;) {
    isLast = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::raw_identifier))
      taken.insert(token.getRawIdentifier());
  }
  auto isMacro = [&](const std::string &name) {
    auto found = ast_.Idents.find(name);
    return found != ast_.Idents.end() && found->second->hasMacroDefinition();
  };
  std::string name = wanted;
  for (unsigned i = 2; taken.contains(name) || isMacro(name); ++i)
    name = wanted + std::to_string(i);
  return name;
}

} // namespace warpwright
