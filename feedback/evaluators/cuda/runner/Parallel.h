#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace warpwright::runner {

/// Calls body(part, begin, end) for parts of [0, count), each on a thread of its own; small counts stay on
/// this one. At most partLimit parts, numbered from 0.
inline constexpr unsigned partLimit = 16;

template <typename Body> void inParts(uint64_t count, Body body) {
  constexpr uint64_t worthAThread = 1 << 16;
  uint64_t threads = std::min<uint64_t>(partLimit, std::max(1u, std::thread::hardware_concurrency()));
  uint64_t parts = std::max<uint64_t>(1, std::min(threads, count / worthAThread));
  std::vector<std::thread> workers;
  for (uint64_t part = 1; part < parts; ++part)
    workers.emplace_back(body, static_cast<unsigned>(part), count * part / parts, count * (part + 1) / parts);
  body(0u, uint64_t(0), count / parts);
  for (std::thread &worker : workers)
    worker.join();
}

} // namespace warpwright::runner
