#include "analysis/frontend/Remap.h"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {
namespace {

/// A token where it stands in the text.
struct Word {
  clang::tok::TokenKind kind = clang::tok::unknown;
  size_t begin = 0;
  llvm::StringRef text;

  size_t end() const { return begin + text.size(); }
  bool is(llvm::StringRef wanted) const { return text == wanted; }
  bool isString() const { return clang::tok::isStringLiteral(kind); }
};

/// Preprocessor directives are read as plain words: they, too, hold code that a macro will bring back.
std::vector<Word> readWords(const std::string &text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = language.CUDA =
      true;
  language.RawStringLiterals = true;
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(), text.data() + text.size());
  std::vector<Word> words;
  clang::Token token;
  for (bool atEnd = false; !atEnd;) {
    atEnd = lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof))
      break;
    size_t begin = lexer.getCurrentBufferOffset() - token.getLength();
    words.push_back({token.getKind(), begin, llvm::StringRef(text).substr(begin, token.getLength())});
  }
  return words;
}

bool isSpace(char character) {
  return character == ' ' || character == '\t';
}

/// `extern "C"__global__`: the blank before the literal moves behind it, so that nothing else on the line
/// moves.
std::optional<Mend> separateLinkage(llvm::StringRef text, const Word &word) {
  static constexpr llvm::StringLiteral linkage = "\"C\"";
  if (!word.isString() || !word.text.starts_with("\"C\"__"))
    return std::nullopt;
  std::string reason = "a blank between \"C\" and the attribute, which C++11 reads as the literal's suffix";
  if (word.begin > 0 && isSpace(text[word.begin - 1]))
    return Mend{word.begin - 1, linkage.size() + 1, (linkage + " ").str(), reason};
  return Mend{word.begin + linkage.size(), 0, " ", reason};
}

/// The name of a special register behind a single %: `%clock`, but no operand (`%0`, `%h1`, `%[x]`).
bool namesRegister(llvm::StringRef behindPercent) {
  llvm::StringRef name = behindPercent.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (name.empty() || !llvm::isAlpha(name.front()))
    return false;
  return !name.drop_front().empty() && !llvm::all_of(name.drop_front(), llvm::isDigit);
}

/// Doubles the % of special registers in one string of an asm statement. Where a blank stands before it that
/// PTX does not need, it takes the blank's place.
void escapeRegisters(llvm::StringRef text, const Word &string, std::vector<Mend> &mends) {
  for (size_t i = string.begin; i < string.end(); ++i) {
    if (text[i] != '%')
      continue;
    if (text[i + 1] == '%') {
      ++i;
      continue;
    }
    if (!namesRegister(text.slice(i + 1, string.end())))
      continue;
    std::string reason = "a special register in inline PTX needs %% where the asm has operands";
    bool idleBlank =
        i >= string.begin + 2 && isSpace(text[i - 1]) && (text[i - 2] == ',' || isSpace(text[i - 2]));
    if (idleBlank)
      mends.push_back({i - 1, 1, "%", reason});
    else
      mends.push_back({i, 0, "%", reason});
  }
}

/// Reads one asm statement from the word behind `asm` on. Without operands a % means nothing and stays.
void mendAssembly(llvm::StringRef text, llvm::ArrayRef<Word> words, std::vector<Mend> &mends) {
  while (!words.empty() && (words.front().is("volatile") || words.front().is("__volatile__")))
    words = words.drop_front();
  if (words.empty() || !words.front().is("("))
    return;
  std::vector<Word> strings;
  for (const Word &word : words.drop_front()) {
    if (word.is(":") || word.is("::"))
      break;
    if (word.is(")") || word.is(";"))
      return;
    if (word.isString())
      strings.push_back(word);
  }
  for (const Word &string : strings)
    escapeRegisters(text, string, mends);
}

/// Behind `__shared__`: attributes with their parentheses and words that say nothing about the type.
llvm::ArrayRef<Word> skipSpecifiers(llvm::ArrayRef<Word> words) {
  while (!words.empty()) {
    if (words.front().is("static")) {
      words = words.drop_front();
      continue;
    }
    if (!words.front().is("alignas") && !words.front().is("__align__") && !words.front().is("__attribute__"))
      return words;
    int depth = 0;
    do {
      words = words.drop_front();
      if (!words.empty())
        depth += words.front().is("(") ? 1 : words.front().is(")") ? -1 : 0;
    } while (depth > 0 && !words.empty());
    words = words.empty() ? words : words.drop_front();
  }
  return words;
}

/// The words between `__shared__` and the name; empty where the declaration has another form.
llvm::ArrayRef<Word> typeBefore(llvm::ArrayRef<Word> before) {
  for (size_t i = before.size(); i > 0; --i) {
    const Word &word = before[i - 1];
    if (word.is(";") || word.is("{") || word.is("}") || word.is("#"))
      return {};
    if (word.is("__shared__"))
      return skipSpecifiers(before.drop_front(i));
  }
  return {};
}

/// `[n][m]` between the name and the semicolon; nothing where anything else stands there.
std::optional<llvm::StringRef> extentsBehind(llvm::StringRef text, llvm::ArrayRef<Word> words) {
  const Word &name = words.front();
  int depth = 0;
  for (const Word &word : words.drop_front()) {
    depth += word.is("[") ? 1 : word.is("]") ? -1 : 0;
    if (depth == 0 && word.is(";"))
      return text.slice(name.end(), word.begin).rtrim();
    if (depth == 0 && !word.is("]"))
      return std::nullopt;
  }
  return std::nullopt;
}

