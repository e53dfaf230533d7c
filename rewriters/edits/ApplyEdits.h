#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// The text with all edits made. Edits that overlap, or two insertions at one offset, are an error that names
/// both reasons: their order would decide what the code means.
llvm::Expected<std::string> applyEdits(llvm::StringRef text, llvm::ArrayRef<Edit> edits);

} // namespace warpwright
