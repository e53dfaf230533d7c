#include "analysis/frontend/NvccWords.h"

using namespace warpwright;

namespace {

using Words = std::vector<std::string>;

llvm::Error stray(char character, llvm::StringRef text) {
  return llvm::createStringError("nvcc arguments: stray " + llvm::Twine(character) + " in '" + text + "'");
}

bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// How one of the grammars treats the characters that are not simply part of a word.
struct Grammar {
  bool commas = false;       ///< commas separate, not blanks
  bool keepQuotes = false;   ///< quotes stay in the word
  bool singleQuotes = false; ///< ' quotes, and no backslash counts between two of them
  bool emptyWords = false;   ///< a quoted nothing is a word
  enum { Gone, InQuotesKept, Shell } backslash = Gone;
};

class WordSplitter {
public:
  WordSplitter(Grammar grammar, llvm::StringRef text) : grammar_(grammar), text_(text) {}

  llvm::Expected<Words> split() {
    for (; next_ != text_.size(); ++next_) {
      char c = text_[next_];
      if (c == '\\' && takesBackslash()) {
        if (next_ + 1 == text_.size())
          return stray('\\', text_);
        readBackslash();
      } else if (isQuote(c)) {
        readQuote(c);
      } else if (!quote_ && separates(c)) {
        endWord();
      } else {
        word_ += c;
      }
    }
    if (quote_)
      return stray(quote_, text_);
    endWord();
    return std::move(words_);
  }

private:
  bool separates(char c) const { return grammar_.commas ? c == ',' : isBlank(c); }
  bool isQuote(char c) const {
    if (quote_)
      return c == quote_;
    return c == '"' || (c == '\'' && grammar_.singleQuotes);
  }
  bool takesBackslash() const {
    switch (grammar_.backslash) {
    case Grammar::Gone:
      return true;
    case Grammar::InQuotesKept:
      return quote_ != 0;
    case Grammar::Shell:
      return quote_ != '\'';
    }
    return false;
  }
  void readBackslash() {
    char escaped = text_[++next_];
    bool kept = grammar_.backslash == Grammar::InQuotesKept;
    // Between double quotes the shell's backslash shields only these.
    if (grammar_.backslash == Grammar::Shell && quote_ == '"')
      kept = !llvm::StringRef("\"\\$`").contains(escaped);
    if (kept)
      word_ += '\\';
    word_ += escaped;
  }
  void readQuote(char c) {
    quote_ = quote_ ? 0 : c;
    quoted_ = true;
    if (grammar_.keepQuotes)
      word_ += c;
  }
  void endWord() {
    if (!word_.empty() || (quoted_ && grammar_.emptyWords))
      words_.push_back(word_);
    word_.clear();
    quoted_ = false;
  }

  Grammar grammar_;
  llvm::StringRef text_;
  size_t next_ = 0;
  char quote_ = 0;
  bool quoted_ = false;
  std::string word_;
  Words words_;
};

} // namespace

llvm::Expected<Words> warpwright::splitNvccList(llvm::StringRef text) {
  Grammar grammar;
  grammar.commas = true;
  grammar.keepQuotes = true;
  return WordSplitter(grammar, text).split();
}

llvm::Expected<Words> warpwright::splitNvccFlags(llvm::StringRef text) {
  Grammar grammar;
  grammar.keepQuotes = true;
  grammar.backslash = Grammar::InQuotesKept;
  return WordSplitter(grammar, text).split();
}

llvm::Expected<Words> warpwright::splitOptionsFile(llvm::StringRef text) {
  return WordSplitter(Grammar(), text).split();
}

llvm::Expected<Words> warpwright::splitShellWords(llvm::StringRef text) {
  Grammar grammar;
  grammar.singleQuotes = true;
  grammar.emptyWords = true;
  grammar.backslash = Grammar::Shell;
  return WordSplitter(grammar, text).split();
}
