// virtual-speed FILE KERNEL GRID-X GRID-Y BLOCK-X BLOCK-Y [NAME=INTEGER ...]: processor seconds of one launch
// on the virtual device without checks with one worker, the best of several; seconds by the clock with one
// worker and with two, and how many cores share the work then, which is the processor seconds of both by
// those of the busier; then processor seconds of one launch with all checks and counters on one worker, the
// best of several, and the accesses that its lanes make.

#include "analysis/ast/Kernel.h"
#include "analysis/frontend/FrontEnd.h"
#include "analysis/ir/Prepare.h"
#include "feedback/evaluators/virtual/DeviceMemory.h"
#include "feedback/evaluators/virtual/Execute.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

using namespace warpwright;
using namespace warpwright::vdevice;

namespace {

constexpr int runs = 7;
constexpr uint64_t bufferBytes = uint64_t(64) << 20;

llvm::ExitOnError check;

double processorSeconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The best of several, each by itself.
struct Speed {
  double byClock = 1e9;
  double processor = 1e9; ///< of all workers
  double cores = 0;       ///< of two workers
};

Speed speedOf(DeviceProgram &program, const DeviceKernel &kernel, LaunchRequest &request) {
  Speed best;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    double all = processorSeconds(CLOCK_PROCESS_CPUTIME_ID),
           first = processorSeconds(CLOCK_THREAD_CPUTIME_ID);
    LaunchOutcome outcome = check(execute(program, kernel, request));
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    all = processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - all;
    first = processorSeconds(CLOCK_THREAD_CPUTIME_ID) - first;
    if (outcome.state != LaunchOutcome::State::Done) {
      std::fprintf(stderr, "%s\n", outcome.reason.c_str());
      for (const Fault &fault : outcome.faults)
        std::fputs(faultToText(fault).c_str(), stderr);
      std::exit(1);
    }
    best.byClock = std::min(best.byClock, seconds.count());
    best.processor = std::min(best.processor, all);
    best.cores = std::max(best.cores, all / std::max(first, all - first));
    std::fputs(outcome.printed.c_str(), stderr);
  }
  return best;
}

struct Watched {
  double seconds = 0; ///< of the processor
  uint64_t accesses = 0;
};

Watched watch(DeviceProgram &program, const DeviceKernel &kernel, LaunchRequest request) {
  std::clock_t start = std::clock();
  LaunchWatch watch({program.sites(), &kernel, request.memory, request.launch.grid, request.launch.block, 0,
                     &program.marks()},
                    {});
  request.monitors = watch.monitors();
  LaunchOutcome outcome = check(execute(program, kernel, request));
  Watched result;
  for (const Fault &fault : watch.faults())
    std::fputs(faultToText(fault).c_str(), stderr);
  if (outcome.state != LaunchOutcome::State::Done || !isClean(watch.faults()))
    std::exit(1);
  for (const simt::AccessCounters &access : watch.counters().accesses)
    result.accesses += access.tally.lanes;
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return result;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 7)
    return 3;
  ParseRequest parse;
  parse.file = argv[1];
  parse.architecture = "sm_90";
  parse.cudaPath = "/usr/local/cuda";
  std::unique_ptr<TranslationUnit> unit = check(parseTranslationUnit(parse));
  check(prepareSourceView(unit->module()));
  ProgramOptions options;
  options.cudaPath = parse.cudaPath;
  std::string symbol;
  for (const Kernel &kernel : listKernels(*unit))
    if (kernel.name == argv[2])
      symbol = kernel.symbol;
  std::unique_ptr<DeviceProgram> program = check(DeviceProgram::create(unit->module(), options));
  const DeviceKernel *kernel = program->findKernel(symbol);
  if (!kernel)
    return 3;
  DeviceMemory memory;
  check(memory.addVariables(program->variables()));
  LaunchRequest request;
  request.memory = &memory;
  request.launch.kernel = argv[2];
  auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  request.launch.grid = {number(3), number(4), 1};
  request.launch.block = {number(5), number(6), 1};
  for (int i = 7; i < argc; ++i) {
    auto [name, value] = llvm::StringRef(argv[i]).split('=');
    request.launch.arguments[name.str()] = static_cast<int64_t>(std::strtoll(value.data(), nullptr, 10));
  }
  for (const DeviceParameter &parameter : kernel->parameters)
    if (parameter.kind == DeviceParameter::Kind::Pointer) {
      BufferRequest buffer;
      buffer.name = parameter.name;
      buffer.bytes = bufferBytes;
      request.pointers[parameter.name] = check(memory.addBuffer(buffer));
    }
  request.workers = 1;
  Speed one = speedOf(*program, *kernel, request);
  request.workers = 2;
  Speed several = speedOf(*program, *kernel, request);
  LaunchRequest small = request;
  small.launch.grid.y = std::max<uint64_t>(1, small.launch.grid.y / 4); // enough to say how fast it is
  small.launch.grid.x = std::min<uint64_t>(small.launch.grid.x, 64);
  watch(*program, *kernel, small); // compiles
  Watched watched = watch(*program, *kernel, small);
  for (int i = 1; i < runs; ++i)
    if (Watched again = watch(*program, *kernel, small); again.seconds < watched.seconds)
      watched = again;
  std::printf("%.9f %.9f %.9f %.3f %.9f %llu\n", one.processor, one.byClock, several.byClock, several.cores,
              watched.seconds, static_cast<unsigned long long>(watched.accesses));
}
