#include "feedback/evaluators/cuda/runner/Options.h"

#include <charconv>

namespace warpwright::runner {

std::string helpText() {
  return R"(warpwright-runner JOB [options]: runs and times an original and a candidate on a CUDA device.
warpwright-runner --device [options]: describes the device.

  --output FILE    where the result goes; default: standard output
  --driver FILE    the driver library; default: libcuda.so.1
  --ordinal N      the device's number; default: 0
  --cupti FILE     the profiler's library; default: libcupti.so.13, then the toolkit's
  --measure        with --device: measure its bandwidths, latencies and peaks, too
  --lock-dir DIR   where the lock of the device lies; default: /tmp
  --no-lock        measure even while somebody else does
  --help           this text

Exit codes: 0 accepted, 1 the candidate is declined, 2 undecided, 3 a bad command line or job, 4 a fault of the
runner, 5 no CUDA driver, 6 no device, 7 no profiler where a profile was all that was asked for.
)";
}

Fallible<Options> parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    bool takesValue = argument == "--output" || argument == "--driver" || argument == "--ordinal" ||
                      argument == "--lock-dir" || argument == "--cupti";
    if (takesValue && i + 1 == arguments.size())
      return Failure{argument + " needs a value"};
    if (argument == "--output") {
      options.output = arguments[++i];
    } else if (argument == "--driver") {
      options.device.driver = arguments[++i];
    } else if (argument == "--cupti") {
      options.device.cupti = arguments[++i];
    } else if (argument == "--lock-dir") {
      options.device.lockFolder = arguments[++i];
    } else if (argument == "--ordinal") {
      const std::string &value = arguments[++i];
      auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.device.ordinal);
      if (error != std::errc() || end != value.data() + value.size() || options.device.ordinal < 0)
        return Failure{"--ordinal: '" + value + "' is no number of a device"};
    } else if (argument == "--no-lock") {
      options.device.lockFolder.clear();
    } else if (argument == "--device") {
      options.describeDevice = true;
    } else if (argument == "--measure") {
      options.measureDevice = true;
    } else if (argument == "--help") {
      options.help = true;
    } else if (argument.starts_with("-") || !options.job.empty()) {
      return Failure{"unknown argument '" + argument + "'"};
    } else {
      options.job = argument;
    }
  }
  if (options.job.empty() != (options.describeDevice || options.help))
    return Failure{options.job.empty() ? "no job is given" : "--device takes no job"};
  if (options.measureDevice && !options.describeDevice)
    return Failure{"--measure goes with --device"};
  return options;
}

} // namespace warpwright::runner
