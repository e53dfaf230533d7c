#include "feedback/Measurement.h"

#include "analysis/arch/Architecture.h"
#include "feedback/ResultDocument.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using runner::JsonReader;

MeasuredTime readTime(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"median_us", "low_us", "high_us", "count", "samples_us"}, mistake);
  return {reader.number("median_us"), reader.number("low_us"), reader.number("high_us"),
          reader.count("count", UINT64_MAX)};
}

/// Warm times are always there, cold ones where they were taken.
void readVariant(JsonReader &timing, const char *key, MeasuredTime &warm, std::optional<MeasuredTime> &cold) {
  JsonReader reader(timing.required(key), timing.placeOf(key), {"warm", "fresh", "cold"}, timing.mistakes());
  warm = readTime(reader.required("warm"), reader.placeOf("warm"), timing.mistakes());
  if (reader.has("cold"))
    cold = readTime(reader.required("cold"), reader.placeOf("cold"), timing.mistakes());
}

TimeComparison readComparison(JsonReader &reader) {
  std::string word = reader.text("comparison", "AMBIGUOUS");
  for (TimeComparison comparison :
       {TimeComparison::Ambiguous, TimeComparison::Faster, TimeComparison::Same, TimeComparison::Slower})
    if (word == toString(comparison))
      return comparison;
  reader.mistake("comparison", "there is no comparison '" + word + "'");
  return TimeComparison::Ambiguous;
}

void readTiming(const Json &value, const std::string &place, ShapeMeasurement &shape,
                runner::Mistake &mistake) {
  JsonReader reader(
      value, place,
      {"comparison", "noise", "batch", "sessions", "stable", "original", "candidate", "twin", "ratio"},
      mistake);
  shape.timed = true;
  shape.comparison = readComparison(reader);
  shape.noise = reader.number("noise");
  readVariant(reader, "original", shape.original, shape.originalCold);
  if (!reader.has("candidate"))
    return;
  readVariant(reader, "candidate", shape.candidate, shape.candidateCold);
  JsonReader ratios(reader.required("ratio"), reader.placeOf("ratio"), {"warm", "cold"}, mistake);
  JsonReader ratio(ratios.required("warm"), ratios.placeOf("warm"), {"value", "low", "high", "comparison"},
                   mistake);
  shape.ratio = ratio.number("value");
  shape.ratioLow = ratio.number("low");
  shape.ratioHigh = ratio.number("high");
}

void readErrors(const Json &errors, const std::string &place, ShapeMeasurement &shape,
                runner::Mistake &mistake) {
  for (const auto &[buffer, value] : errors.items()) {
    JsonReader reader(value, place + "." + buffer,
                      {"compared", "different", "beyond_tolerance", "nan", "infinite", "max", "p99", "mean",
                       "deviation", "first_bad"},
                      mistake);
    shape.errors.push_back({buffer, reader.count("compared", UINT64_MAX),
                            reader.count("different", UINT64_MAX), reader.number("max"), reader.number("p99"),
                            reader.number("mean"), reader.number("deviation")});
  }
}

ShapeMeasurement readMeasuredShape(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"name", "timing", "checks", "profiles"}, mistake);
  ShapeMeasurement shape;
  shape.shape = reader.text("name");
  if (reader.has("timing"))
    readTiming(reader.required("timing"), reader.placeOf("timing"), shape, mistake);
  if (!reader.has("checks"))
    return shape;
  JsonReader checks(reader.required("checks"), reader.placeOf("checks"),
                    {"seeds", "repeats", "original_varies", "candidate_varies", "errors"}, mistake);
  if (checks.has("errors"))
    readErrors(checks.required("errors"), checks.placeOf("errors"), shape, mistake);
  return shape;
}

