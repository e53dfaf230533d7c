#include "rewriters/edits/LinkedEdits.h"

#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

unsigned LinkedEdits::Group::begin() const {
  unsigned first = pieces.front().offset;
  for (const Piece &piece : pieces)
    first = std::min(first, piece.offset);
  return first;
}

unsigned LinkedEdits::Group::end() const {
  unsigned last = 0;
  for (const Piece &piece : pieces)
    last = std::max(last, piece.offset + piece.length);
  return last;
}

void LinkedEdits::begin(std::string reason, std::string expectedGain, std::string risk) {
  groups_.push_back({std::move(reason), std::move(expectedGain), std::move(risk), {}});
}

bool LinkedEdits::add(std::optional<Edit> located, std::string text) {
  if (!located)
    return false;
  groups_.back().pieces.push_back({located->offset, located->length, std::move(text), 0});
  return true;
}

bool LinkedEdits::replace(clang::SourceRange tokens, std::string text) {
  return add(builder_.replace(tokens, "", "its place"), std::move(text));
}

bool LinkedEdits::wrap(clang::SourceRange tokens, std::string before, std::string behind) {
  return add(builder_.insertBefore(tokens, "", "its place"), std::move(before)) &&
         add(builder_.insertAfter(tokens, "", "its place"), std::move(behind));
}

bool LinkedEdits::insertBefore(const clang::Stmt &statement, const CodeLines &code) {
  Indentation indentation = indentationAt(statement.getBeginLoc(), function_, ast_);
  return add(builder_.insertBefore(statement.getSourceRange(), "", "its place"),
             code.str(indentation) + "\n" + indentation.base);
}

bool LinkedEdits::insertBehind(const clang::Stmt &statement, const CodeLines &code) {
  std::optional<Edit> edit = builder_.replaceStatements(statement, statement, "", "its place");
  if (!edit)
    return false;
  edit->offset += edit->length;
  edit->length = 0;
  Indentation indentation = indentationAt(statement.getBeginLoc(), function_, ast_);
  return add(edit, "\n" + indentation.base + code.str(indentation));
}

bool LinkedEdits::replaceStatement(const clang::Stmt &statement, const CodeLines &code) {
  if (code.empty()) {
    // `__shared__` and its kin are macros.
    clang::SourceRange range(ast_.getSourceManager().getExpansionLoc(statement.getBeginLoc()),
                             statement.getEndLoc());
    if (std::optional<Edit> lines = builder_.replaceLines(range, "", "its place"))
      return add(lines, "");
    return add(builder_.replaceStatements(statement, statement, "", "its place"), "");
  }
  return add(builder_.replaceStatements(statement, statement, "", "its place"),
             code.str(indentationAt(statement.getBeginLoc(), function_, ast_)));
}

std::vector<Edit> LinkedEdits::edits() const {
  std::vector<const Group *> sorted;
  for (const Group &group : groups_)
    if (!group.pieces.empty())
      sorted.push_back(&group);
  // Groups lie in a vector in the order in which they were begun.
  llvm::sort(sorted, [](const Group *left, const Group *right) {
    return std::pair(left->begin(), left) < std::pair(right->begin(), right);
  });
  std::vector<Edit> edits;
  for (size_t first = 0; first < sorted.size();) {
    unsigned end = sorted[first]->end();
    size_t last = first + 1;
    while (last < sorted.size() && sorted[last]->begin() <= end)
      end = std::max(end, sorted[last++]->end());
    edits.push_back(joined(llvm::ArrayRef(sorted).slice(first, last - first)));
    first = last;
  }
  return edits;
}

Edit LinkedEdits::joined(llvm::ArrayRef<const Group *> groups) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
  std::vector<Piece> pieces;
  Edit edit;
  auto addTo = [](std::string &text, const std::string &more) {
    if (!llvm::StringRef(text).contains(more))
      text += (text.empty() ? "" : "; ") + more;
  };
  for (const Group *group : groups) {
    llvm::append_range(pieces, group->pieces);
    addTo(edit.reason, group->reason);
    addTo(edit.expectedGain, group->expectedGain);
    addTo(edit.risk, group->risk);
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    pieces[i].order = i;
  llvm::sort(pieces, [](const Piece &left, const Piece &right) {
    return std::pair(left.offset, left.order) < std::pair(right.offset, right.order);
  });
  clang::SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
  edit.file = sources.getFilename(start).str();
  edit.offset = pieces.front().offset;
  edit.place = placeOf(start.getLocWithOffset(static_cast<int>(edit.offset)), sources);
  unsigned at = edit.offset;
  for (const Piece &piece : pieces) {
    if (piece.offset < at)
      continue; // it lies in one that was written anew as a whole
    edit.text += file.slice(at, piece.offset);
    edit.text += piece.text;
    at = std::max(at, piece.offset + piece.length);
  }
  edit.length = at - edit.offset;
  return edit;
}

} // namespace warpwright
