/// Prints how many accesses a second all checks and counters of the virtual device take on one core, without
/// the kernel that makes them: streams of accesses as kernels of four kinds make them, thread after thread up
/// to the next barrier. An argument is the begin of the names to measure.

#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <ctime>
#include <memory>
#include <numeric>
#include <vector>

using namespace warpwright;
using namespace warpwright::vdevice;

namespace {

constexpr uint32_t threads = 256;
constexpr uint64_t sharedBytes = 8192;
constexpr uint64_t bufferBytes = uint64_t(16) << 20;

class Bench {
public:
  explicit Bench(llvm::StringRef only)
      : only_(only), shared_(sharedBytes + 256), local_(threads * 256), all_(threads) {
    std::iota(all_.begin(), all_.end(), 0);
    kernel_.shared.variables = {{"tile", {}, 0, sharedBytes, false}, {"", {}, sharedBytes, 0, false}};
    kernel_.shared.bytes = sharedBytes;
    kernel_.local.bytes = 256;
    for (auto kind : {simt::AccessKind::Load, simt::AccessKind::Store, simt::AccessKind::Atomic,
                      simt::AccessKind::Load, simt::AccessKind::Store, simt::AccessKind::Load}) {
      Site site;
      site.kind = kind;
      site.bytes = 4;
      sites_.push_back(site);
    }
    for (uint64_t &buffer : buffers_) {
      auto address = memory_.addBuffer({.name = "buffer", .bytes = bufferBytes});
      if (!address) {
        llvm::errs() << llvm::toString(address.takeError()) << "\n";
        exit(1);
      }
      buffer = *address;
    }
  }

  /// Runs `body(block)` for enough blocks and prints the rate.
  template <typename Body> void measure(llvm::StringRef name, uint64_t blocks, Body body) {
    if (!name.starts_with(only_))
      return;
    LaunchWatch watch({sites_, &kernel_, &memory_, {blocks, 1, 1}, {threads, 1, 1}, 0, nullptr}, {});
    monitor_ = watch.monitors().front();
    accesses_ = 0;
    std::clock_t start = std::clock(); // time of this core, whatever else runs on the machine
    for (uint64_t block = 0; block < blocks; ++block) {
      monitor_->beginBlock({block, threads, shared(0), reinterpret_cast<uint64_t>(local_.data()), 256});
      body(block);
      for (uint32_t thread = 0; thread < threads; ++thread)
        monitor_->threadEnd(thread);
      monitor_->endBlock();
    }
    size_t faults = watch.faults().size();
    uint64_t requests = 0;
    for (const simt::AccessCounters &access : watch.counters().accesses)
      requests += access.tally.requests;
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    llvm::outs() << llvm::formatv(
        "{0,-28} {1,8:F1} million accesses a second and core, {2} accesses, {3} requests, {4} faults\n", name,
        static_cast<double>(accesses_) / seconds / 1e6, accesses_, requests, faults);
  }

  void touch(uint32_t site, uint32_t thread, uint64_t address) {
    ++accesses_;
    Access access{site, thread, address, 4, sites_[site].kind};
    access.hasValue = sites_[site].kind == simt::AccessKind::Store;
    access.value = thread + 1;
    monitor_->access(access);
  }
  void barrier() { monitor_->barrier(all_); }
  uint64_t shared(uint64_t offset) {
    return (reinterpret_cast<uint64_t>(shared_.data()) + 255) / 256 * 256 + offset;
  }
  uint64_t buffer(unsigned which, uint64_t index) { return buffers_[which] + index * 4 % bufferBytes; }

private:
  llvm::StringRef only_; ///< begins the names of what is measured
  std::vector<Site> sites_;
  DeviceKernel kernel_;
  DeviceMemory memory_;
  uint64_t buffers_[3] = {};
  std::vector<uint8_t> shared_;
  std::vector<uint8_t> local_;
  std::vector<uint32_t> all_;
  Monitor *monitor_ = nullptr;
  uint64_t accesses_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  Bench bench(argc > 1 ? argv[1] : "");
  bench.measure("streaming, y = a * x + y", 16384, [&](uint64_t block) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      uint64_t i = block * threads + thread;
      bench.touch(0, thread, bench.buffer(0, i));
      bench.touch(3, thread, bench.buffer(1, i));
      bench.touch(1, thread, bench.buffer(1, i));
    }
  });
  bench.measure("tiled product", 128, [&](uint64_t block) {
    for (uint32_t tile = 0; tile < 16; ++tile) {
      for (uint32_t thread = 0; thread < threads; ++thread) {
        bench.touch(0, thread, bench.buffer(0, (block * 16 + tile) * threads + thread));
        bench.touch(4, thread, bench.shared(4 * thread));
      }
      bench.barrier();
      for (uint32_t thread = 0; thread < threads; ++thread)
        for (uint32_t k = 0; k < 16; ++k) {
          bench.touch(3, thread, bench.shared(4 * (thread / 16 * 16 + k)));
          bench.touch(5, thread, bench.shared(4 * (k * 16 + thread % 16)));
        }
      bench.barrier();
    }
  });
  bench.measure("histogram", 4096, [&](uint64_t block) {
    for (uint32_t thread = 0; thread < threads; ++thread)
      for (uint32_t i = 0; i < 4; ++i) {
        uint64_t index = (block * 4 + i) * threads + thread;
        bench.touch(0, thread, bench.buffer(0, index));
        bench.touch(2, thread, bench.buffer(2, index * 2654435761u % 1024));
      }
  });
  bench.measure("gather and scatter", 8192, [&](uint64_t block) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      uint64_t i = block * threads + thread;
      uint64_t far = i * 40503 % (bufferBytes / 4);
      bench.touch(0, thread, bench.buffer(0, i));
      bench.touch(3, thread, bench.buffer(1, far));
      bench.touch(1, thread, bench.buffer(2, far));
    }
  });
  return 0;
}
