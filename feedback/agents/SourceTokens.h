#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace clang {
class LangOptions;
}

namespace warpwright::agents {

/// A token of a file as it is written, before any macro is expanded. A directive of the preprocessor is one
/// token, from its `#` to the end of its line.
struct SourceToken {
  unsigned offset = 0;
  unsigned end = 0;
  std::string text; ///< of a directive: its words, one blank between them
  bool isDirective = false;
  bool isIdentifier = false; ///< or a keyword: before the preprocessor they are the same
  bool isComment = false;
};

/// All tokens of the text, comments included. Spliced lines and raw strings are read as the compiler does.
std::vector<SourceToken> tokensOf(llvm::StringRef text, const clang::LangOptions &language);

/// The directive's own word: "include", "pragma"; empty for what is none.
llvm::StringRef directiveName(const SourceToken &token);

/// `#pragma unroll` and `#pragma nounroll`: hints about one loop.
bool isUnrollHint(const SourceToken &token);

} // namespace warpwright::agents
