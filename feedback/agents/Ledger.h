#pragma once

#include "feedback/agents/ProgramIdentity.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright::agents {

/// What a candidate of a submission is compared with.
struct RecallKey {
  std::string kernel;     ///< printed name
  std::string original;   ///< checksum of the original kernel's source: under another, verdicts say nothing
  std::string conditions; ///< architectures, and whether a device measured
  std::string claims;     ///< checksum of all claims: what was declined for them may come back with others
  std::string text;       ///< checksum of the candidate's file, token by token; for what does not parse
  ProgramIdentity program;
};

/// What came of a program when it was tried before.
struct Recalled {
  std::string id; ///< of the record
  std::string verdict;
  std::string stage;
  std::string reason;
  std::string by; ///< "text", "source", "code": what made it known
};

/// All submissions that were judged, a `warpwright/submission-record/1` document each, in a folder. A record
/// is written whole or not at all, and never taken away: what was tried is refused with its old verdict, and
/// what a person rejected stays rejected.
class Ledger {
public:
  /// Reads the folder; one that is not there holds nothing. Records that cannot be read are errors.
  static llvm::Expected<Ledger> open(llvm::StringRef folder);

  const std::string &folder() const { return folder_; }
  llvm::ArrayRef<nlohmann::ordered_json> records() const { return records_; }
  const nlohmann::ordered_json *find(llvm::StringRef id) const;

  /// What came of a program that was tried under the same conditions. What was cut short is not remembered.
  std::optional<Recalled> recall(const RecallKey &key) const;

  /// Gives the record its id and writes it. Two processes never take the same id.
  llvm::Expected<std::string> add(nlohmann::ordered_json record);
  /// Writes a record anew, for a person's decision.
  llvm::Error update(const nlohmann::ordered_json &record);

  /// Of the last `most` submissions of agents, those that were wrong, refused or false in their claims; and
  /// how many there were.
  struct Share {
    unsigned judged = 0;
    unsigned wrong = 0;
    double share() const { return judged == 0 ? 0 : double(wrong) / judged; }
  };
  Share wrongShare(unsigned most) const;

private:
  std::string folder_;
  std::vector<nlohmann::ordered_json> records_; ///< by id
};

/// A text of a record, or nothing.
std::string textIn(const nlohmann::ordered_json &record, llvm::StringRef key);

} // namespace warpwright::agents
