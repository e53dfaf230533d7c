#include "feedback/evaluators/cuda/BundleManifest.h"

#include "feedback/Document.h"
#include "feedback/evaluators/cuda/runner/JsonReader.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using runner::JsonReader;

Json writeDispatch(const DispatchMeans &means) {
  Json value = {{"not", means.whyNot}, {"fixed", Json::array()}, {"scalars", Json::array()}};
  for (const auto &[unit, why] : means.fixed)
    value["fixed"].push_back({{"unit", unit}, {"reason", why}});
  for (const auto &[shape, values] : means.scalars)
    value["scalars"].push_back({{"shape", shape}, {"values", values}});
  return value;
}

Json writeKernel(const CarriedKernel &carried) {
  const TunedKernel &kernel = carried.kernel;
  Json value = {{"entry", toJson(kernel.conditions)},
                {"units", Json::array()},
                {"candidates", kernel.measured.candidates},
                {"conflicts", kernel.measured.conflicts},
                {"jobs", Json::array()},
                {"decided", Json::array()},
                {"work", Json::array()}};
  for (const TunedUnit &unit : kernel.units)
    value["units"].push_back({{"candidate", unit.candidate}, {"change", toJson(unit.change)}});
  value["dispatch"] = writeDispatch(kernel.measured.dispatch);
  for (const CarriedJob &job : carried.jobs)
    value["jobs"].push_back({{"set", job.set},
                             {"job", job.path},
                             {"sha256", job.sha256},
                             {"original_sha256", job.originalSha256},
                             {"candidate_sha256", job.candidateSha256}});
  for (const auto &[set, measurement] : kernel.measured.measured)
    value["decided"].push_back({{"set", set},
                                {"kernel", measurement.kernel},
                                {"verdict", toString(measurement.verdict.kind)},
                                {"stage", measurement.verdict.stage},
                                {"reason", measurement.verdict.reason}});
  for (const auto &[shape, work] : carried.work)
    value["work"].push_back({{"shape", shape},
                             {"bytes", work.bytes},
                             {"operations", work.operations},
                             {"double_operations", work.doubleOperations}});
  return value;
}

/// Units by number; a mistake where one is none.
UnitSet readSet(const Json &value, size_t units, const std::string &place, runner::Mistake &mistake) {
  UnitSet set;
  if (!value.is_array())
    mistake.note(place, "is no array");
  else
    for (const Json &number : value) {
      if (number.is_number_unsigned() && number.get<uint64_t>() < units)
        set.push_back(number.get<unsigned>());
      else
        mistake.note(place, "has something that is no unit");
    }
  return set;
}

class KernelReader {
public:
  KernelReader(const Json &value, std::string place, runner::Mistake &mistake)
      : reader_(value, place,
                {"entry", "units", "candidates", "conflicts", "jobs", "decided", "work", "dispatch"},
                mistake),
        mistake_(mistake) {}

  CarriedKernel read() {
    take(readLockEntry(reader_.required("entry"), reader_.placeOf("entry")), carried_.kernel.conditions);
    readUnits();
    size_t units = carried_.kernel.units.size();
    for (const Json &set : reader_.array("candidates"))
      carried_.kernel.measured.candidates.push_back(
          readSet(set, units, reader_.placeOf("candidates"), mistake_));
    for (const Json &pair : reader_.array("conflicts")) {
      UnitSet both = readSet(pair, units, reader_.placeOf("conflicts"), mistake_);
      if (both.size() == 2)
        carried_.kernel.measured.conflicts.emplace_back(both[0], both[1]);
      else
        reader_.mistake("conflicts", "has one that is no pair");
    }
    readDispatch();
    readJobs();
    readDecided();
    for (const Json &part : reader_.array("work")) {
      JsonReader work(part, reader_.placeOf("work"), {"shape", "bytes", "operations", "double_operations"},
                      mistake_);
      std::string shape = work.text("shape");
      carried_.work[shape] = {work.count("bytes", UINT64_MAX), work.count("operations", UINT64_MAX),
                              work.count("double_operations", UINT64_MAX)};
    }
    return std::move(carried_);
  }

private:
  template <typename T> void take(llvm::Expected<T> value, T &target) {
    if (value)
      target = std::move(*value);
    else
      mistake_.note("bundle", llvm::toString(value.takeError()));
  }

