#include "feedback/Bottleneck.h"

#include <iterator>

namespace warpwright {
namespace {

struct Row {
  llvm::StringLiteral label;
  BottleneckGroup group;
  llvm::StringLiteral meaning;
};

constexpr Row rows[] = {
#define WARPWRIGHT_BOTTLENECK(Enumerator, id, group, meaning) {id, BottleneckGroup::group, meaning},
#include "feedback/Bottlenecks.def"
};

const Row &rowOf(Bottleneck bottleneck) {
  return rows[static_cast<size_t>(bottleneck)];
}

} // namespace

llvm::StringRef toString(Bottleneck bottleneck) {
  return rowOf(bottleneck).label;
}

llvm::StringRef meaningOf(Bottleneck bottleneck) {
  return rowOf(bottleneck).meaning;
}

BottleneckGroup groupOf(Bottleneck bottleneck) {
  return rowOf(bottleneck).group;
}

std::optional<Bottleneck> parseBottleneck(llvm::StringRef label) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].label == label)
      return static_cast<Bottleneck>(i);
  return std::nullopt;
}

} // namespace warpwright
