#include "feedback/agents/SourceTokens.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright::agents {
namespace {

class TokenReader {
public:
  TokenReader(llvm::StringRef text, const clang::LangOptions &language)
      : text_(text.str()),
        lexer_(clang::SourceLocation(), language, text_.data(), text_.data(), text_.data() + text_.size()) {
    lexer_.SetCommentRetentionState(true);
  }

  std::vector<SourceToken> read() {
    while (next())
      take();
    return std::move(tokens_);
  }

private:
  bool next() {
    lexer_.LexFromRawLexer(token_);
    return token_.isNot(clang::tok::eof);
  }

  unsigned end() const { return static_cast<unsigned>(lexer_.getBufferLocation() - text_.data()); }
  unsigned begin() const { return end() - token_.getLength(); }

  /// Without what splices lines, so that no name hides behind it.
  std::string spelling() const {
    std::string clean;
    llvm::StringRef raw = llvm::StringRef(text_).slice(begin(), end());
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\') {
        size_t after = i + 1;
        while (after < raw.size() && (raw[after] == ' ' || raw[after] == '\t' || raw[after] == '\r'))
          ++after;
        if (after < raw.size() && raw[after] == '\n') {
          i = after;
          continue;
        }
      }
      clean += raw[i];
    }
    return clean;
  }

  void take() {
    if (begin() < directiveEnd_)
      return;
    SourceToken token{begin(),
                      end(),
                      spelling(),
                      false,
                      token_.is(clang::tok::raw_identifier),
                      token_.is(clang::tok::comment)};
    if (token_.is(clang::tok::hash) && token_.isAtStartOfLine())
      takeDirective(token);
    tokens_.push_back(std::move(token));
  }

  /// Up to the end of its line, which a splice moves; a comment on it is part of it.
  void takeDirective(SourceToken &directive) {
    directive.isDirective = true;
    size_t at = directive.offset;
    std::string raw;
    while (at < text_.size()) {
      size_t stop = std::min(text_.find('\n', at), text_.size());
      llvm::StringRef line = llvm::StringRef(text_).slice(at, stop).rtrim();
      bool goesOn = line.consume_back("\\");
      raw += line;
      at = stop + 1;
      if (!goesOn || stop == text_.size())
        break;
      raw += ' ';
    }
    directive.end = static_cast<unsigned>(std::min(at, text_.size()));
    llvm::SmallVector<llvm::StringRef> words;
    llvm::SplitString(raw, words);
    directive.text = llvm::join(words, " ");
    directiveEnd_ = directive.end;
  }

  std::string text_;
  clang::Lexer lexer_;
  clang::Token token_;
  unsigned directiveEnd_ = 0; ///< tokens before it are part of the last directive
  std::vector<SourceToken> tokens_;
};

} // namespace

std::vector<SourceToken> tokensOf(llvm::StringRef text, const clang::LangOptions &language) {
  return TokenReader(text, language).read();
}

llvm::StringRef directiveName(const SourceToken &token) {
  if (!token.isDirective)
    return {};
  llvm::StringRef rest = llvm::StringRef(token.text).drop_front().ltrim();
  return rest.take_while([](char character) { return llvm::isAlnum(character) || character == '_'; });
}

bool isUnrollHint(const SourceToken &token) {
  if (directiveName(token) != "pragma")
    return false;
  llvm::StringRef rest = llvm::StringRef(token.text).drop_front().ltrim();
  rest.consume_front("pragma");
  rest = rest.ltrim();
  if (rest == "nounroll")
    return true;
  if (!rest.consume_front("unroll"))
    return false;
  rest = rest.trim(" ()");
  return llvm::all_of(rest, [](char character) { return llvm::isAlnum(character) || character == '_'; });
}

} // namespace warpwright::agents
