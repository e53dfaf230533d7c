#pragma once

#include "analysis/arch/Architecture.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>

#include <string>

namespace warpwright {

/// What one device reaches, in cycles of its multiprocessors' clock: where it was measured (the `measured`
/// part of a `warpwright/device/1` document) that, else what is typical of devices of today.
struct DeviceFigures {
  std::string device; ///< empty: no device in particular
  double clockHertz = 1.7e9;
  double multiprocessors = 100;
  double sharedBytes = 128;  ///< a cycle and multiprocessor
  double l1Bytes = 64;       ///< likewise
  double l2Bytes = 32;       ///< likewise, of all multiprocessors together divided by their number
  double dramBytes = 12;     ///< likewise
  double sharedLatency = 25; ///< cycles of one load that nothing else waits with
  double l1Latency = 35;
  double l2Latency = 280;
  double dramLatency = 600;
  double launchMicroseconds = 2; ///< of a launch that does nothing
  double fp32 = 0;               ///< multiply-adds a cycle and multiprocessor
  double fp64 = 0;
  double special = 0;

  /// Of no device in particular: rates of the architecture's row, the rest typical.
  static DeviceFigures typicalOf(const Architecture &architecture);
};

/// What a document says that is measured; what it lacks is as typical. An error is a document that is none,
/// or of an architecture that is not known.
llvm::Expected<DeviceFigures> readDeviceFigures(const nlohmann::ordered_json &document);

} // namespace warpwright
