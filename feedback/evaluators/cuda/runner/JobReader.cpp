#include "feedback/evaluators/cuda/runner/Job.h"
#include "feedback/evaluators/cuda/runner/JsonReader.h"
#include "feedback/evaluators/cuda/runner/PlanReader.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpwright::runner {
namespace {

constexpr uint64_t largestCount = uint64_t(1) << 43;

values::Tolerance readTolerance(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place, {"exact", "relative", "absolute", "bias"}, mistake);
  values::Tolerance tolerance;
  tolerance.exact = reader.flag("exact", false);
  tolerance.relative = reader.number("relative", 0);
  tolerance.absolute = reader.number("absolute", 0);
  tolerance.bias = reader.number("bias", 0);
  bool negative = tolerance.relative < 0 || tolerance.absolute < 0 || tolerance.bias < 0;
  bool numbers = reader.has("relative") || reader.has("absolute");
  if (negative)
    mistake.note(place, "has a negative bound");
  if (tolerance.exact == numbers)
    mistake.note(place, "is either exact or has bounds");
  return tolerance;
}

values::Initialisation readInitialisation(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place, {"distribution", "first", "second", "low", "high"}, mistake);
  values::Initialisation initialisation;
  std::string name = reader.text("distribution");
  if (auto distribution = values::parseDistribution(name))
    initialisation.distribution = *distribution;
  else
    reader.mistake("distribution", "there is no distribution '" + name + "'");
  switch (initialisation.distribution) {
  case values::Distribution::Normal:
  case values::Distribution::Uniform:
    initialisation.first = reader.number("first");
    initialisation.second = reader.number("second");
    break;
  case values::Distribution::Integers:
    initialisation.low = reader.integer("low");
    initialisation.high = reader.integer("high");
    if (initialisation.low > initialisation.high)
      reader.mistake("high", "is below the lower bound");
    break;
  case values::Distribution::Ones:
  case values::Distribution::Permutation:
  case values::Distribution::Zeros:
    break;
  }
  return initialisation;
}

Buffer readBuffer(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place, {"name", "type", "count", "role", "init", "misalignment", "tolerance"},
                    mistake);
  Buffer buffer;
  buffer.name = reader.text("name");
  std::string type = reader.text("type"), role = reader.text("role");
  if (auto element = values::parseElementType(type))
    buffer.type = *element;
  else
    reader.mistake("type", "there is no type '" + type + "'");
  buffer.count = reader.count("count", largestCount);
  if (buffer.count == 0)
    reader.mistake("count", "is 0");
  buffer.misalignment = reader.count("misalignment", 255, 0);
  buffer.role = role == "in" ? Role::In : role == "inout" ? Role::InOut : Role::Out;
  if (role != "in" && role != "inout" && role != "out")
    reader.mistake("role", "is not in, inout or out");
  bool initialised = buffer.role != Role::Out;
  if (initialised)
    buffer.initialisation = readInitialisation(reader.required("init"), reader.placeOf("init"), mistake);
  else if (reader.has("init"))
    reader.mistake("init", "an output has none");
  if (reader.has("tolerance"))
    buffer.tolerance = readTolerance(reader.required("tolerance"), reader.placeOf("tolerance"), mistake);
  return buffer;
}

Shape readShape(const Json &value, const std::string &place, bool hasCandidate, Mistake &mistake) {
  JsonReader reader(value, place, {"name", "buffers", "original", "candidate"}, mistake);
  Shape shape;
  shape.name = reader.text("name");
  for (const Json &part : reader.array("buffers")) {
    std::string where = reader.placeOf("buffers") + "[" + std::to_string(shape.buffers.size()) + "]";
    Buffer buffer = readBuffer(part, where, mistake);
    for (const Buffer &other : shape.buffers)
      if (other.name == buffer.name)
        mistake.note(where, "there are two buffers '" + buffer.name + "'");
    shape.buffers.push_back(std::move(buffer));
  }
  bool writes = std::any_of(shape.buffers.begin(), shape.buffers.end(),
                            [](const Buffer &buffer) { return buffer.role != Role::In; });
  if (!writes)
    reader.mistake("buffers", "none is written: nothing could be checked");
  shape.original = readPlan(reader.required("original"), reader.placeOf("original"), shape.buffers, mistake);
  if (hasCandidate)
    shape.candidate =
        readPlan(reader.required("candidate"), reader.placeOf("candidate"), shape.buffers, mistake);
  else if (reader.has("candidate"))
    reader.mistake("candidate", "the job has none");
  return shape;
}

CodeFile readCode(const Json &value, const std::string &place, const std::string &folder, Mistake &mistake) {
  JsonReader reader(value, place, {"cubin", "sha256"}, mistake);
  CodeFile code;
  code.path = reader.text("cubin");
  code.sha256 = reader.text("sha256");
  if (mistake.failure())
    return code;
  std::filesystem::path path = std::filesystem::path(folder) / code.path;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  code.image = bytes.str();
  if (!stream || code.image.empty())
    reader.mistake("cubin", "'" + path.string() + "' cannot be read");
  else if (sha256(code.image) != code.sha256)
    reader.mistake("sha256", "is not that of '" + path.string() + "'");
  return code;
}

