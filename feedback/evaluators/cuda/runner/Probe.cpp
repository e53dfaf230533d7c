#include "feedback/evaluators/cuda/runner/Probe.h"
#include "feedback/evaluators/cuda/runner/ProbeKernels.h"
#include "feedback/evaluators/cuda/runner/Statistics.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace warpwright::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned repeats = 7; ///< of which the median counts
constexpr uint64_t elementBytes = 16;

/// Arguments of a probe, in the order of its parameters.
struct ProbeArguments {
  uint64_t data = 0;
  uint64_t out = 0;
  uint32_t mask = 0;
  uint32_t offset = 0;
  uint32_t start = 0;
  uint32_t step = 0;
  uint32_t rounds = 1;
};

struct ProbeGrid {
  unsigned blocks = 1;
  unsigned threads = 1;
  uint64_t all() const { return uint64_t(blocks) * threads; }
};

/// What one launch took.
struct ProbeTime {
  double microseconds = 0;
  double cycles = 0;      ///< of the first thread's loop
  double nanoseconds = 0; ///< of the same
};

class Prober {
public:
  explicit Prober(const Device &device) : device_(device), driver_(device.driver()) {}
  ~Prober() {
    for (cuda::DevicePointer address : {data_, out_})
      if (address)
        device_.release(address);
  }

  Json probe() {
    Json result = {{"bandwidth_bytes_per_second", Json::object()},
                   {"latency_cycles", Json::object()},
                   {"operations_per_second", Json::object()}};
    notes_ = Json::array();
    if (Problem problem = prepare()) {
      notes_.push_back(problem->text);
    } else {
      arithmetic(result);
      bandwidths(result["bandwidth_bytes_per_second"]);
      latencies(result["latency_cycles"]);
      launches(result);
    }
    result["notes"] = std::move(notes_);
    return result;
  }

private:
  /// A region far larger than the L2 cache, as far as there is room.
  Problem prepare() {
    Fallible<uint64_t> available = device_.freeBytes();
    if (!available)
      return available.failure();
    regionBytes_ = std::bit_floor(std::min({uint64_t(1) << 30, *available / 4, device_.l2Bytes() * 32}));
    Fallible<cuda::DevicePointer> data = device_.allocate(regionBytes_);
    if (!data)
      return data.failure();
    data_ = *data;
    Fallible<cuda::DevicePointer> out = device_.allocate(3 * sizeof(uint64_t));
    if (!out)
      return out.failure();
    out_ = *out;
    for (cuda::Event *event : {&begin_, &end_})
      if (Problem problem = driver_.check(driver_->eventCreate(event, cuda::eventDefault), "making an event"))
        return problem;
    return device_.fill(data_, 0, regionBytes_);
  }

  /// The result in `to[key]`, or a note.
  void keep(Json &to, const char *key, const Fallible<double> &value) {
    if (value)
      to[key] = *value;
    else
      notes_.push_back(std::string(key) + ": " + value.failure().text);
  }

  /// A module while its kernel is used.
  struct Loaded {
    const Driver *driver = nullptr;
    cuda::Module module = nullptr;
    cuda::Function function = nullptr;
    Loaded(const Driver &from, const std::string &ptx) : driver(&from) {
      if (from->moduleLoad(&module, ptx.c_str()) != cuda::success)
        module = nullptr;
      else if (from->moduleGetFunction(&function, module, probeEntry) != cuda::success)
        function = nullptr;
    }
    ~Loaded() {
      if (module)
        (*driver)->moduleUnload(module);
    }
    Loaded(const Loaded &) = delete;
  };

  Problem launch(const Loaded &probe, ProbeGrid grid, ProbeArguments &arguments) const {
    void *pointers[] = {&arguments.data,  &arguments.out,  &arguments.mask,  &arguments.offset,
                        &arguments.start, &arguments.step, &arguments.rounds};
    cuda::LaunchConfiguration configuration = {grid.blocks,      1,       1, grid.threads, 1, 1, 0,
                                               device_.stream(), nullptr, 0};
    return driver_.check(driver_->launch(&configuration, probe.function, pointers, nullptr),
                         "launching a probe");
  }

