#pragma once

#include <string>

namespace warpwright {

/// The outcome of one stage of the net. A fault of the tool is not a verdict but an llvm::Error.
struct Verdict {
  enum class Kind { Accepted, Declined, Undecided };
  Kind kind = Kind::Undecided;
  std::string stage;  ///< "legality", "facts", "ptxas", "dominance", ...
  std::string reason; ///< never empty unless accepted
};

/// "accepted", "declined" or "undecided".
const char *toString(Verdict::Kind kind);

} // namespace warpwright
