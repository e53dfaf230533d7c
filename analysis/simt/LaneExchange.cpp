#include "analysis/simt/LaneExchange.h"

namespace warpwright::simt {

std::optional<LaneExchange> consumeLaneExchange(llvm::StringRef &name) {
#define WARPWRIGHT_LANE_EXCHANGE(enumerator, stem)                                                           \
  if (name.consume_front(stem))                                                                              \
    return LaneExchange::enumerator;
#include "analysis/simt/LaneExchanges.def"
  return std::nullopt;
}

} // namespace warpwright::simt
