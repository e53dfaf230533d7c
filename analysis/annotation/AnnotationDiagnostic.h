#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// The bytes [offset, offset + length) of an annotation's text.
struct TextRange {
  unsigned offset = 0;
  unsigned length = 0;

  unsigned end() const { return offset + length; }
  auto operator<=>(const TextRange &) const = default;

  /// From the start of `first` to the end of `last`.
  static TextRange spanning(TextRange first, TextRange last) {
    return {first.offset, last.end() - first.offset};
  }
};

/// What is wrong, one enumerator a row of Mistakes.def.
enum class Mistake {
#define WARPWRIGHT_MISTAKE(Enumerator, id, severity, doc) Enumerator,
#include "analysis/annotation/Mistakes.def"
};

/// Error: the clause is left out of the annotation. Warning: it stays.
enum class AnnotationSeverity { Warning, Error };

/// The kebab-case id of a mistake.
llvm::StringRef idOf(Mistake mistake);
AnnotationSeverity severityOf(Mistake mistake);
/// Every row of Mistakes.def, in its order.
llvm::ArrayRef<Mistake> allMistakes();

/// One mistake in an annotation's text. The note says what would be right and is empty where there is nothing
/// to add.
struct AnnotationDiagnostic {
  unsigned offset = 0;
  unsigned length = 0;
  AnnotationSeverity severity = AnnotationSeverity::Error;
  Mistake id = Mistake::BadArgument;
  std::string message;
  std::string note;
};

AnnotationDiagnostic makeDiagnostic(Mistake id, TextRange where, const llvm::Twine &message,
                                    const llvm::Twine &note = {});

/// A diagnostic on its way up. Its message is the diagnostic's, followed by the position in the text.
class AnnotationError : public llvm::ErrorInfo<AnnotationError> {
public:
  static char ID;
  explicit AnnotationError(AnnotationDiagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}

  const AnnotationDiagnostic &diagnostic() const { return diagnostic_; }
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  AnnotationDiagnostic diagnostic_;
};

llvm::Error makeMistake(Mistake id, TextRange where, const llvm::Twine &message,
                        const llvm::Twine &note = {});

/// Appends what `error` holds; an error of another class becomes a BadValue at `where`.
void collect(llvm::Error error, TextRange where, std::vector<AnnotationDiagnostic> &diagnostics);

/// The one of `choices` that `word` is probably a misspelling of; empty when none is near.
llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> choices);
/// "did you mean 'x'?", or `otherwise` when nothing is near.
std::string suggestion(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> choices,
                       const llvm::Twine &otherwise = {});

} // namespace warpwright
