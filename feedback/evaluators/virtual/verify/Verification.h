#pragma once

#include "feedback/Measurement.h"
#include "feedback/evaluators/virtual/Fault.h"
#include "feedback/evaluators/virtual/verify/Compare.h"
#include "rewriters/Verdict.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One run on which a candidate and the original do not agree.
struct Counterexample {
  std::string shape;  ///< "m = 64, n = 65"
  std::string inputs; ///< "wide, seed 3"
  std::string
      circumstances;  ///< "pointers off by one element", "blocks in order 2", "out aliases in"; may be empty
  std::string buffer; ///< whose contents differ; empty where it is not about contents
  uint64_t element = 0;
  std::string expected;
  std::string got;
  double error = 0; ///< against max(|reference|, root mean square); 0 where it has none
  uint64_t bad = 0; ///< numbers of the buffer that differ too much
  std::optional<vdevice::FaultParty> store; ///< the last that wrote the element; nothing: nobody did
  std::vector<vdevice::Fault> faults;       ///< the candidate's that the original does not have
};

/// Errors of one buffer over all runs, against the reference.
struct BufferErrors {
  std::string buffer;
  values::ErrorDistribution errors;
  values::ErrorDistribution original; ///< of the original itself; all 0 where it is the reference
};

/// What verifying one candidate in the place of one kernel came to.
struct Verification {
  std::string kernel;
  std::string candidate; ///< the plan's label
  Verdict verdict;
  /// Why it was not accepted, as one word of a fixed list (docs/verify.md): a fault's id, "wrong-output",
  /// "unwritten-output", ... Empty for accepted.
  std::string code;
  std::optional<Counterexample> counterexample;
  std::vector<std::string> shapes;        ///< that were run
  unsigned runs = 0;                      ///< of the candidate
  std::vector<std::string> architectures; ///< whose code was run, or is the same as what was run: "sm_90"
  std::vector<BufferErrors> errors;
  std::vector<std::string> notes;         ///< what was inferred, supposed or left out
  std::optional<Measurement> measurement; ///< on a device, where one was asked for
};

/// Adds what a device said: of both verdicts the worse one holds, declined before undecided before accepted.
void addMeasurement(Verification &verification, Measurement measurement);

/// Adds what the same candidate came to on another architecture: declined outweighs undecided, and that
/// accepted; of two alike the first stays.
void addArchitecture(Verification &into, const Verification &other);

/// A `warpwright/verdict/1` document.
nlohmann::ordered_json toJson(llvm::ArrayRef<Verification> verifications);

/// Two lines or more a candidate, for people.
std::string toText(const Verification &verification);

} // namespace warpwright
