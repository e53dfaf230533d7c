#pragma once

#include "feedback/evaluators/virtual/verify/Verification.h"

#include <llvm/ADT/StringRef.h>

#include <string>
#include <vector>

namespace warpwright::agents {

inline constexpr size_t firstLines = 20;
inline constexpr size_t lastLines = 10;
inline constexpr size_t longestLine = 400;

/// The lines of a message that are worth reading: the first 20 and the last 10, with how many are left out
/// between them. Control characters become blanks.
std::vector<std::string> linesThatMatter(llvm::StringRef message);

/// Where the text is wrong, with the line of the source and those around it.
std::vector<std::string> syntaxLines(llvm::StringRef text, unsigned line, unsigned column,
                                     llvm::StringRef message);

/// What was computed wrongly: first bad index and the line that stored it, expected and got, how errors are
/// distributed, and the inputs with which it shows.
std::vector<std::string> semanticLines(const Verification &verification);

/// "34 registers a thread are 2 more than the 32 that are allowed"
std::string overBudget(llvm::StringRef what, uint64_t has, uint64_t allowed);

} // namespace warpwright::agents
