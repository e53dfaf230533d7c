#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// Whether both change the same bytes, or insert at one offset: their order would decide what the code means.
bool editsMeet(const Edit &left, const Edit &right);

/// The text with all edits made. Edits that overlap, or two insertions at one offset, are an error that names
/// both reasons.
llvm::Expected<std::string> applyEdits(llvm::StringRef text, llvm::ArrayRef<Edit> edits);

/// What a set of candidates of one kernel makes of its file: their edits, or, where one of them changes the
/// launch, the copy of the kernel with the edits in it and the redirected launches; a chain of variants is a
/// copy for each. Errors: edits that meet, two that change the launch under one name.
llvm::Expected<std::vector<Edit>> fileEdits(llvm::StringRef original, llvm::ArrayRef<const Candidate *> set);

/// The file's text under fileEdits().
llvm::Expected<std::string> applyCandidates(llvm::StringRef original, llvm::ArrayRef<const Candidate *> set);

} // namespace warpwright
