#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

// The four ways in which a command of nvcc cuts text into words. They differ in what quotes and backslashes
// do, and each was read off nvcc 13.0. A stray quote, bracket or backslash is an error of all four, as it is
// of nvcc.

/// Items of a list argument. Commas separate; a backslash takes the next character as it is and is gone;
/// double quotes keep commas together and stay; empty items vanish.
llvm::Expected<std::vector<std::string>> splitNvccList(llvm::StringRef text);

/// NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS. Blanks separate; double quotes keep blanks together and stay; so
/// do backslashes, which shield a quote only between quotes.
llvm::Expected<std::vector<std::string>> splitNvccFlags(llvm::StringRef text);

/// An options file. Blanks and line ends separate; double quotes keep blanks together and are gone; a
/// backslash takes the next character as it is and is gone. There are no comments.
llvm::Expected<std::vector<std::string>> splitOptionsFile(llvm::StringRef text);

/// A word that nvcc hands to the host compiler by way of the shell: blanks, both kinds of quotes and
/// backslashes as POSIX has them. Variables and command substitutions are not expanded.
llvm::Expected<std::vector<std::string>> splitShellWords(llvm::StringRef text);

} // namespace warpwright