  /// The median of several launches of the kernel, `count` together.
  Fallible<ProbeTime> time(const std::string &ptx, ProbeGrid grid, ProbeArguments arguments,
                           unsigned count = 1) const {
    Loaded probe(driver_, ptx);
    if (!probe.function)
      return Failure{"the driver does not compile the probe"};
    arguments.out = out_;
    std::vector<double> microseconds, cycles, nanoseconds;
    for (unsigned repeat = 0; repeat <= repeats; ++repeat) {
      if (Problem problem = driver_.check(driver_->eventRecord(begin_, device_.stream()), "timing a probe"))
        return *problem;
      for (unsigned i = 0; i < count; ++i)
        if (Problem problem = launch(probe, grid, arguments))
          return *problem;
      if (Problem problem = driver_.check(driver_->eventRecord(end_, device_.stream()), "timing a probe"))
        return *problem;
      uint64_t words[2] = {};
      if (Problem problem = device_.copyOut(words, out_, sizeof words))
        return *problem;
      float milliseconds = 0;
      if (Problem problem =
              driver_.check(driver_->eventElapsed(&milliseconds, begin_, end_), "timing a probe"))
        return *problem;
      if (repeat == 0)
        continue; // caches and clocks are not yet as they will be
      microseconds.push_back(double(milliseconds) * 1e3 / count);
      cycles.push_back(double(words[0]));
      nanoseconds.push_back(double(words[1]));
    }
    return ProbeTime{median(microseconds), median(cycles), median(nanoseconds)};
  }

  ProbeGrid fullGrid() const { return {device_.multiprocessors() * 8, 256}; }

  void arithmetic(Json &result) {
    const ProbeOperation operations[] = {
        {"fp32", "fma.rn.f32", "f32", "cvt.rn.f32.u32", 3, 2},
        {"fp64", "fma.rn.f64", "f64", "cvt.rn.f64.u32", 3, 2},
        {"fp16", "fma.rn.f16x2", "b32", "mov.b32", 3, 4},
        {"int32", "mad.lo.s32", "b32", "mov.b32", 3, 2},
        {"special", "ex2.approx.ftz.f32", "f32", "cvt.rn.f32.u32", 1, 1},
    };
    constexpr uint32_t rounds = 400;
    ProbeArguments arguments;
    arguments.rounds = rounds;
    // The first one wakes the clocks up as well.
    for (unsigned i = 0; i < 3; ++i)
      (void)time(arithmeticProbe(operations[0]), fullGrid(), arguments, 10);
    Json &rates = result["operations_per_second"];
    for (const ProbeOperation &operation : operations) {
      Fallible<ProbeTime> took = time(arithmeticProbe(operation), fullGrid(), arguments);
      double work = double(fullGrid().all()) * rounds * operationsARound * operation.operations;
      keep(rates, operation.id, rateOf(took, work));
      if (std::string(operation.id) == "fp32" && took && took->nanoseconds > 0)
        result["clock_hertz"] = took->cycles / took->nanoseconds * 1e9;
    }
    constexpr int firstWithTensors = 8; // capability of the products that the probe uses
    if (device_.capabilityMajor() < firstWithTensors)
      return;
    arguments.rounds = rounds / 8;
    Fallible<ProbeTime> took = time(tensorProbe(), fullGrid(), arguments);
    double warps = double(fullGrid().all()) / 32;
    keep(rates, "tensor_fp16",
         rateOf(took, warps * arguments.rounds * operationsARound * operationsAWarpProduct));
  }

  static Fallible<double> rateOf(const Fallible<ProbeTime> &took, double work) {
    if (!took)
      return took.failure();
    if (took->microseconds <= 0)
      return Failure{"no time passed"};
    return work / took->microseconds * 1e6;
  }

  /// All blocks go through one region together.
  Fallible<double> sweep(const std::string &ptx, uint64_t region, uint64_t bytes) {
    ProbeGrid grid = fullGrid();
    ProbeArguments arguments;
    arguments.data = data_;
    arguments.mask = uint32_t(region / elementBytes - 1);
    arguments.start = grid.threads;
    arguments.step = uint32_t(grid.all());
    arguments.rounds = uint32_t(std::max<uint64_t>(1, bytes / (grid.all() * accessesARound * elementBytes)));
    return rateOf(time(ptx, grid, arguments),
                  double(grid.all()) * arguments.rounds * accessesARound * elementBytes);
  }

  /// Each block goes through a region of its own, one block a multiprocessor.
  Fallible<double> sweepEach(const std::string &ptx, uint32_t region) {
    ProbeGrid grid = {device_.multiprocessors(), 1024};
    ProbeArguments arguments;
    arguments.data = data_;
    arguments.mask = uint32_t(region / elementBytes - 1);
    arguments.offset = region;
    arguments.step = grid.threads;
    arguments.rounds = 1000;
    return rateOf(time(ptx, grid, arguments),
                  double(grid.all()) * arguments.rounds * accessesARound * elementBytes);
  }

