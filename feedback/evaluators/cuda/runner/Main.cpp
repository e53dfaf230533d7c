#include "feedback/evaluators/cuda/runner/Device.h"
#include "feedback/evaluators/cuda/runner/DeviceLock.h"
#include "feedback/evaluators/cuda/runner/Options.h"
#include "feedback/evaluators/cuda/runner/Probe.h"
#include "feedback/evaluators/cuda/runner/Supervisor.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace warpwright::runner;

namespace {

int fail(Ending ending, const std::string &text) {
  std::cerr << "warpwright-runner: " << text << "\n";
  return static_cast<int>(ending);
}

/// Writes beside the target first: a result that is cut short must not look like one.
bool writeDocument(const Json &document, const std::string &path) {
  std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path.empty())
    return static_cast<bool>(std::cout << text << std::flush);
  std::string beside = path + ".new";
  std::ofstream stream(beside, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream)
    std::filesystem::rename(beside, path, error);
  return stream && !error;
}

int describeDevice(const Options &options) {
  Fallible<Driver> driver = Driver::load(options.device.driver);
  if (!driver)
    return fail(Ending::NoDriver, driver.failure().text);
  Fallible<Device> device = Device::find(*driver, options.device.ordinal);
  if (!device)
    return fail(Ending::NoDevice, device.failure().text);
  Json document = {{"schema", "warpwright/device/1"}};
  document.update(device->describe());
  if (options.measureDevice) {
    std::optional<DeviceLock> lock;
    if (!options.device.lockFolder.empty()) {
      Fallible<DeviceLock> acquired = DeviceLock::acquire(options.device.lockFolder, device->uuid());
      if (!acquired)
        return fail(Ending::ToolFault, acquired.failure().text);
      lock.emplace(std::move(*acquired));
    }
    if (Problem problem = device->open())
      return fail(Ending::NoDevice, problem->text);
    document["measured"] = probeDevice(*device);
  }
  return writeDocument(document, options.output)
             ? 0
             : fail(Ending::ToolFault, "the description cannot be written");
}

int runJob(const Options &options) {
  std::ifstream stream(options.job, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream)
    return fail(Ending::BadJob, "'" + options.job + "' cannot be read");
  std::string folder = std::filesystem::absolute(options.job).parent_path().string();
  Fallible<Job> job = readJob(text.str(), folder);
  if (!job)
    return fail(Ending::BadJob, job.failure().text);
  Outcome outcome =
      supervise(*job, [&](const Messages &messages) { evaluate(*job, options.device, messages); });
  if (!writeDocument(outcome.result, options.output))
    return fail(Ending::ToolFault, "the result cannot be written");
  if (outcome.exitCode != 0)
    std::cerr << "warpwright-runner: " << outcome.result["reason"].get<std::string>() << "\n";
  return outcome.exitCode;
}

} // namespace

int main(int count, char **values) {
  Fallible<Options> options = parseOptions({values + 1, values + count});
  if (!options)
    return fail(Ending::BadJob, options.failure().text + "; --help lists what there is");
  if (options->help) {
    std::cout << helpText();
    return 0;
  }
  return options->describeDevice ? describeDevice(*options) : runJob(*options);
}
