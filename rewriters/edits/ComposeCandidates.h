#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

namespace warpwright {

/// An edit of the original that does what edits of two steps do, and which of them it is made of.
struct ComposedEdit {
  Edit edit;
  std::vector<size_t> first;  ///< positions among the first step's edits
  std::vector<size_t> second; ///< among the second's
};

/// Edits of the original text that make of it what `second`, edits of the outcome of `first`, make of that.
/// Where edits of both steps touch they become one. The reasons of what was joined are joined.
llvm::Expected<std::vector<ComposedEdit>> composeEdits(llvm::StringRef original, llvm::ArrayRef<Edit> first,
                                                       llvm::ArrayRef<Edit> second);

/// The sequence of two candidates as one against the original: `second` was proposed on what `first` makes of
/// the file, for the copy where there is one. Claims are those of `second`, since the facts of the first step
/// are what they compare with. Errors: edits of `second` that reach beyond what can be followed.
llvm::Expected<Candidate> composeCandidates(llvm::StringRef original, const Candidate &first,
                                            const Candidate &second);

} // namespace warpwright
