#include "analysis/annotation/AnnotationToken.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

bool startsName(char c) {
  return llvm::isAlpha(c) || c == '_';
}
bool continuesName(char c) {
  return llvm::isAlnum(c) || c == '_';
}

/// The length of the blank (space, comment, escaped newline) at the start of `rest`.
size_t blankLength(llvm::StringRef rest) {
  if (rest.empty())
    return 0;
  if (llvm::isSpace(rest[0]))
    return 1;
  if (rest.starts_with("\\\n"))
    return 2;
  if (rest.starts_with("\\\r\n"))
    return 3;
  if (rest.starts_with("//"))
    return std::min(rest.find('\n'), rest.size());
  if (rest.starts_with("/*")) {
    size_t end = rest.find("*/", 2);
    return end == llvm::StringRef::npos ? rest.size() : end + 2;
  }
  return 0;
}

bool startsNumber(llvm::StringRef rest) {
  return llvm::isDigit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && llvm::isDigit(rest[1]));
}

size_t numberLength(llvm::StringRef rest) {
  // An exponent may have a sign: 'e' in decimal numbers, 'p' in hexadecimal ones, where 'e' is a digit.
  bool hexadecimal = rest.starts_with_insensitive("0x");
  size_t length = 0;
  while (length < rest.size()) {
    char c = rest[length];
    bool separator = c == '\'' && length + 1 < rest.size() && continuesName(rest[length + 1]);
    bool sign =
        (c == '+' || c == '-') && length > 0 && llvm::toLower(rest[length - 1]) == (hexadecimal ? 'p' : 'e');
    if (!continuesName(c) && c != '.' && !separator && !sign)
      break;
    ++length;
  }
  return length;
}

size_t quotedLength(llvm::StringRef rest) {
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\')
      ++i;
    else if (rest[i] == rest[0])
      return i + 1;
  }
  return rest.size();
}

size_t punctuationLength(llvm::StringRef rest) {
  static constexpr llvm::StringLiteral Pairs[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "::", "->"};
  for (llvm::StringRef pair : Pairs)
    if (rest.starts_with(pair))
      return 2;
  return 1;
}

AnnotationToken::Kind classify(llvm::StringRef rest, size_t &length) {
  if (startsName(rest[0])) {
    length = rest.take_while(continuesName).size();
    return AnnotationToken::Name;
  }
  if (startsNumber(rest)) {
    length = numberLength(rest);
    return AnnotationToken::Number;
  }
  if (rest[0] == '"' || rest[0] == '\'') {
    length = quotedLength(rest);
    return AnnotationToken::Quoted;
  }
  length = punctuationLength(rest);
  return AnnotationToken::Punctuation;
}

} // namespace

std::vector<AnnotationToken> tokenizeAnnotation(llvm::StringRef text) {
  std::vector<AnnotationToken> tokens;
  size_t offset = 0;
  while (offset < text.size()) {
    llvm::StringRef rest = text.drop_front(offset);
    if (size_t blank = blankLength(rest)) {
      offset += blank;
      continue;
    }
    size_t length = 0;
    AnnotationToken::Kind kind = classify(rest, length);
    tokens.push_back(
        {kind, rest.take_front(length), {static_cast<unsigned>(offset), static_cast<unsigned>(length)}});
    offset += length;
  }
  return tokens;
}

AnnotationToken TokenCursor::next() {
  AnnotationToken token = peek();
  if (!atEnd())
    ++position_;
  return token;
}

bool TokenCursor::accept(llvm::StringRef punctuation) {
  if (!peek().is(punctuation))
    return false;
  ++position_;
  return true;
}

llvm::ArrayRef<AnnotationToken> TokenCursor::takeToClosingParenthesis() {
  size_t begin = position_;
  unsigned depth = 1;
  for (; position_ < tokens_.size(); ++position_) {
    if (tokens_[position_].is("("))
      ++depth;
    else if (tokens_[position_].is(")") && --depth == 0)
      break;
  }
  return tokens_.slice(begin, position_ - begin);
}

std::string describe(const AnnotationToken &token) {
  return token.kind == AnnotationToken::End ? "the end of the clause" : ("'" + token.text + "'").str();
}

} // namespace warpwright
