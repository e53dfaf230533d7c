#pragma once

#include "feedback/loop/Store.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace warpwright {

/// What searches measured of a kernel, from the knowledge: of each candidate its last outcome. Submissions
/// are left out, which have records of their own. Nothing where no store is named, or none is there.
llvm::Expected<std::vector<loop::StoredOutcome>> searchedBefore(const std::string &store,
                                                                const std::string &kernelKey);

/// At most so many words: each architecture's outcomes, the best first. Empty where there are none.
std::string searchSummary(const std::string &kernel, const std::vector<loop::StoredOutcome> &outcomes,
                          size_t mostWords);

/// By architecture: the best candidate, its figures, and what bounds the version that was last gone on from.
nlohmann::ordered_json searchFeedback(const std::vector<loop::StoredOutcome> &outcomes);

} // namespace warpwright
