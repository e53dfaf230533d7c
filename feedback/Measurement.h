#pragma once

#include "rewriters/Verdict.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A median with the interval in which the true one lies with 95 % confidence, in microseconds.
struct MeasuredTime {
  double median = 0;
  double low = 0;
  double high = 0;
  uint64_t samples = 0;
};

/// What timings of a candidate and of its original say about each other.
enum class TimeComparison { Ambiguous, Faster, Same, Slower };
/// "AMBIGUOUS", "FASTER", "SAME" or "SLOWER".
llvm::StringRef toString(TimeComparison comparison);

/// The least that a shape's launch has to do, by analysis. Nothing known is 0.
struct ShapeWork {
  uint64_t bytes = 0; ///< every annotated buffer once, those in place twice
  /// Floating-point operations of all threads, as the device IR has them: a multiply-add is two.
  uint64_t operations = 0;       ///< those in double precision included
  uint64_t doubleOperations = 0; ///< in double precision
};

/// Errors of one buffer, relative to max(|reference|, root mean square).
struct MeasuredErrors {
  std::string buffer;
  uint64_t compared = 0;
  uint64_t different = 0; ///< in some bit
  double largest = 0;
  double percentile99 = 0;
  double bias = 0;
  double deviation = 0;
};

/// One shape of the family.
struct ShapeMeasurement {
  std::string shape;
  bool timed = false; ///< the members of time below are set; a fault may come before timing
  TimeComparison comparison = TimeComparison::Ambiguous;
  double noise = 0; ///< how far two measurements of the original are apart, as a share
  MeasuredTime original;
  MeasuredTime candidate;
  std::optional<MeasuredTime> originalCold; ///< with the L2 cache overwritten before each run
  std::optional<MeasuredTime> candidateCold;
  /// Medians, candidate over original, and the 99 % interval of their ratio, with a warm L2 cache.
  double ratio = 1;
  double ratioLow = 1;
  double ratioHigh = 1;
  std::vector<MeasuredErrors> errors;
  ShapeWork work; ///< not the device's: by analysis
};

/// What has to be the same for two measurements to be comparable.
struct MeasuredEnvironment {
  std::string device;       ///< "NVIDIA H200"
  std::string architecture; ///< "sm_90"
  std::string driver;       ///< the CUDA version that the driver supports
  std::string toolkit;      ///< nvcc's release
  std::string protocol;
  std::vector<std::string> flags; ///< of nvcc, those that bear on device code
  double memoryBandwidth = 0;     ///< bytes a second by clock and bus width; 0: not known
  double cycles = 0;              ///< a second, of all multiprocessors together; 0: not known
};

/// What compute-sanitizer said of a candidate. Not run is not clean.
struct SanitizerReport {
  enum Kind { NotRun, Clean, Errors };
  Kind kind = NotRun;
  std::string detail; ///< why it did not run, or its first words
};
/// "not run", "clean" or "errors".
llvm::StringRef toString(SanitizerReport::Kind kind);

/// A candidate beside its original on a device.
struct Measurement {
  std::string kernel;    ///< printed name
  std::string candidate; ///< for reports
  Verdict verdict;       ///< of correctness and of what timing gave away; how fast it is, shapes say
  std::string fault;     ///< id of what is wrong with it, "wrong-result" for instance; empty: nothing
  MeasuredEnvironment environment;
  std::vector<uint64_t> seeds;
  std::vector<ShapeMeasurement> shapes; ///< the main shape first
  std::vector<std::string> notes;
  std::optional<SanitizerReport> sanitizer; ///< nothing where nobody asked
  std::string reference;                    ///< the library call that the annotation names; empty: none
};

/// How the runner measures: changes with anything that makes its times incomparable to earlier ones.
inline constexpr const char *measurementProtocol =
    "1: events, interleaved in random order, 25 warm-ups, 100 runs, warm L2 decides";

/// The part of a measurement that is in a `warpwright/result/1` document. An error is a document that is not
/// one.
llvm::Expected<Measurement> readResult(const nlohmann::ordered_json &result);

/// A `warpwright/measurement/1` document.
nlohmann::ordered_json toJson(const Measurement &measurement);

/// The microseconds that the device needs at least for the work: its bytes through memory, or its operations
/// through the multiprocessors, whichever takes longer. 0 where neither is known.
double leastMicroseconds(const ShapeWork &work, const MeasuredEnvironment &environment);

/// A time with what was done in it; "-" for what is not known. "812.40 us, 3305 GB/s, 0.41 TFLOP/s, 69% of
/// the limit"
std::string describeRate(double microseconds, const ShapeWork &work, const MeasuredEnvironment &environment);

/// For people: a line a shape, then median and worst ratio over the shapes.
std::string toText(const Measurement &measurement);

} // namespace warpwright
