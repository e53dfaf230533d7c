// kernel-references FOLDER CUDA: runs the example kernels on the virtual device, with all checks, and holds
// what they compute against plain loops in double precision. Prints a line a kernel; exits with 1 where one
// differs or a check says something.

#include "test/tools/ReferenceKernels.h"

#include "analysis/ast/Kernel.h"
#include "analysis/frontend/FrontEnd.h"
#include "feedback/evaluators/values/Initialisation.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace warpwright;
using namespace warpwright::vdevice;
using reference::Buffers;
using Example = reference::Kernel;
using reference::Shape;

namespace {

llvm::ExitOnError check;

/// Inputs in [-1, 1), or integers; outputs that the kernel adds to begin with zero, the others with what no
/// kernel writes.
std::vector<double> initial(const reference::Buffer &buffer, uint64_t count) {
  std::vector<double> values(count);
  values::Initialisation initialisation;
  if (buffer.isInteger)
    initialisation.distribution = values::Distribution::Integers;
  uint64_t key = values::streamKey(1, buffer.name);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = buffer.role == reference::Role::In
                    ? static_cast<float>(values::valueAt(initialisation, key, i, count))
                : buffer.role == reference::Role::Zeroed ? 0
                                                         : 12345;
  return values;
}

class Run {
public:
  Run(DeviceProgram &program, const DeviceKernel &device, const Example &kernel, const Shape &shape)
      : program_(program), device_(device), kernel_(kernel), shape_(shape) {}

  /// Numbers that are wrong, and faults.
  unsigned run() {
    check(memory_.addVariables(program_.variables()));
    LaunchRequest request;
    request.memory = &memory_;
    request.launch = kernel_.launch(shape_);
    request.launch.kernel = kernel_.name;
    for (const auto &[name, value] : shape_)
      request.launch.arguments[name] = value;
    for (const reference::Buffer &buffer : kernel_.buffers)
      request.pointers[buffer.name] = add(buffer);
    Buffers expected = contents_;
    kernel_.compute(shape_, expected);
    unsigned wrong = watch(request);
    for (const reference::Buffer &buffer : kernel_.buffers)
      wrong += compare(buffer, expected[buffer.name], request.pointers[buffer.name]);
    return wrong;
  }

private:
  uint64_t add(const reference::Buffer &buffer) {
    uint64_t count = buffer.elements(shape_);
    contents_[buffer.name] = initial(buffer, count);
    std::vector<uint8_t> bytes(4 * count);
    for (uint64_t i = 0; i < count; ++i) {
      auto number = static_cast<float>(contents_[buffer.name][i]);
      auto integer = static_cast<int32_t>(contents_[buffer.name][i]);
      std::memcpy(&bytes[4 * i], buffer.isInteger ? static_cast<void *>(&integer) : &number, 4);
    }
    BufferRequest request;
    request.name = buffer.name;
    request.bytes = bytes.size();
    request.contents = bytes;
    request.elementBytes = 4;
    request.initialised = buffer.role != reference::Role::Out;
    return check(memory_.addBuffer(request));
  }

  unsigned watch(LaunchRequest &request) {
    WatchedLaunch watched;
    watched.sites = program_.sites();
    watched.kernel = &device_;
    watched.memory = &memory_;
    watched.grid = request.launch.grid;
    watched.block = request.launch.block;
    LaunchWatch checks(watched, {1, true, false});
    request.monitors = checks.monitors();
    LaunchOutcome outcome = check(execute(program_, device_, request));
    std::vector<Fault> faults = checks.faults();
    faults.insert(faults.end(), outcome.faults.begin(), outcome.faults.end());
    for (const Fault &fault : faults)
      std::fputs(faultToText(fault).c_str(), stdout);
    if (outcome.state == LaunchOutcome::State::Undecided)
      std::printf("%s\n", outcome.reason.c_str());
    return static_cast<unsigned>(faults.size()) + (outcome.state == LaunchOutcome::State::Undecided);
  }

  unsigned compare(const reference::Buffer &buffer, const std::vector<double> &expected, uint64_t address) {
    llvm::ArrayRef<uint8_t> bytes = memory_.contents(address);
    double square = 0;
    for (double value : expected)
      square += value * value;
    double scale = expected.empty() ? 0 : std::sqrt(square / static_cast<double>(expected.size()));
    unsigned wrong = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      float number = 0;
      int32_t integer = 0;
      std::memcpy(&number, &bytes[4 * i], 4);
      std::memcpy(&integer, &bytes[4 * i], 4);
      double got = buffer.isInteger ? integer : static_cast<double>(number);
      constexpr double relative = 1e-5;
      double limit =
          buffer.isInteger || expected[i] == 12345 ? 0 : relative * std::max(scale, std::abs(expected[i]));
      if (std::abs(got - expected[i]) <= limit || wrong++ != 0)
        continue;
      std::printf("%s: %s[%zu] is %.9g instead of %.9g\n", kernel_.name.c_str(), buffer.name.c_str(), i, got,
                  expected[i]);
    }
    return wrong;
  }

  DeviceProgram &program_;
  const DeviceKernel &device_;
  const Example &kernel_;
  const Shape &shape_;
  DeviceMemory memory_;
  Buffers contents_;
};

unsigned verify(const Example &kernel, const std::string &folder, const std::string &cuda) {
  ParseRequest parse;
  parse.file = folder + "/" + kernel.name + ".cu";
  parse.architecture = "sm_90";
  parse.cudaPath = cuda;
  parse.clangArguments = {"-I" + folder + "/../../include"};
  std::unique_ptr<TranslationUnit> unit = check(parseTranslationUnit(parse));
  ProgramOptions options;
  options.cudaPath = cuda;
  std::string symbol;
  for (const Kernel &each : listKernels(*unit))
    if (each.name == kernel.name)
      symbol = each.symbol;
  std::unique_ptr<DeviceProgram> program = check(DeviceProgram::create(unit->module(), options));
  const DeviceKernel *device = program->findKernel(symbol);
  unsigned wrong = device ? 0 : 1;
  for (const Shape &shape : kernel.shapes)
    if (device)
      wrong += Run(*program, *device, kernel, shape).run();
  std::printf("%s: %s on %zu shapes\n", kernel.name.c_str(), wrong ? "WRONG" : "right", kernel.shapes.size());
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 3;
  unsigned wrong = 0;
  for (const Example &kernel : reference::exampleKernels())
    wrong += verify(kernel, argv[1], argv[2]);
  return wrong ? 1 : 0;
}
