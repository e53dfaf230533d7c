#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright::agents {

/// What a unified diff does to one text, as edits of whole lines in their order. Each hunk must fit exactly:
/// at the line it names, or, since who writes diffs by hand miscounts, at the only place where its lines
/// stand. Numbers of lines in its head are not believed. Errors name the hunk, the line of the text, and what
/// stands there instead.
llvm::Expected<std::vector<Edit>> readDiff(llvm::StringRef diff, llvm::StringRef original);

/// The edits as a unified diff with three lines of context. `path` names the file in its head.
std::string writeDiff(llvm::StringRef original, llvm::ArrayRef<Edit> edits, llvm::StringRef path);

} // namespace warpwright::agents
