#include "feedback/evaluators/cuda/runner/BoundPlan.h"

#include <cstring>

namespace warpwright::runner {
namespace {

cuda::LaunchAttribute attribute(cuda::LaunchAttributeId id) {
  cuda::LaunchAttribute attribute;
  std::memset(&attribute, 0, sizeof attribute);
  attribute.id = id;
  return attribute;
}

} // namespace

BoundPlan::Step BoundPlan::bind(const KernelLaunch &launch, const Program &program,
                                const Workspace &workspace, bool ofCandidate) const {
  Step step;
  step.symbol = launch.symbol;
  step.function = program.function(launch.symbol);
  step.configuration = {launch.grid[0],
                        launch.grid[1],
                        launch.grid[2],
                        launch.block[0],
                        launch.block[1],
                        launch.block[2],
                        launch.dynamicSharedBytes,
                        device_->stream(launch.stream),
                        nullptr,
                        0};
  auto addressOf = [&](const BufferReference &reference) {
    return workspace.address(reference.buffer, ofCandidate) + reference.offset;
  };
  for (const Argument &argument : launch.arguments) {
    std::string bytes = argument.bytes;
    for (const BufferReference &reference : argument.references) {
      cuda::DevicePointer address = addressOf(reference);
      std::memcpy(bytes.data() + reference.at, &address, sizeof address);
    }
    step.arguments.push_back(std::move(bytes));
  }
  const LaunchAttributes &wanted = launch.attributes;
  if (wanted.cooperative) {
    step.attributes.push_back(attribute(cuda::launchCooperative));
    step.attributes.back().value.cooperative = 1;
  }
  if (wanted.cluster) {
    step.attributes.push_back(attribute(cuda::launchClusterDimension));
    step.attributes.back().value.cluster = {(*wanted.cluster)[0], (*wanted.cluster)[1], (*wanted.cluster)[2]};
  }
  if (wanted.programmaticSerialization) {
    step.attributes.push_back(attribute(cuda::launchProgrammaticSerialization));
    step.attributes.back().value.programmaticSerialization = 1;
  }
  if (wanted.persisting) {
    step.attributes.push_back(attribute(cuda::launchAccessPolicyWindow));
    step.attributes.back().value.accessPolicyWindow = {
        reinterpret_cast<void *>(addressOf(wanted.persisting->base)), wanted.persisting->bytes,
        static_cast<float>(wanted.persisting->hitRatio), cuda::accessPersisting, cuda::accessStreaming};
  }
  return step;
}

BoundPlan::BoundPlan(const Device &device, const Program &program, const Plan &plan,
                     const Workspace &workspace, bool ofCandidate)
    : device_(&device) {
  for (const runner::Step &step : plan.steps) {
    if (step.launch) {
      steps_.push_back(bind(*step.launch, program, workspace, ofCandidate));
      streams_.insert(step.launch->stream);
      continue;
    }
    Step fill;
    fill.fillStart = workspace.address(step.fill->start.buffer, ofCandidate) + step.fill->start.offset;
    fill.fillBytes = step.fill->bytes;
    fill.fillValue = step.fill->value;
    steps_.push_back(std::move(fill));
  }
}

std::vector<BoundPlan::Kernel> BoundPlan::kernels() const {
  std::vector<Kernel> kernels;
  for (const Step &step : steps_)
    if (!step.symbol.empty())
      kernels.push_back({step.symbol, step.function, step.configuration});
  return kernels;
}

Problem BoundPlan::enqueue() const {
  const Driver &driver = device_->driver();
  std::vector<void *> arguments;
  for (const Step &step : steps_) {
    if (step.symbol.empty()) {
      if (Problem problem = driver.check(
              driver->fillBytes(step.fillStart, step.fillValue, step.fillBytes, device_->stream()),
              "filling memory"))
        return problem;
      continue;
    }
    arguments.clear();
    for (const std::string &bytes : step.arguments)
      arguments.push_back(const_cast<char *>(bytes.data()));
    cuda::LaunchConfiguration configuration = step.configuration;
    configuration.attributes = const_cast<cuda::LaunchAttribute *>(step.attributes.data());
    configuration.attributeCount = static_cast<unsigned>(step.attributes.size());
    if (Problem problem =
            driver.check(driver->launch(&configuration, step.function, arguments.data(), nullptr),
                         "launching " + step.symbol))
      return problem;
  }
  return std::nullopt;
}

} // namespace warpwright::runner