bool addAll(RemappedSource &file, std::vector<Mend> mends) {
  bool added = false;
  for (Mend &mend : mends)
    added |= file.add(std::move(mend));
  return added;
}

std::vector<Mend> mendSite(unsigned diagnostic, llvm::StringRef text, size_t offset) {
  switch (diagnostic) {
  case clang::diag::err_shared_var_init:
    return mendSharedObject(text, offset);
  case clang::diag::err_ovl_unresolvable:
  case clang::diag::err_template_kw_missing:
    return mendDependentTemplate(text, offset);
  default:
    return {};
  }
}

} // namespace

bool RemappedSource::add(Mend mend) {
  llvm::StringRef replaced = llvm::StringRef(original_).substr(mend.offset, mend.length);
  if (mend.offset + mend.length > original_.size() ||
      replaced.count('\n') != llvm::StringRef(mend.replacement).count('\n'))
    return false;
  auto next = llvm::find_if(mends_, [&](const Mend &other) { return other.offset >= mend.offset; });
  if (next != mends_.end() && (next->offset == mend.offset || next->offset < mend.offset + mend.length))
    return false;
  if (next != mends_.begin() && std::prev(next)->offset + std::prev(next)->length > mend.offset)
    return false;
  mends_.insert(next, std::move(mend));
  return true;
}

std::string RemappedSource::text() const {
  std::string result;
  size_t from = 0;
  for (const Mend &mend : mends_) {
    result.append(original_, from, mend.offset - from);
    result += mend.replacement;
    from = mend.offset + mend.length;
  }
  return result.append(original_, from);
}

std::optional<size_t> RemappedSource::toOriginal(size_t offset) const {
  for (const Mend &mend : llvm::reverse(mends_)) {
    size_t begin = mend.offset;
    for (const Mend &earlier : mends_) {
      if (earlier.offset >= mend.offset)
        break;
      begin += earlier.replacement.size() - earlier.length;
    }
    if (offset >= begin + mend.replacement.size())
      return offset - (begin + mend.replacement.size()) + mend.offset + mend.length;
    if (offset >= begin)
      return std::nullopt;
  }
  return offset;
}

bool RemappedSource::touches(size_t begin, size_t end) const {
  return llvm::any_of(mends_, [&](const Mend &mend) {
    return mend.offset < end && std::max(mend.offset + mend.length, mend.offset + 1) > begin;
  });
}

std::vector<Mend> findMends(llvm::StringRef text) {
  std::string copy = text.str(); // the lexer wants a zero at the end
  std::vector<Word> words = readWords(copy);
  std::vector<Mend> mends;
  for (size_t i = 0; i < words.size(); ++i) {
    if (std::optional<Mend> mend = separateLinkage(text, words[i]))
      mends.push_back(std::move(*mend));
    if (words[i].is("asm") || words[i].is("__asm__") || words[i].is("__asm"))
      mendAssembly(text, llvm::ArrayRef(words).drop_front(i + 1), mends);
  }
  return mends;
}

std::vector<Mend> mendSharedObject(llvm::StringRef text, size_t nameOffset) {
  std::string copy = text.str();
  std::vector<Word> words = readWords(copy);
  auto name = llvm::find_if(words, [&](const Word &word) { return word.begin == nameOffset; });
  if (name == words.end() || name->kind != clang::tok::raw_identifier)
    return {};
  size_t position = name - words.begin();
  llvm::ArrayRef<Word> type = typeBefore(llvm::ArrayRef(words).take_front(position));
  std::optional<llvm::StringRef> extents = extentsBehind(text, llvm::ArrayRef(words).drop_front(position));
  if (type.empty() || !extents)
    return {};
  std::string reason = "an object in shared memory is storage that no constructor runs for";
  std::string storage = name->text.str() + "__storage";
  std::string declarators =
      (*extents + "> " + storage + "; auto &" + name->text + " = " + storage + ".value").str();
  return {{type.front().begin, 0, "__warpwright_storage<", reason},
          {name->begin, name->text.size() + extents->size(), declarators, reason}};
}

std::vector<Mend> mendDependentTemplate(llvm::StringRef text, size_t offset) {
  std::string copy = text.str();
  std::vector<Word> words = readWords(copy);
  auto word = llvm::find_if(words, [&](const Word &candidate) { return candidate.begin == offset; });
  for (; word != words.end() && !word->is(";") && !word->is("("); ++word) {
    bool behindTemplate = word->is("::") && word != words.begin() && std::prev(word)->text.ends_with(">");
    if (!behindTemplate || std::distance(word, words.end()) < 3)
      continue;
    if (word[1].kind == clang::tok::raw_identifier && word[2].is("<"))
      return {{word[1].begin, 0, "template ", "the name of a template within a dependent type"}};
  }
  return {};
}

bool Remapping::learn(const ParseErrors &errors) {
  bool learnt = false;
  for (const auto &[name, text] : errors.texts) {
    auto [file, isNew] = files_.try_emplace(name, text);
    if (isNew)
      learnt |= addAll(file->second, findMends(text));
  }
  for (const ParseErrors::Site &site : errors.sites) {
    RemappedSource &file = files_.at(site.file);
    if (std::optional<size_t> offset = file.toOriginal(site.offset))
      learnt |= addAll(file, mendSite(site.diagnostic, file.original(), *offset));
  }
  // A file without a mend is read as it lies on disk.
  for (auto file = files_.begin(); file != files_.end();)
    file = file->second.mends().empty() ? files_.erase(file) : std::next(file);
  return learnt;
}

} // namespace warpwright
