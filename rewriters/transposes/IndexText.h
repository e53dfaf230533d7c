#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace warpwright {

/// Whether the text is one name or number: then it stands beside any operator.
bool isAtom(llvm::StringRef text);

/// The text, in brackets unless it is an atom.
std::string bracketed(const std::string &text);

} // namespace warpwright
