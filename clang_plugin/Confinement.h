#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <string>

namespace warpwright {

// Called between fork and exec: nothing here takes memory from the heap.

/// Lets this process and what it starts make no sockets but local ones. Whether the kernel does that.
bool denyNetwork();

/// Lets them write below the folders alone, and read everywhere. Whether the kernel does all of that.
bool denyWrites(llvm::ArrayRef<std::string> writable);

} // namespace warpwright
