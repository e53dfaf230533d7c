// `warpwright device`: what the GPU of this machine has and reaches, by its driver and by measurement.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/VerifyOnDevice.h"

#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

class DeviceVerb : private ExitTally {
public:
  ExitCode run(const Options &options) {
    llvm::Expected<LocalDevice> device = LocalDevice::find(runnerOf(options, {}));
    if (!device) {
      llvm::Error error = device.takeError();
      ExitCode code = error.isA<NoDevice>() ? ExitCode::Undecided : ExitCode::BadUsage;
      return fail(code, llvm::toString(std::move(error)));
    }
    if (!options.quick)
      if (llvm::Error error = device->measure())
        return fail(ExitCode::Undecided, llvm::toString(std::move(error)));
    if (llvm::Error error = writeOutput(options, device->description().dump(2) + "\n"))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return ExitCode::Clean;
  }
};

} // namespace

ExitCode runDevice(const Options &options) {
  return DeviceVerb().run(options);
}

} // namespace warpwright
