#pragma once

#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>

namespace warpwright {

namespace loop {
class Store;
}

/// Adds what came of a submission's candidates to the knowledge that searches learn from: an outcome each, by
/// the proposer "agent" or "person". Its strategy is the rewriters of its steps, or the claims of a text, so
/// that weights move for what was done and not for who did it. What was refused, cut short or never became a
/// program is nothing to learn from.
llvm::Error rememberSubmission(loop::Store &store, const nlohmann::ordered_json &record);

} // namespace warpwright
