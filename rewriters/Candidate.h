#pragma once

#include "analysis/Place.h"
#include "rewriters/Claim.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpwright {

/// One replacement in one file, revertible alone: the bytes [offset, offset + length) of the original become
/// `text`.
struct Edit {
  std::string file;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  Place place;              ///< of the first byte, for reports
  std::string reason;       ///< why this edit is made; never empty
  std::string expectedGain; ///< in the words of a report: "32-way bank conflict becomes 1-way"
  std::string risk;         ///< what could be wrong with it, or "none"
};

/// What one rewriter would do to one kernel at one point of its parameter space.
struct Candidate {
  std::string rewriter; ///< kebab-case id
  std::string kernelKey;
  std::string subject;                       ///< what it is about, for reports: a variable, a parameter
  std::map<std::string, int64_t> parameters; ///< for instance {"pad": 1}
  /// What its reasons say of the result, to be checked there. A symbol is spelt as the device IR spells it.
  std::vector<Claim> claims;
  std::vector<Edit> edits; ///< disjoint, in order of file and offset

  /// The rewriter with its parameters, for reports: "pad-shared-array pad=1".
  std::string name() const {
    std::string text = rewriter;
    for (const auto &[parameter, value] : parameters)
      text += " " + parameter + "=" + std::to_string(value);
    return text;
  }
  std::vector<std::string> assumptions; ///< what its legality rests on beyond proved facts; empty when proved
};

/// A kernel a rewriter looked at and left alone, with the missing fact or the failed condition named.
struct Decline {
  std::string rewriter;
  std::string kernelKey;
  Place place;
  std::string reason;
};

} // namespace warpwright