  void readUnits() {
    for (const Json &part : reader_.array("units")) {
      JsonReader unit(part, reader_.placeOf("units"), {"candidate", "change"}, mistake_);
      TunedUnit read;
      read.candidate = unit.count("candidate", UINT32_MAX);
      take(readLockedChange(unit.required("change"), unit.placeOf("change")), read.change);
      carried_.kernel.units.push_back(std::move(read));
    }
  }

  void readDispatch() {
    JsonReader reader(reader_.required("dispatch"), reader_.placeOf("dispatch"), {"not", "fixed", "scalars"},
                      mistake_);
    DispatchMeans &means = carried_.kernel.measured.dispatch;
    means.whyNot = reader.text("not");
    for (const Json &part : reader.array("fixed")) {
      JsonReader fixed(part, reader.placeOf("fixed"), {"unit", "reason"}, mistake_);
      auto unit = static_cast<unsigned>(fixed.count("unit", UINT32_MAX));
      means.fixed[unit] = fixed.text("reason");
    }
    for (const Json &part : reader.array("scalars")) {
      JsonReader shape(part, reader.placeOf("scalars"), {"shape", "values"}, mistake_);
      ScalarValues &values = means.scalars[shape.text("shape")];
      const Json &all = shape.required("values");
      if (!all.is_object()) {
        shape.mistake("values", "is no object");
        continue;
      }
      for (const auto &[name, value] : all.items()) {
        if (value.is_number_integer())
          values[name] = value.get<int64_t>();
        else
          shape.mistake("values", "'" + name + "' is no integer");
      }
    }
  }

  void readJobs() {
    for (const Json &part : reader_.array("jobs")) {
      JsonReader job(part, reader_.placeOf("jobs"),
                     {"set", "job", "sha256", "original_sha256", "candidate_sha256"}, mistake_);
      CarriedJob read;
      read.set = readSet(job.required("set"), carried_.kernel.units.size(), job.placeOf("set"), mistake_);
      read.path = job.text("job");
      read.sha256 = job.text("sha256");
      read.originalSha256 = job.text("original_sha256");
      read.candidateSha256 = job.text("candidate_sha256");
      carried_.jobs.push_back(std::move(read));
    }
  }

  void readDecided() {
    for (const Json &part : reader_.array("decided")) {
      JsonReader decided(part, reader_.placeOf("decided"), {"set", "kernel", "verdict", "stage", "reason"},
                         mistake_);
      UnitSet set =
          readSet(decided.required("set"), carried_.kernel.units.size(), decided.placeOf("set"), mistake_);
      Measurement measurement;
      measurement.kernel = decided.text("kernel");
      bool isDeclined = decided.text("verdict") == "declined";
      measurement.verdict.kind = isDeclined ? Verdict::Kind::Declined : Verdict::Kind::Undecided;
      measurement.verdict.stage = decided.text("stage");
      measurement.verdict.reason = decided.text("reason");
      carried_.kernel.measured.measured[std::move(set)] = std::move(measurement);
    }
  }

  JsonReader reader_;
  runner::Mistake &mistake_;
  CarriedKernel carried_;
};

llvm::Error refuse(const llvm::Twine &file, const llvm::Twine &why) {
  return llvm::createStringError("'" + file + "' is refused: " + why);
}

/// The results of one bundle, each held against the job and the cubins that it must be of.
class ResultReader {
public:
  ResultReader(std::string bundle, std::string results)
      : bundle_(std::move(bundle)), results_(std::move(results)) {}

