#include "feedback/evaluators/virtual/Execute.h"

#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/ProgramAccess.h"
#include "feedback/evaluators/virtual/execution/Arguments.h"
#include "feedback/evaluators/virtual/execution/BlockRunner.h"

#include <numeric>
#include <thread>

namespace warpwright::vdevice {
namespace {

/// The limits that all devices since compute capability 7.5 share (CUDA C++ programming guide, technical
/// specifications); shared memory is that of the largest.
constexpr uint64_t maxThreads = 1024;
constexpr uint64_t maxBlockZ = 64;
constexpr uint64_t maxGridX = 2147483647;
constexpr uint64_t maxGridYZ = 65535;
constexpr uint64_t maxSharedBytes = 232448;

llvm::Error fail(const LaunchRequest &request, const llvm::Twine &message) {
  return llvm::createStringError("launch of '" + request.launch.kernel + "': " + message);
}

std::string print(const Dim3 &extent) {
  return "(" + std::to_string(extent.x) + ", " + std::to_string(extent.y) + ", " + std::to_string(extent.z) +
         ")";
}

llvm::Error check(const DeviceKernel &kernel, const LaunchRequest &request) {
  const Dim3 &grid = request.launch.grid;
  const Dim3 &block = request.launch.block;
  auto isEmpty = [](const Dim3 &extent) { return extent.x == 0 || extent.y == 0 || extent.z == 0; };
  if (isEmpty(grid))
    return fail(request, "the grid " + print(grid) + " is empty");
  if (isEmpty(block))
    return fail(request, "the block " + print(block) + " is empty");
  if (block.x > maxThreads || block.y > maxThreads || block.z > maxBlockZ || block.count() > maxThreads)
    return fail(request, "a block of " + print(block) + " threads is larger than a device runs");
  if (grid.x > maxGridX || grid.y > maxGridYZ || grid.z > maxGridYZ)
    return fail(request, "a grid of " + print(grid) + " blocks is larger than a device runs");
  if (kernel.staticSharedBytes + request.launch.dynamicSharedBytes > maxSharedBytes)
    return fail(request, std::to_string(kernel.staticSharedBytes + request.launch.dynamicSharedBytes) +
                             " bytes of shared memory are more than a block can have");
  assert(request.memory && "a launch has memory, if only an empty one");
  return llvm::Error::success();
}

/// An order of blocks drawn from the seed: steps of a length that has no divisor in common with their number.
void drawOrder(LaunchState &state) {
  uint64_t seed = state.request.orderSeed;
  if (!seed || state.blocks < 2)
    return;
  auto next = [&seed] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
  next();
  state.orderFirst = (next() >> 16) % state.blocks;
  do
    state.orderStep = 1 + (next() >> 16) % state.blocks;
  while (std::gcd(state.orderStep, state.blocks) != 1);
}

void work(LaunchState &state, Monitor *monitor) {
  llvm::Expected<std::unique_ptr<BlockRunner>> runner = BlockRunner::create(state, monitor);
  if (runner)
    return (*runner)->run();
  std::scoped_lock lock(state.mutex);
  state.failure = llvm::toString(runner.takeError());
}

void runWorkers(LaunchState &state) {
  const LaunchRequest &request = state.request;
  size_t count = request.monitors.size();
  if (count == 0)
    count = request.workers ? request.workers : std::max(1u, std::thread::hardware_concurrency());
  // A worker without blocks would only cost its start; monitors see nothing then, as they would anyway.
  count = static_cast<size_t>(std::min<uint64_t>(count, state.blocks));
  std::vector<std::thread> threads;
  auto monitorOf = [&](size_t i) { return request.monitors.empty() ? nullptr : request.monitors[i]; };
  for (size_t i = 1; i < count; ++i)
    threads.emplace_back([&state, monitor = monitorOf(i)] { work(state, monitor); });
  work(state, monitorOf(0));
  for (std::thread &thread : threads)
    thread.join();
}

/// Which access it was that touched memory that belongs to nothing: its block is run again with a monitor.
/// What the block left in memory by then may lead it elsewhere; then nothing is found.
std::optional<Fault> findWild(DeviceProgram &program, const LaunchState &before) {
  LaunchRequest request = before.request;
  WatchedLaunch watched{program.sites(),     &before.kernel,       request.memory,
                        request.launch.grid, request.launch.block, request.launch.dynamicSharedBytes,
                        &program.marks()};
  AccessFinder finder(watched, *before.wild);
  request.monitors = {&finder};
  request.stepLimit = std::min(request.stepLimit, watchedStepLimit);
  ThreadOrder order = request.orderSeed ? ThreadOrder::Any : ThreadOrder::Ascending;
  llvm::Expected<const CompiledKernel *> code =
      ProgramAccess::compiled(program, before.kernel.symbol, Lowering::Watched, order);
  if (!code) {
    llvm::consumeError(code.takeError());
    return std::nullopt;
  }
  LaunchState state(**code, before.kernel, request);
  state.parameters = before.parameters;
  state.variables = before.variables;
  // The last number alone, which is that of the block.
  state.blocks = before.blocks;
  state.next = before.blocks - 1;
  state.orderFirst = (before.wild->block + 1) % before.blocks;
  work(state, &finder);
  return finder.fault();
}

/// The fault that says more takes the place of the one that knows an address alone.
void tellWild(DeviceProgram &program, LaunchState &state) {
  std::optional<Fault> found = state.wild ? findWild(program, state) : std::nullopt;
  if (!found)
    return;
  llvm::erase_if(state.faults, [](const Fault &fault) {
    return fault.kind == FaultKind::OutOfBounds && !fault.party.place.known();
  });
  state.report(std::move(*found));
}

} // namespace

llvm::Expected<LaunchOutcome> execute(DeviceProgram &program, const DeviceKernel &kernel,
                                      const LaunchRequest &request) {
  if (llvm::Error error = check(kernel, request))
    return std::move(error);
  assert((!request.shadow || request.monitors.size() == 1) && "numbers are shadowed by one worker");
  Lowering lowering = request.shadow             ? Lowering::Shadowed
                      : request.monitors.empty() ? Lowering::Plain
                                                 : Lowering::Watched;
  ThreadOrder order = request.orderSeed ? ThreadOrder::Any : ThreadOrder::Ascending;
  llvm::Expected<const CompiledKernel *> code =
      ProgramAccess::compiled(program, kernel.symbol, lowering, order);
  if (!code)
    return code.takeError();
  LaunchOutcome outcome;
  if (!(*code)->uncovered.empty()) {
    outcome.state = LaunchOutcome::State::Undecided;
    outcome.reason = "undecided: " + (*code)->uncovered;
    return outcome;
  }
  LaunchState state(**code, kernel, request);
  llvm::Expected<std::vector<uint8_t>> parameters = bindParameters(kernel, request);
  if (!parameters)
    return parameters.takeError();
  state.parameters = std::move(*parameters);
  for (size_t i = 0; i < program.variables().size(); ++i)
    state.variables.push_back(request.memory->variableAddress(i));
  state.blocks = request.launch.grid.count();
  drawOrder(state);
  runWorkers(state);
  if (!state.failure.empty())
    return fail(request, state.failure);
  tellWild(program, state);
  outcome.faults = std::move(state.faults);
  if (!isClean(outcome.faults))
    outcome.state = LaunchOutcome::State::Faulted;
  for (auto &[block, text] : state.printed)
    outcome.printed += text;
  return outcome;
}

} // namespace warpwright::vdevice
