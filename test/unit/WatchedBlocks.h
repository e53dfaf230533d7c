#pragma once

#include "feedback/evaluators/virtual/DeviceProgram.h"
#include "feedback/evaluators/virtual/LaunchWatch.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

namespace warpwright::vdevice {

/// A made-up kernel of blocks of 64 threads, and a watch over it: tests play the accesses of its threads by
/// hand. Sites have lines of their own: site i stands in line i + 1.
class WatchedBlocks {
public:
  static constexpr uint32_t threads = 64;
  static constexpr uint64_t sharedBytes = 512;

  WatchedBlocks()
      : shared_(std::make_unique<uint64_t[]>((sharedBytes + 65536) / 8)),
        local_(new uint64_t[threads * 32]()) {
    kernel.shared.variables = {{"tile", {}, 0, 128, false}, {"", {}, 256, 0, false}};
    kernel.shared.bytes = 256;
    kernel.local.variables = {{"list", {}, 0, 64, false}};
    kernel.local.bytes = 256;
  }

  uint32_t site(simt::AccessKind kind, unsigned bytes = 4, unsigned addressSpace = 0) {
    Site site;
    site.place = {"k.cu", static_cast<unsigned>(sites.size() + 1), 1};
    site.kind = kind;
    site.bytes = bytes;
    site.addressSpace = addressSpace;
    sites.push_back(site);
    return static_cast<uint32_t>(sites.size() - 1);
  }
  uint32_t load(unsigned bytes = 4) { return site(simt::AccessKind::Load, bytes); }
  uint32_t store(unsigned bytes = 4) { return site(simt::AccessKind::Store, bytes); }
  uint32_t atomic(unsigned bytes = 4) { return site(simt::AccessKind::Atomic, bytes); }

  uint64_t buffer(const char *name, uint64_t bytes, bool initialised = true) {
    auto address =
        memory.addBuffer({.name = name, .bytes = bytes, .initialised = initialised, .elementBytes = 4});
    EXPECT_TRUE(bool(address));
    return address ? *address : 0;
  }

  /// When all sites and buffers are there.
  void start(unsigned workers = 1) {
    launch_ = {sites, &kernel, &memory, {8, 1, 1}, {threads, 1, 1}, 256, marks};
    watch = std::make_unique<LaunchWatch>(launch_, LaunchWatch::Options{.workers = workers});
  }
  void begin(uint64_t block, unsigned worker = 0) {
    worker_ = worker;
    monitor().beginBlock({block, threads, shared(0), reinterpret_cast<uint64_t>(local_.get()), 256});
  }
  uint64_t touch(uint32_t site, uint32_t thread, uint64_t address) {
    return monitor().access({site, thread, address, sites[site].bytes, sites[site].kind});
  }
  /// As execution does it: the value is in memory afterwards.
  uint64_t write(uint32_t site, uint32_t thread, uint64_t address, uint32_t value) {
    uint64_t where = monitor().access({site, thread, address, 4, sites[site].kind, true, value});
    *reinterpret_cast<uint32_t *>(where) = value;
    return where;
  }
  void barrier() {
    std::vector<uint32_t> all(threads);
    std::iota(all.begin(), all.end(), 0);
    monitor().barrier(all);
  }
  void end() {
    for (uint32_t thread = 0; thread < threads; ++thread)
      monitor().threadEnd(thread);
    monitor().endBlock();
  }
  Monitor &monitor() { return *watch->monitors()[worker_]; }
  uint64_t shared(uint64_t offset) const {
    return (reinterpret_cast<uint64_t>(shared_.get()) + 255) / 256 * 256 + offset;
  }
  uint64_t dynamic(uint64_t offset) const { return shared(256 + offset); }
  uint64_t local(uint32_t thread, uint64_t offset) const {
    return reinterpret_cast<uint64_t>(local_.get()) + thread * 256 + offset;
  }

  std::vector<Site> sites;
  DeviceKernel kernel;
  DeviceMemory memory;
  const ConvergenceMarks *marks = nullptr;
  std::unique_ptr<LaunchWatch> watch;

private:
  std::unique_ptr<uint64_t[]> shared_;
  std::unique_ptr<uint64_t[]> local_;
  WatchedLaunch launch_;
  unsigned worker_ = 0;
};

/// All faults as text, without their occurrences.
inline std::string text(const std::vector<Fault> &faults) {
  std::string all;
  for (Fault fault : faults) {
    fault.occurrences = 1;
    all += faultToText(fault);
  }
  return all;
}

} // namespace warpwright::vdevice