Measure readMeasure(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place,
                    {"timing", "warm_ups", "runs", "fresh_runs", "cold_runs", "confidence", "seconds_a_shape",
                     "repeat_seconds", "check_after", "decided_by"},
                    mistake);
  Measure measure;
  measure.timing = reader.flag("timing", measure.timing);
  measure.warmUps = reader.count("warm_ups", 10000, measure.warmUps);
  measure.runs = reader.count("runs", 10000, measure.runs);
  measure.freshRuns = reader.count("fresh_runs", 10000, measure.freshRuns);
  measure.coldRuns = reader.count("cold_runs", 10000, measure.coldRuns);
  measure.confidence = reader.number("confidence", measure.confidence);
  measure.secondsAShape = reader.number("seconds_a_shape", measure.secondsAShape);
  measure.repeatSeconds = reader.number("repeat_seconds", measure.repeatSeconds);
  measure.checkAfter = reader.flag("check_after", measure.checkAfter);
  std::string decidedBy = reader.text("decided_by", "warm");
  measure.coldDecides = decidedBy == "cold";
  if (decidedBy != "cold" && decidedBy != "warm")
    reader.mistake("decided_by", "is neither warm nor cold");
  constexpr unsigned fewest = 11;
  if (measure.runs < fewest)
    reader.mistake("runs", "fewer than 11 runs say nothing");
  for (auto [key, runs] : {std::pair{"fresh_runs", measure.freshRuns}, {"cold_runs", measure.coldRuns}})
    if (runs != 0 && runs < fewest)
      reader.mistake(key, "fewer than 11 runs say nothing");
  if (measure.coldDecides && measure.coldRuns == 0)
    reader.mistake("cold_runs", "cold runs decide, and there are none");
  return measure;
}

ProfileRequest readProfile(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place, {"counters", "samples"}, mistake);
  return {reader.flag("counters", true), reader.flag("samples", true)};
}

Limits readLimits(const Json &value, const std::string &place, Mistake &mistake) {
  JsonReader reader(value, place, {"seconds", "run_seconds", "device_bytes", "host_bytes"}, mistake);
  Limits limits;
  limits.seconds = reader.number("seconds", limits.seconds);
  limits.runSeconds = reader.number("run_seconds", limits.runSeconds);
  limits.deviceBytes = reader.count("device_bytes", UINT64_MAX, 0);
  limits.hostBytes = reader.count("host_bytes", UINT64_MAX, 0);
  if (limits.seconds <= 0 || limits.runSeconds <= 0)
    mistake.note(place, "has a time that is not above 0");
  return limits;
}

std::vector<uint64_t> readSeeds(JsonReader &reader) {
  std::vector<uint64_t> seeds;
  for (const Json &seed : reader.array("seeds")) {
    if (seed.is_number_integer())
      seeds.push_back(seed.get<uint64_t>());
    else
      reader.mistake("seeds", "has one that is no integer");
  }
  if (seeds.empty())
    reader.mistake("seeds", "is empty");
  return seeds;
}

} // namespace

bool Plan::asksForPersistingLines() const {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step &step) { return step.launch && step.launch->attributes.persisting; });
}

bool Shape::writesInPlace() const {
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const Buffer &buffer) { return buffer.role == Role::InOut; });
}

uint64_t Shape::footprint() const {
  uint64_t bytes = 0;
  for (const Buffer &buffer : buffers)
    bytes += buffer.bytes();
  return bytes;
}

const values::Tolerance &Job::toleranceOf(const Buffer &buffer) const {
  static const values::Tolerance exact;
  if (buffer.tolerance)
    return *buffer.tolerance;
  return values::isFloating(buffer.type) ? tolerance : exact;
}

Fallible<Job> readJob(const std::string &text, const std::string &folder) {
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Failure{"the job is no JSON"};
  Mistake mistake;
  JsonReader reader(document, "job",
                    {"schema", "name", "original", "candidate", "shapes", "seeds", "tolerance", "measure",
                     "profile", "limits"},
                    mistake);
  if (reader.text("schema") != "warpwright/job/1")
    reader.mistake("schema", "is not warpwright/job/1");
  Job job;
  job.name = reader.text("name");
  job.original = readCode(reader.required("original"), reader.placeOf("original"), folder, mistake);
  if (reader.has("candidate"))
    job.candidate = readCode(reader.required("candidate"), reader.placeOf("candidate"), folder, mistake);
  job.seeds = readSeeds(reader);
  job.tolerance = readTolerance(reader.required("tolerance"), reader.placeOf("tolerance"), mistake);
  if (reader.has("measure"))
    job.measure = readMeasure(reader.required("measure"), reader.placeOf("measure"), mistake);
  if (reader.has("profile"))
    job.profile = readProfile(reader.required("profile"), reader.placeOf("profile"), mistake);
  if (reader.has("limits"))
    job.limits = readLimits(reader.required("limits"), reader.placeOf("limits"), mistake);
  for (const Json &shape : reader.array("shapes"))
    job.shapes.push_back(readShape(shape, "job.shapes[" + std::to_string(job.shapes.size()) + "]",
                                   job.candidate.has_value(), mistake));
  if (job.shapes.empty())
    reader.mistake("shapes", "is empty");
  if (mistake.failure())
    return *mistake.failure();
  job.sha256 = sha256(text);
  return job;
}

} // namespace warpwright::runner
