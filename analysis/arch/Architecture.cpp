#include "analysis/arch/Architecture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace warpwright {

namespace {

#define ARCHITECTURE(...) Architecture{__VA_ARGS__},
constexpr Architecture table[] = {
#include "analysis/arch/Architectures.def"
};
#undef ARCHITECTURE

/// What the rest of the code relies on, checked where a new row would break it.
constexpr bool wellFormed(const Architecture &row) {
  unsigned last = 0;
  bool grows = true;
  bool growthIsSize = false;
  for (uint16_t size : row.sharedConfigurationsKB) {
    if (size == 0)
      continue;
    grows = grows && size > last;
    last = size;
    growthIsSize = growthIsSize || size == row.carveOutGrowthKB;
  }
  return grows && growthIsSize && row.sharedConfigurationsKB[0] != 0 && row.fp32 != 0 && row.fp64 != 0 &&
         row.maxSharedPerBlock + row.reservedSharedPerBlock == last * 1024 && last <= row.dataCacheKB &&
         row.sharedUnit != 0 && row.maxWarps % Architecture::subPartitions == 0;
}

constexpr bool sortedAndWellFormed() {
  unsigned last = 0;
  for (const Architecture &row : table) {
    const unsigned capability = row.major * 10 + row.minor;
    if (capability <= last || !wellFormed(row))
      return false;
    last = capability;
  }
  return true;
}
static_assert(sortedAndWellFormed(), "rows ascend, and each is consistent in itself");

} // namespace

llvm::ArrayRef<uint16_t> Architecture::sharedConfigurations() const {
  size_t count = 0;
  while (count < sharedConfigurationsKB.size() && sharedConfigurationsKB[count] != 0)
    ++count;
  return llvm::ArrayRef<uint16_t>(sharedConfigurationsKB.data(), count);
}

llvm::ArrayRef<Architecture> architectures() {
  return table;
}

const Architecture *findArchitecture(llvm::StringRef name) {
  if (!name.consume_front("sm_"))
    name.consume_front("compute_");
  if (!name.consume_back("a"))
    name.consume_back("f");
  unsigned capability = 0;
  if (name.size() > 3 || name.starts_with("0") || !llvm::all_of(name, llvm::isDigit) ||
      name.getAsInteger(10, capability))
    return nullptr;
  if (capability == 101)
    capability = 110;
  for (const Architecture &row : table)
    if (row.major * 10 + row.minor == capability)
      return &row;
  return nullptr;
}

} // namespace warpwright
