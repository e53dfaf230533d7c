#pragma once

#include "feedback/Measurement.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace warpwright {

/// Where jobs are taken: a device of this machine, or a folder that is carried to one.
class MeasuringPlace {
public:
  virtual ~MeasuringPlace() = default;

  /// "sm_90": what cubins are made for.
  virtual std::string architecture() const = 0;
  /// An absolute path; cubins go there, and jobs name them relative to their own place below it.
  virtual std::string codeFolder() const = 0;
  /// The path by which a job names a cubin of codeFolder().
  virtual std::string codePath(llvm::StringRef cubin) const = 0;
  /// Takes a job; the result where there is one at once. Errors are faults of the tool or the machine.
  virtual llvm::Expected<std::optional<nlohmann::ordered_json>> take(const nlohmann::ordered_json &job) = 0;
  /// Runs the job under compute-sanitizer; a place that has none says so.
  virtual llvm::Expected<SanitizerReport> sanitize(const nlohmann::ordered_json &) {
    return SanitizerReport{SanitizerReport::NotRun, "not asked for"};
  }
};

} // namespace warpwright
