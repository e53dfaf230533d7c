#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstddef>

namespace warpwright {

/// What is read of a `warpwright/lock/1` document. Choices are not taken from it yet: the number of entries
/// is there to say so.
struct Lock {
  size_t entries = 0;
};

/// Errors name the file, and what keeps it from being a lock.
llvm::Expected<Lock> readLock(llvm::StringRef path);

} // namespace warpwright
