#include "analysis/annotation/AnnotationDiagnostic.h"

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace warpwright {
namespace {

struct MistakeRow {
  Mistake mistake;
  llvm::StringLiteral id;
  AnnotationSeverity severity;
};

constexpr MistakeRow Rows[] = {
#define WARPWRIGHT_MISTAKE(Enumerator, id, severity, doc)                                                    \
  {Mistake::Enumerator, id, AnnotationSeverity::severity},
#include "analysis/annotation/Mistakes.def"
};

constexpr Mistake Mistakes[] = {
#define WARPWRIGHT_MISTAKE(Enumerator, id, severity, doc) Mistake::Enumerator,
#include "analysis/annotation/Mistakes.def"
};

} // namespace

char AnnotationError::ID = 0;

llvm::StringRef idOf(Mistake mistake) {
  return Rows[static_cast<size_t>(mistake)].id;
}

AnnotationSeverity severityOf(Mistake mistake) {
  return Rows[static_cast<size_t>(mistake)].severity;
}

llvm::ArrayRef<Mistake> allMistakes() {
  return Mistakes;
}

AnnotationDiagnostic makeDiagnostic(Mistake id, TextRange where, const llvm::Twine &message,
                                    const llvm::Twine &note) {
  return {where.offset, where.length, severityOf(id), id, message.str(), note.str()};
}

void AnnotationError::log(llvm::raw_ostream &stream) const {
  stream << diagnostic_.message << " (at offset " << diagnostic_.offset << ")";
}

llvm::Error makeMistake(Mistake id, TextRange where, const llvm::Twine &message, const llvm::Twine &note) {
  return llvm::make_error<AnnotationError>(makeDiagnostic(id, where, message, note));
}

void collect(llvm::Error error, TextRange where, std::vector<AnnotationDiagnostic> &diagnostics) {
  llvm::handleAllErrors(
      std::move(error), [&](const AnnotationError &mistake) { diagnostics.push_back(mistake.diagnostic()); },
      [&](const llvm::ErrorInfoBase &other) {
        diagnostics.push_back(makeDiagnostic(Mistake::BadValue, where, other.message()));
      });
}

llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> choices) {
  // A third of the letters may differ: "blok" is near "block", "n" is near nothing but an equal letter in
  // other case.
  unsigned limit = std::max<size_t>(1, word.size() / 3);
  llvm::StringRef best;
  for (llvm::StringRef choice : choices) {
    unsigned distance =
        word.equals_insensitive(choice)
            ? 0
            : word.edit_distance(choice, /*AllowReplacements=*/true, /*MaxEditDistance=*/limit);
    if (distance > limit || distance >= std::max(word.size(), choice.size()))
      continue;
    if (best.empty() || distance < limit) {
      best = choice;
      limit = distance;
    }
  }
  return best;
}

std::string suggestion(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> choices,
                       const llvm::Twine &otherwise) {
  llvm::StringRef nearest = nearestTo(word, choices);
  return nearest.empty() ? otherwise.str() : ("did you mean '" + nearest + "'?").str();
}

} // namespace warpwright