/// What a driver says of its device; more than is read here, and nothing where no device was reached.
void readEnvironment(const Json &value, MeasuredEnvironment &environment) {
  auto text = [&](const char *key) {
    auto found = value.find(key);
    return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  auto number = [&](const char *key) {
    auto found = value.find(key);
    return found != value.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  environment.device = text("device");
  environment.architecture = text("architecture");
  environment.driver = text("driver");
  // Two transfers a cycle, eight bits a byte.
  environment.memoryBandwidth = number("memory_clock_khz") * 1e3 * 2 * number("memory_bus_bits") / 8;
  environment.cycles = number("clock_khz") * 1e3 * number("multiprocessors");
}

Verdict::Kind readVerdict(JsonReader &reader) {
  std::string word = reader.text("verdict");
  if (word == "accepted")
    return Verdict::Kind::Accepted;
  if (word == "declined")
    return Verdict::Kind::Declined;
  if (word != "undecided")
    reader.mistake("verdict", "there is no verdict '" + word + "'");
  return Verdict::Kind::Undecided;
}

Json toJson(const MeasuredTime &time) {
  return {
      {"median_us", time.median}, {"low_us", time.low}, {"high_us", time.high}, {"samples", time.samples}};
}

Json toJson(const ShapeMeasurement &shape) {
  Json value = {{"shape", shape.shape}};
  if (shape.timed) {
    value["comparison"] = toString(shape.comparison);
    value["ratio"] = {{"value", shape.ratio}, {"low", shape.ratioLow}, {"high", shape.ratioHigh}};
    value["noise"] = shape.noise;
    value["original"] = toJson(shape.original);
    value["candidate"] = toJson(shape.candidate);
    if (shape.originalCold)
      value["original_cold"] = toJson(*shape.originalCold);
    if (shape.candidateCold)
      value["candidate_cold"] = toJson(*shape.candidateCold);
  }
  value["bytes"] = shape.work.bytes;
  value["operations"] = shape.work.operations;
  value["double_operations"] = shape.work.doubleOperations;
  for (const MeasuredErrors &errors : shape.errors)
    value["errors"][errors.buffer] = {{"compared", errors.compared}, {"different", errors.different},
                                      {"max", errors.largest},       {"p99", errors.percentile99},
                                      {"bias", errors.bias},         {"deviation", errors.deviation}};
  return value;
}

} // namespace

llvm::StringRef toString(TimeComparison comparison) {
  switch (comparison) {
  case TimeComparison::Faster:
    return "FASTER";
  case TimeComparison::Same:
    return "SAME";
  case TimeComparison::Slower:
    return "SLOWER";
  case TimeComparison::Ambiguous:
    break;
  }
  return "AMBIGUOUS";
}

llvm::StringRef toString(SanitizerReport::Kind kind) {
  return kind == SanitizerReport::Clean ? "clean" : kind == SanitizerReport::Errors ? "errors" : "not run";
}

llvm::Expected<Measurement> readResult(const Json &result) {
  runner::Mistake mistake;
  JsonReader reader = readResultDocument(result, mistake);
  Measurement measurement;
  measurement.candidate = reader.text("name");
  measurement.verdict = {readVerdict(reader), "device", reader.text("reason")};
  if (reader.has("fault")) {
    JsonReader fault(reader.required("fault"), reader.placeOf("fault"), {"kind", "of", "shape", "detail"},
                     mistake);
    measurement.fault = fault.text("kind");
  }
  readEnvironment(reader.required("environment"), measurement.environment);
  for (const Json &shape : reader.array("shapes"))
    measurement.shapes.push_back(readMeasuredShape(
        shape, "result.shapes[" + std::to_string(measurement.shapes.size()) + "]", mistake));
  for (const Json &note : reader.array("notes"))
    if (note.is_string())
      measurement.notes.push_back(note.get<std::string>());
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return measurement;
}

Json toJson(const Measurement &measurement) {
  const MeasuredEnvironment &environment = measurement.environment;
  Json value = {{"schema", "warpwright/measurement/1"},
                {"kernel", measurement.kernel},
                {"candidate", measurement.candidate},
                {"verdict", toString(measurement.verdict.kind)},
                {"reason", measurement.verdict.reason}};
  if (!measurement.fault.empty())
    value["fault"] = measurement.fault;
  value["environment"] = {{"device", environment.device},
                          {"architecture", environment.architecture},
                          {"driver", environment.driver},
                          {"toolkit", environment.toolkit},
                          {"protocol", environment.protocol},
                          {"flags", environment.flags},
                          {"memory_bytes_per_second", environment.memoryBandwidth},
                          {"cycles_per_second", environment.cycles}};
  value["seeds"] = measurement.seeds;
  value["shapes"] = Json::array();
  for (const ShapeMeasurement &shape : measurement.shapes)
    value["shapes"].push_back(toJson(shape));
  value["notes"] = measurement.notes;
  if (measurement.sanitizer)
    value["sanitizer"] = {{"state", toString(measurement.sanitizer->kind)},
                          {"detail", measurement.sanitizer->detail}};
  if (!measurement.reference.empty())
    value["reference"] = measurement.reference;
  return value;
}

double leastMicroseconds(const ShapeWork &work, const MeasuredEnvironment &environment) {
  double seconds = 0;
  if (environment.memoryBandwidth > 0)
    seconds = static_cast<double>(work.bytes) / environment.memoryBandwidth;
  const Architecture *architecture = findArchitecture(environment.architecture);
  if (architecture && environment.cycles > 0) {
    // A unit does a multiply and an add at once.
    auto cyclesOf = [](uint64_t operations, unsigned rate) {
      return static_cast<double>(operations) / (2.0 * rate);
    };
    double cycles = cyclesOf(work.operations - work.doubleOperations, architecture->fp32) +
                    cyclesOf(work.doubleOperations, architecture->fp64);
    seconds = std::max(seconds, cycles / environment.cycles);
  }
  return seconds * 1e6;
}

std::string describeRate(double microseconds, const ShapeWork &work, const MeasuredEnvironment &environment) {
  std::string text = llvm::formatv("{0:F2} us", microseconds);
  if (microseconds <= 0)
    return text;
  double bytes = static_cast<double>(work.bytes) / microseconds * 1e6;
  double operations = static_cast<double>(work.operations) / microseconds * 1e6;
  text += work.bytes == 0 ? ", - GB/s" : llvm::formatv(", {0:F0} GB/s", bytes / 1e9).str();
  text += work.operations == 0 ? ", - TFLOP/s" : llvm::formatv(", {0:F2} TFLOP/s", operations / 1e12).str();
  if (double least = leastMicroseconds(work, environment); least > 0)
    text += llvm::formatv(", {0:P0} of the limit", least / microseconds);
  return text;
}

std::string toText(const Measurement &measurement) {
  std::string text = measurement.kernel + ": " + measurement.candidate + ": " +
                     std::string(toString(measurement.verdict.kind)) +
                     (measurement.fault.empty() ? "" : " [" + measurement.fault + "]") + ": " +
                     measurement.verdict.reason + "\n";
  if (measurement.sanitizer)
    text += "  compute-sanitizer: " + toString(measurement.sanitizer->kind).str() +
            (measurement.sanitizer->detail.empty() ? "" : ": " + measurement.sanitizer->detail) + "\n";
  std::vector<double> ratios;
  for (const ShapeMeasurement &shape : measurement.shapes) {
    if (!shape.timed)
      continue;
    ratios.push_back(shape.ratio);
    text += llvm::formatv(
        "  {0}: {1} {2:F3} [{3:F3}, {4:F3}], noise {5:P1}\n    original  {6}\n    candidate {7}\n",
        shape.shape, toString(shape.comparison), shape.ratio, shape.ratioLow, shape.ratioHigh, shape.noise,
        describeRate(shape.original.median, shape.work, measurement.environment),
        describeRate(shape.candidate.median, shape.work, measurement.environment));
  }
  if (!ratios.empty()) {
    llvm::sort(ratios);
    size_t half = ratios.size() / 2;
    double median = ratios.size() % 2 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
    text += llvm::formatv("  over {0} shapes: median ratio {1:F3}, worst {2:F3}; {3}, driver {4}\n",
                          ratios.size(), median, ratios.back(), measurement.environment.device,
                          measurement.environment.driver);
    text += "  measured on " + measurement.environment.architecture + " alone" +
            (measurement.reference.empty()
                 ? std::string()
                 : "; '" + measurement.reference + "', which the annotation names, was not measured") +
            "\n";
  }
  return text;
}

} // namespace warpwright
