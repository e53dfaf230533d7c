#pragma once

#include "feedback/evaluators/cuda/runner/Evaluation.h"

#include <string>
#include <vector>

namespace warpwright::runner {

struct Options {
  std::string job;
  std::string output;         ///< empty: standard output
  bool measureDevice = false; ///< as well
  bool describeDevice = false;
  bool help = false;
  DeviceChoice device;
};

/// A failure names the option.
Fallible<Options> parseOptions(const std::vector<std::string> &arguments);
std::string helpText();

} // namespace warpwright::runner
