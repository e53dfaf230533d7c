#pragma once

#include "analysis/TemporaryFolder.h"
#include "feedback/evaluators/cuda/MeasuringPlace.h"

namespace warpwright {

/// How the runner is started.
struct RunnerChoice {
  std::string program;            ///< a path
  std::string driver;             ///< the driver library; empty: the system's
  std::string temporaryDirectory; ///< where jobs lie; empty: the system's
  std::string sanitizer;          ///< compute-sanitizer; empty: none
};

/// There is no driver, or no device: nothing can be measured here.
class NoDevice : public llvm::ErrorInfo<NoDevice> {
public:
  static char ID;
  explicit NoDevice(std::string reason) : reason(std::move(reason)) {}

  void log(llvm::raw_ostream &stream) const override { stream << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string reason;
};

/// A device of this machine, driven by warpwright-runner in processes of its own.
class LocalDevice : public MeasuringPlace {
public:
  /// Asks the runner for the first device. Fails with NoDevice; other errors are a runner that is missing or
  /// broken.
  static llvm::Expected<LocalDevice> find(const RunnerChoice &choice);

  /// Measures what the device reaches, which takes about a second: description() has it from then on. What
  /// could not be measured, it says.
  llvm::Error measure();

  /// A `warpwright/device/1` document.
  const nlohmann::ordered_json &description() const { return description_; }

  std::string architecture() const override;
  std::string codeFolder() const override { return folder_.path(); }
  std::string codePath(llvm::StringRef cubin) const override { return cubin.str(); }
  llvm::Expected<std::optional<nlohmann::ordered_json>> take(const nlohmann::ordered_json &job) override;
  llvm::Expected<SanitizerReport> sanitize(const nlohmann::ordered_json &job) override;

private:
  LocalDevice(RunnerChoice choice, TemporaryFolder folder, nlohmann::ordered_json description)
      : choice_(std::move(choice)), folder_(std::move(folder)), description_(std::move(description)) {}

  RunnerChoice choice_;
  TemporaryFolder folder_;
  nlohmann::ordered_json description_;
  unsigned jobs_ = 0;
};

/// The runner that belongs to this program: beside it where both are installed, else where it was built.
std::string findRunner(llvm::StringRef program);

} // namespace warpwright
