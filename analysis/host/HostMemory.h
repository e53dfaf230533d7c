#pragma once

#include "analysis/host/HostCode.h"

#include <optional>
#include <string>

namespace warpwright {

/// What pageable memory of the host the pointer of an expression in that function certainly points into, in
/// words: "memory of malloc()", "the local array 'buffer'", "the elements of the std::vector 'v'". Nothing
/// where it may be anything else: memory that was registered, or of an allocator that is not known, a pointer
/// that comes from elsewhere, or one that is handed to code which is not seen and might register it.
std::optional<std::string> hostMemoryBehind(const clang::Expr &pointer, const HostFunction &function,
                                            const HostCode &code);

} // namespace warpwright
