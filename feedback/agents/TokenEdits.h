#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/StringRef.h>

#include <vector>

namespace clang {
class LangOptions;
}

namespace warpwright::agents {

/// Edits that make of the original what the changed text says, token by token: what both have stays as it is
/// in the original, white space between tokens included. A change of layout alone is no edit. The smallest
/// number of tokens is touched, so that edits of others, of a kernel's name for instance, meet few of them.
std::vector<Edit> tokenEdits(llvm::StringRef original, llvm::StringRef changed,
                             const clang::LangOptions &language);

/// A checksum of a text's tokens without comments: equal for texts that differ in layout alone.
std::string tokenChecksum(llvm::StringRef text, const clang::LangOptions &language);

} // namespace warpwright::agents