  llvm::Error read(CarriedKernel &carried, MergedBundle &merged) {
    for (const CarriedJob &job : carried.jobs) {
      std::string file = results_ + "/" + llvm::StringRef(job.path).rsplit('/').second.str();
      if (llvm::Error error = checkJob(job))
        return error;
      if (!llvm::sys::fs::exists(file)) {
        ++merged.missing;
        continue;
      }
      if (llvm::Error error = readOne(file, job, carried))
        return error;
      ++merged.results;
    }
    return llvm::Error::success();
  }

private:
  /// The job that lies in the bundle is the one that was written there.
  llvm::Error checkJob(const CarriedJob &job) const {
    std::string file = bundle_ + "/" + job.path;
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      return refuse(file, buffer.getError().message());
    return runner::sha256((*buffer)->getBuffer()) == job.sha256 ? llvm::Error::success()
                                                                : refuse(file, "it was changed");
  }

  llvm::Error readOne(const std::string &file, const CarriedJob &job, CarriedKernel &carried) {
    llvm::Expected<Json> document = readDocument(file, "warpwright/result/1");
    if (!document)
      return document.takeError();
    llvm::Expected<Measurement> measurement = readResult(*document);
    if (!measurement)
      return refuse(file, llvm::toString(measurement.takeError()));
    for (auto [key, expected] : {std::pair{"job_sha256", &job.sha256},
                                 {"original_sha256", &job.originalSha256},
                                 {"candidate_sha256", &job.candidateSha256}})
      if (document->value(key, std::string()) != *expected)
        return refuse(file, std::string(key) + " is not that of the bundle");
    LockEntry &conditions = carried.kernel.conditions;
    MeasuredEnvironment &environment = measurement->environment;
    for (auto [known, now] : {std::pair{&device_, &environment.device}, {&driver_, &environment.driver}}) {
      if (!known->empty() && *known != *now)
        return refuse(file, "it comes from '" + *now + "', others from '" + *known + "'");
      *known = *now;
    }
    conditions.device = device_;
    conditions.driver = driver_;
    environment.toolkit = conditions.toolkit;
    environment.protocol = conditions.protocol;
    environment.flags = conditions.flags;
    measurement->kernel = conditions.kernel;
    for (ShapeMeasurement &shape : measurement->shapes)
      if (auto work = carried.work.find(shape.shape); work != carried.work.end())
        shape.work = work->second;
    carried.kernel.measured.measured[job.set] = std::move(*measurement);
    return llvm::Error::success();
  }

  std::string bundle_;
  std::string results_;
  std::string device_;
  std::string driver_;
};

} // namespace

Json writeManifest(llvm::ArrayRef<CarriedKernel> kernels) {
  Json document = {{"schema", "warpwright/bundle/1"}, {"kernels", Json::array()}};
  for (const CarriedKernel &kernel : kernels)
    document["kernels"].push_back(writeKernel(kernel));
  return document;
}

llvm::Expected<std::vector<CarriedKernel>> readManifest(const Json &document) {
  runner::Mistake mistake;
  JsonReader reader(document, "bundle", {"schema", "kernels"}, mistake);
  reader.text("schema");
  std::vector<CarriedKernel> kernels;
  for (const Json &value : reader.array("kernels"))
    kernels.push_back(
        KernelReader(value, "bundle.kernels[" + std::to_string(kernels.size()) + "]", mistake).read());
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return kernels;
}

llvm::Expected<MergedBundle> readBundle(llvm::StringRef path, llvm::StringRef results) {
  std::string bundle = path.rtrim('/').str();
  llvm::Expected<Json> document = readDocument(bundle + "/bundle.json", "warpwright/bundle/1");
  if (!document)
    return document.takeError();
  llvm::Expected<std::vector<CarriedKernel>> kernels = readManifest(*document);
  if (!kernels)
    return kernels.takeError();
  MergedBundle merged;
  ResultReader reader(bundle, results.empty() ? bundle + "/results" : results.rtrim('/').str());
  for (CarriedKernel &carried : *kernels) {
    if (llvm::Error error = reader.read(carried, merged))
      return std::move(error);
    merged.kernels.push_back(std::move(carried.kernel));
  }
  return merged;
}

} // namespace warpwright
