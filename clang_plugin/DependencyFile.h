#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// The depfile that nvcc wrote for a generated source, told again about the original: the generated file's
/// name is replaced by the original's, and `extra` dependencies (the tool, the lock, the policy) are added to
/// the rule. `text` is in Make's syntax, with its escapes; what is not touched keeps them.
std::string redirectDependencies(llvm::StringRef text, llvm::StringRef generated, llvm::StringRef original,
                                 llvm::ArrayRef<std::string> extra);

/// A file name as Make spells it in a rule.
std::string escapeForMake(llvm::StringRef path);

} // namespace warpwright
