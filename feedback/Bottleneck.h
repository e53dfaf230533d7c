#pragma once

#include <llvm/ADT/StringRef.h>

#include <optional>

namespace warpwright {

/// Which kind of change helps against a bottleneck.
enum class BottleneckGroup {
  Compute,    ///< fewer or cheaper instructions
  Memory,     ///< less traffic, or traffic of a better form
  Overhead,   ///< more work a launch, or work shared out better
  Parallelism ///< more that can go on at the same time
};

/// What keeps a kernel from being faster, as a device's counters say: one row of Bottlenecks.def each.
enum class Bottleneck {
#define WARPWRIGHT_BOTTLENECK(Enumerator, id, group, meaning) Enumerator,
#include "feedback/Bottlenecks.def"
};

/// The label in records and reports: "memory-bandwidth".
llvm::StringRef toString(Bottleneck bottleneck);
llvm::StringRef meaningOf(Bottleneck bottleneck);
BottleneckGroup groupOf(Bottleneck bottleneck);
/// Nothing where there is no such label.
std::optional<Bottleneck> parseBottleneck(llvm::StringRef label);

} // namespace warpwright
