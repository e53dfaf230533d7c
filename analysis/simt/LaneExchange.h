#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>

namespace warpwright::simt {

/// Operations in which lanes of a warp see each other's values.
enum class LaneExchange : uint8_t {
#define WARPWRIGHT_LANE_EXCHANGE(enumerator, stem) enumerator,
#include "analysis/simt/LaneExchanges.def"
};

/// The exchange that an intrinsic makes, by its name after "llvm.nvvm.", of which what tells about types is
/// left: ".i32p" of "shfl.sync.up.i32p".
std::optional<LaneExchange> consumeLaneExchange(llvm::StringRef &name);

} // namespace warpwright::simt
