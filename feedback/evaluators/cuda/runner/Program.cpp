#include "feedback/evaluators/cuda/runner/Program.h"

namespace warpwright::runner {

Fallible<Program> Program::load(const Device &device, const std::string &image) {
  cuda::Module module = nullptr;
  const Driver &driver = device.driver();
  if (Problem problem = driver.check(driver->moduleLoad(&module, image.data()), "loading the cubin"))
    return *problem;
  return Program(device, module);
}

Program::~Program() {
  if (module_)
    device_->driver()->moduleUnload(module_);
}

Problem Program::checkParameters(const KernelLaunch &launch, cuda::Function function) const {
  const Driver &driver = device_->driver();
  if (!driver->functionGetParameter)
    return std::nullopt;
  std::string kernel = "kernel " + launch.symbol;
  size_t offset = 0, bytes = 0, count = 0;
  for (; driver->functionGetParameter(function, count, &offset, &bytes) == cuda::success; ++count) {
    if (count >= launch.arguments.size())
      continue;
    const Argument &argument = launch.arguments[count];
    if (argument.bytes.size() != bytes)
      return Failure{kernel + ": parameter '" + argument.name + "' has " + std::to_string(bytes) +
                     " bytes, the argument " + std::to_string(argument.bytes.size())};
  }
  if (count != launch.arguments.size())
    return Failure{kernel + " has " + std::to_string(count) + " parameters, the launch " +
                   std::to_string(launch.arguments.size()) + " arguments"};
  return std::nullopt;
}

Problem Program::prepare(const KernelLaunch &launch) {
  const Driver &driver = device_->driver();
  cuda::Function &function = functions_[launch.symbol];
  std::string kernel = "kernel " + launch.symbol;
  if (!function)
    if (Problem problem =
            driver.check(driver->moduleGetFunction(&function, module_, launch.symbol.c_str()), kernel))
      return problem;
  if (Problem problem = checkParameters(launch, function))
    return problem;
  auto set = [&](int attribute, int value) {
    return driver.check(driver->functionSetAttribute(function, attribute, value),
                        "setting an attribute of " + kernel);
  };
  const LaunchAttributes &attributes = launch.attributes;
  if (attributes.maxDynamicSharedBytes)
    if (Problem problem =
            set(cuda::functionMaxDynamicShared, static_cast<int>(*attributes.maxDynamicSharedBytes)))
      return problem;
  if (attributes.preferredSharedCarveout)
    if (Problem problem =
            set(cuda::functionPreferredCarveout, static_cast<int>(*attributes.preferredSharedCarveout)))
      return problem;
  if (attributes.nonPortableCluster)
    return set(cuda::functionNonPortableCluster, 1);
  return std::nullopt;
}

Problem Program::prepare(const Plan &plan) {
  for (const Step &step : plan.steps)
    if (step.launch)
      if (Problem problem = prepare(*step.launch))
        return problem;
  return std::nullopt;
}

} // namespace warpwright::runner