  void bandwidths(Json &rates) {
    constexpr uint64_t sweptBytes = uint64_t(2) << 30;
    // A quarter of the L2 cache, which is two halves on large chips, and never less than the L1 caches hold.
    const uint64_t inL2 = std::bit_floor(std::max<uint64_t>(device_.l2Bytes() / 4, uint64_t(1) << 20));
    keep(rates, "dram_read", sweep(readProbe("cg"), regionBytes_, sweptBytes));
    keep(rates, "dram_write", sweep(writeProbe(), regionBytes_, sweptBytes));
    keep(rates, "l2_read", sweep(readProbe("cg"), inL2, sweptBytes));
    keep(rates, "l1_read", sweepEach(readProbe("ca"), 32 * 1024));
    keep(rates, "shared_read", sweepEach(sharedReadProbe(), 16 * 1024));
  }

  /// Pointers at the region's start, `stride` bytes apart, each to one that is far from it.
  Problem link(uint64_t nodes, uint64_t stride) {
    std::vector<char> bytes(nodes * stride);
    for (uint64_t node = 0; node < nodes; ++node) {
      uint64_t next =
          data_ + (node * 1664525 + 1013904223) % nodes * stride; // visits all, where nodes is 2^k
      std::copy_n(reinterpret_cast<const char *>(&next), sizeof next, bytes.data() + node * stride);
    }
    return device_.copyIn(data_, bytes.data(), bytes.size());
  }

  Fallible<double> chase(const std::string &ptx, uint32_t untimedRounds, uint32_t rounds) {
    ProbeArguments arguments;
    arguments.data = data_;
    arguments.step = untimedRounds;
    arguments.rounds = rounds;
    return latencyOf(time(ptx, {}, arguments), rounds);
  }

  static Fallible<double> latencyOf(const Fallible<ProbeTime> &took, uint32_t rounds) {
    if (!took)
      return took.failure();
    if (took->cycles <= 0)
      return Failure{"no cycles passed"};
    return took->cycles / (double(rounds) * loadsARound);
  }

  /// Only the first walk after the caches were filled with something else goes to memory.
  Fallible<double> coldChase(uint64_t nodes, uint64_t stride) {
    Loaded probe(driver_, chaseProbe("cg"));
    if (!probe.function)
      return Failure{"the driver does not compile the probe"};
    const uint32_t rounds = uint32_t(nodes / loadsARound / 4);
    std::vector<double> latencies;
    for (unsigned repeat = 0; repeat < repeats; ++repeat) {
      if (Problem problem = device_.fill(data_ + nodes * stride, 0, regionBytes_ - nodes * stride))
        return *problem;
      ProbeArguments arguments = {data_, out_, 0, 0, 0, 0, rounds};
      if (Problem problem = launch(probe, {}, arguments))
        return *problem;
      uint64_t cycles = 0;
      if (Problem problem = device_.copyOut(&cycles, out_, sizeof cycles))
        return *problem;
      latencies.push_back(double(cycles) / (double(rounds) * loadsARound));
    }
    if (median(latencies) <= 0)
      return Failure{"no cycles passed"};
    return median(latencies);
  }

  void latencies(Json &cycles) {
    ProbeArguments arguments;
    arguments.rounds = 1024;
    keep(cycles, "shared", latencyOf(time(sharedChaseProbe(), {}, arguments), arguments.rounds));
    constexpr uint64_t inL1 = 128, inL2 = 16384, stride = 128, wideStride = 256;
    if (Problem problem = link(inL1, stride)) {
      notes_.push_back("latencies: " + problem->text);
      return;
    }
    keep(cycles, "l1", chase(chaseProbe("ca"), inL1 / loadsARound, 1024));
    if (Problem problem = link(inL2, wideStride)) {
      notes_.push_back("latencies: " + problem->text);
      return;
    }
    keep(cycles, "l2", chase(chaseProbe("cg"), inL2 / loadsARound, inL2 / loadsARound));
    keep(cycles, "dram", coldChase(inL2, wideStride));
  }

  void launches(Json &result) {
    constexpr unsigned together = 200;
    Fallible<ProbeTime> took = time(emptyProbe(), {}, {}, together);
    if (took && took->microseconds > 0)
      result["launch_us"] = took->microseconds;
    else
      notes_.push_back("launch_us: " + (took ? "no time passed" : took.failure().text));
  }

  const Device &device_;
  const Driver &driver_;
  cuda::DevicePointer data_ = 0;
  cuda::DevicePointer out_ = 0;
  uint64_t regionBytes_ = 0;
  cuda::Event begin_ = nullptr;
  cuda::Event end_ = nullptr;
  Json notes_;
};

} // namespace

Json probeDevice(const Device &device) {
  return Prober(device).probe();
}

} // namespace warpwright::runner
