#pragma once

#include "feedback/evaluators/cuda/runner/Fault.h"

#include <nlohmann/json.hpp>

#include <string>

namespace warpwright::runner {

using Json = nlohmann::ordered_json;

/// How the evaluation ends where it does not end with a verdict on the candidate.
enum class Ending {
  Undecided = 2,
  BadJob = 3,
  ToolFault = 4,
  NoDriver = 5,
  NoDevice = 6,
  NoProfiler = 7 ///< where a profile was all that was asked for
};

/// What the evaluating process tells the one that watches it: a line of JSON each, through a pipe, written at
/// once so that what was found before a crash or a hang is known.
class Messages {
public:
  explicit Messages(int descriptor) : descriptor_(descriptor) {}

  /// From here on `blame` runs, for at most `seconds`.
  void begin(const std::string &step, Blame blame, double seconds) const;
  /// From here on the runner itself works, as long as the job may take.
  void own(const std::string &step) const;
  /// The runner waits; the time is not the job's (waiting for the device).
  void waiting(const std::string &step) const;
  void environment(const Json &environment) const;
  void shape(const Json &shape) const;
  /// Of a shape that was told before.
  void profile(const Json &profile) const;
  void note(const std::string &text) const;
  void fault(const Fault &fault) const;
  void end(Ending ending, const std::string &text) const;
  /// Everything was done, and nothing was wrong.
  void accepted() const;

private:
  void send(const Json &message) const;

  int descriptor_;
};

} // namespace warpwright::runner
