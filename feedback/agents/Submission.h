#pragma once

#include "rewriters/Claim.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::agents {

// A submission is what an agent or a person wants judged: one change of one kernel, or a small space of them,
// with reasons. It is data from outside: nothing of it is believed before the net has seen it.
// docs/schema/submission-1.json has the form, docs/agents.md the meaning.

/// Values of one parameter, in the order in which they are tried.
using ParameterSpace = std::map<std::string, std::vector<int64_t>>;
using ParameterPoint = std::map<std::string, int64_t>;

/// Why one part of the change is made.
struct SubmittedReason {
  std::string finding; ///< the id of a finding of the kernel that it answers, or "none"
  std::string what;
  std::string why;
  std::string expectedGain;
  std::string risk;
  std::string check;         ///< how one sees that it did what it should
  std::vector<Claim> claims; ///< what the facts of the result are to show
};

/// A rewriter with the points of its parameters that are wanted; what is left out may have any value.
struct SubmittedStep {
  std::string rewriter;
  std::string subject; ///< empty: any
  ParameterSpace parameters;
};

/// The launch in the place of the annotated one: expressions of annotations.
struct SubmittedLaunch {
  std::vector<std::string> grid; ///< by axis; empty: as annotated
  std::vector<std::string> block;
  std::optional<std::string> dynamicShared;
};

/// Who it comes from. For reports, and so that what was learnt can be led back to a model.
struct SubmittedAuthor {
  std::string kind; ///< "person" or "agent"
  std::string name;
  std::string model;
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object(); ///< of the model
  std::string prompt;                                                   ///< checksum
};

struct Submission {
  std::string kernel; ///< printed name; empty: the only annotated one
  std::string title;
  SubmittedAuthor author;
  // Exactly one of the three.
  std::string patch;                     ///< a unified diff of the file
  std::string source;                    ///< the kernel's whole definition, and device functions before it
  std::vector<SubmittedStep> steps;      ///< rewriters, one after the other
  ParameterSpace parameters;             ///< of patch and source: `@NAME@` stands for the value
  std::optional<SubmittedLaunch> launch; ///< of patch and source
  std::vector<SubmittedReason> reasons;
};

/// What a submission may be at most.
struct SubmissionLimits {
  size_t bytes = 256 << 10; ///< of the JSON text
  size_t points = 16;       ///< of all its parameters together
  size_t reasons = 32;
};

/// How deep JSON from outside may nest: what reads and writes it is recursive.
inline constexpr unsigned deepestJson = 48;

/// Whether text nests no deeper than that, as far as brackets outside of strings tell.
bool isShallow(llvm::StringRef json);

/// A text is no submission, which whoever wrote it can mend: other errors are not theirs.
class NotASubmission : public llvm::ErrorInfo<NotASubmission> {
public:
  static char ID;
  explicit NotASubmission(std::string reason) : reason(std::move(reason)) {}

  void log(llvm::raw_ostream &stream) const override { stream << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string reason;
};

/// Reads a submission. Fails with NotASubmission, which names the key and what is wrong with its value: too
/// large, no JSON, an unknown key, none or two kinds of change, more points than the limit.
llvm::Expected<Submission> parseSubmission(llvm::StringRef text, const SubmissionLimits &limits);
llvm::Expected<Submission> readSubmission(const nlohmann::ordered_json &document,
                                          const SubmissionLimits &limits);

/// What of its reasons is missing; empty where they are complete. A submission without reasons is declined
/// unrun: nothing could be learnt from it.
std::string missingReasons(const Submission &submission);

/// A `warpwright/submission/1` document.
nlohmann::ordered_json toJson(const Submission &submission);

/// All points of a space, the first parameter's values changing slowest; one empty point where there are
/// none.
std::vector<ParameterPoint> pointsOf(const ParameterSpace &space);

/// The text with every `@NAME@` replaced by the point's value. An error names a parameter that the text does
/// not hold.
llvm::Expected<std::string> substitute(llvm::StringRef text, const ParameterPoint &point);

/// A text that stands for a program in memory and in records: SHA-256, in hexadecimal digits.
std::string checksumOf(llvm::StringRef text);

/// JSON as text that is valid whatever its strings hold.
std::string dump(const nlohmann::ordered_json &value, int indent = -1);

} // namespace warpwright::agents
