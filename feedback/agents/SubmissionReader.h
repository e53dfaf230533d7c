#pragma once

#include "feedback/agents/Submission.h"

namespace warpwright::agents {

/// Reads one submission from JSON that anybody may have written: every key is known, every text printable and
/// bounded, every number in range, or the first that is not is the error.
class SubmissionReader {
public:
  explicit SubmissionReader(const SubmissionLimits &limits) : limits_(limits) {}

  llvm::Expected<Submission> read(const nlohmann::ordered_json &document);

private:
  using Json = nlohmann::ordered_json;

  /// Each answers whether the value is right; `wrong_` says what is not.
  bool readEntry(llvm::StringRef key, const Json &value);
  bool readChange(const Json &value);
  bool readSteps(const Json &value);
  bool readStep(const Json &value, SubmittedStep &step);
  bool readSpace(const std::string &where, const Json &value, ParameterSpace &space);
  bool readValues(const std::string &where, const Json &value, std::vector<int64_t> &values);
  bool readLaunch(const Json &value);
  bool readExpressions(const std::string &where, const Json &value, std::vector<std::string> &expressions);
  bool readAuthor(const Json &value);
  bool readReasons(const Json &value);
  bool readReason(const std::string &where, const Json &value, SubmittedReason &reason);
  bool readClaims(const std::string &where, const Json &value, std::vector<Claim> &claims);
  bool readClaim(const std::string &where, const Json &value, Claim &claim);
  bool readText(const std::string &where, const Json &value, size_t most, std::string &text);
  bool checkChange();
  bool fail(std::string wrong);

  const SubmissionLimits &limits_;
  Submission submission_;
  std::string wrong_;
};

} // namespace warpwright::agents
