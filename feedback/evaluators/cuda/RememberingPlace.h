#pragma once

#include "feedback/evaluators/cuda/MeasuringPlace.h"
#include "feedback/loop/Store.h"

namespace warpwright {

/// A place whose answers are kept in the knowledge before anybody reads them, so that a killed tune has lost
/// none; one that goes on does not ask the device again. A job names code by its checksum, so that a job and
/// the device are all that an answer depends on.
class RememberingPlace : public MeasuringPlace {
public:
  /// Both are borrowed. `device` tells devices, drivers and machines apart. `reuses`: kept answers are taken.
  RememberingPlace(MeasuringPlace &place, loop::Store &store, std::string device, bool reuses)
      : place_(place), store_(store), device_(std::move(device)), reuses_(reuses) {}

  std::string architecture() const override { return place_.architecture(); }
  std::string codeFolder() const override { return place_.codeFolder(); }
  std::string codePath(llvm::StringRef cubin) const override { return place_.codePath(cubin); }
  llvm::Expected<std::optional<nlohmann::ordered_json>> take(const nlohmann::ordered_json &job) override;

private:
  MeasuringPlace &place_;
  loop::Store &store_;
  std::string device_;
  bool reuses_;
};

} // namespace warpwright
