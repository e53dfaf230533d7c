#pragma once

#include "analysis/annotation/AnnotationDiagnostic.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <vector>

namespace warpwright {

/// A token of an annotation. `text` points into the annotation's text.
struct AnnotationToken {
  enum Kind {
    End,        ///< past the last token; its text is empty
    Name,       ///< a C identifier
    Number,     ///< a C preprocessing number: integer or floating, suffix and digit separators included
    Quoted,     ///< a string or character literal
    Punctuation ///< an operator or bracket as C spells it, or a byte that C does not know
  };
  Kind kind = End;
  llvm::StringRef text;
  TextRange range;

  bool is(llvm::StringRef punctuation) const { return kind == Punctuation && text == punctuation; }
};

/// The tokens of `text` as C sees them: the longest operator wins, comments and escaped newlines are blanks.
/// Never fails: an unfinished comment or literal ends with the text.
std::vector<AnnotationToken> tokenizeAnnotation(llvm::StringRef text);

/// A position in a row of tokens that never leaves it.
class TokenCursor {
public:
  /// `end` is the offset reported for what is missing after the last token.
  TokenCursor(llvm::ArrayRef<AnnotationToken> tokens, unsigned end) : tokens_(tokens) {
    end_.range = {end, 0};
  }

  const AnnotationToken &peek() const { return position_ < tokens_.size() ? tokens_[position_] : end_; }
  const AnnotationToken &peekNext() const {
    return position_ + 1 < tokens_.size() ? tokens_[position_ + 1] : end_;
  }
  bool atEnd() const { return position_ >= tokens_.size(); }
  AnnotationToken next();
  /// Steps over the token if it is this operator or bracket.
  bool accept(llvm::StringRef punctuation);
  /// The range of the token before the current one; empty at the start.
  TextRange previous() const { return position_ ? tokens_[position_ - 1].range : TextRange{}; }
  /// The tokens up to the parenthesis that closes the one before the cursor. The cursor ends on that
  /// parenthesis, or at the end where it is missing. Only parentheses count, as in a macro's arguments.
  llvm::ArrayRef<AnnotationToken> takeToClosingParenthesis();

private:
  llvm::ArrayRef<AnnotationToken> tokens_;
  size_t position_ = 0;
  AnnotationToken end_;
};

/// "'x'", or "the end of the clause".
std::string describe(const AnnotationToken &token);

} // namespace warpwright
