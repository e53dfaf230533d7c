#include "feedback/Calibration.h"

#include "feedback/Document.h"
#include "feedback/evaluators/cuda/runner/JsonReader.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using runner::JsonReader;

constexpr const char *schema = "warpwright/calibration/1";
constexpr double equalWithin = 0.005;

CountComparison readCount(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(
      value, place,
      {"code", "shape", "quantity", "accesses", "predicted", "measured", "grade", "explanation"}, mistake);
  return {reader.text("code"),     reader.text("shape"),       reader.text("quantity"),
          reader.text("accesses"), reader.number("predicted"), reader.number("measured"),
          reader.text("grade"),    reader.text("explanation")};
}

RuleComparison readRule(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"rule", "shape", "agreed", "why"}, mistake);
  return {reader.text("rule"), reader.text("shape"), reader.flag("agreed", false), reader.text("why")};
}

RankComparison readRank(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"what", "shape", "candidates", "correlation", "chosen_over_best"},
                    mistake);
  return {reader.text("what"), reader.text("shape"),
          static_cast<unsigned>(reader.count("candidates", UINT32_MAX)), reader.number("correlation"),
          reader.number("chosen_over_best")};
}

template <typename T, typename Read>
std::vector<T> readAll(JsonReader &reader, const char *key, Read read, runner::Mistake &mistake) {
  std::vector<T> all;
  for (const Json &value : reader.array(key))
    all.push_back(read(value, reader.placeOf(key) + "[" + std::to_string(all.size()) + "]", mistake));
  return all;
}

KernelCalibration readKernel(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"kernel", "architecture", "device", "toolkit", "counts", "rules", "ranks"},
                    mistake);
  KernelCalibration kernel;
  kernel.kernel = reader.text("kernel");
  kernel.architecture = reader.text("architecture");
  kernel.device = reader.text("device");
  kernel.toolkit = reader.text("toolkit");
  kernel.counts = readAll<CountComparison>(reader, "counts", readCount, mistake);
  kernel.rules = readAll<RuleComparison>(reader, "rules", readRule, mistake);
  kernel.ranks = readAll<RankComparison>(reader, "ranks", readRank, mistake);
  return kernel;
}

Json kernelJson(const KernelCalibration &kernel) {
  Json value = {{"kernel", kernel.kernel}, {"architecture", kernel.architecture},
                {"device", kernel.device}, {"toolkit", kernel.toolkit},
                {"counts", Json::array()}, {"rules", Json::array()},
                {"ranks", Json::array()}};
  for (const CountComparison &count : kernel.counts)
    value["counts"].push_back({{"code", count.code},
                               {"shape", count.shape},
                               {"quantity", count.quantity},
                               {"accesses", count.accesses},
                               {"predicted", count.predicted},
                               {"measured", count.measured},
                               {"grade", count.grade},
                               {"explanation", count.explanation}});
  for (const RuleComparison &rule : kernel.rules)
    value["rules"].push_back(
        {{"rule", rule.rule}, {"shape", rule.shape}, {"agreed", rule.agreed}, {"why", rule.why}});
  for (const RankComparison &rank : kernel.ranks)
    value["ranks"].push_back({{"what", rank.what},
                              {"shape", rank.shape},
                              {"candidates", rank.candidates},
                              {"correlation", rank.correlation},
                              {"chosen_over_best", rank.chosenOverBest}});
  return value;
}

auto keyOf(const KernelCalibration &kernel) {
  return std::tie(kernel.kernel, kernel.architecture);
}

} // namespace

bool CountComparison::isEqual() const {
  return std::abs(predicted - measured) <= equalWithin * std::max(predicted, measured);
}

llvm::Expected<Calibration> Calibration::read(const Json &document) {
  runner::Mistake mistake;
  JsonReader reader(document, "calibration", {"schema", "kernels", "rules"}, mistake);
  if (reader.text("schema") != schema)
    reader.mistake("schema", std::string("is not ") + schema);
  Calibration calibration;
  for (KernelCalibration &kernel : readAll<KernelCalibration>(reader, "kernels", readKernel, mistake))
    calibration.update(std::move(kernel));
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return calibration;
}

llvm::Expected<Calibration> Calibration::readOrEmpty(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return Calibration();
  llvm::Expected<Json> document = readDocument(path.str(), schema);
  if (!document)
    return document.takeError();
  return read(*document);
}

std::string Calibration::pathFor(llvm::StringRef lock) {
  llvm::SmallString<128> path(lock);
  llvm::sys::path::replace_extension(path, "calibration.json");
  return std::string(path);
}

void Calibration::update(KernelCalibration kernel) {
  auto place =
      llvm::lower_bound(kernels_, kernel, [](const KernelCalibration &left, const KernelCalibration &right) {
        return keyOf(left) < keyOf(right);
      });
  if (place != kernels_.end() && keyOf(*place) == keyOf(kernel))
    *place = std::move(kernel);
  else
    kernels_.insert(place, std::move(kernel));
}

RuleRecord Calibration::recordOf(llvm::StringRef rule, llvm::StringRef architecture) const {
  RuleRecord record;
  for (const KernelCalibration &kernel : kernels_)
    if (kernel.architecture == architecture)
      for (const RuleComparison &comparison : kernel.rules)
        if (comparison.rule == rule)
          ++(comparison.agreed ? record.agreed : record.refuted);
  return record;
}

double Calibration::confidence(llvm::StringRef rule, llvm::StringRef architecture, double own) const {
  RuleRecord record = recordOf(rule, architecture);
  return (ownWeight * own + record.agreed) / (ownWeight + record.agreed + record.refuted);
}

void Calibration::apply(llvm::MutableArrayRef<Finding> findings, llvm::StringRef architecture) const {
  for (Finding &finding : findings)
    finding.confidence = confidence(finding.id, architecture, finding.confidence);
}

Json Calibration::toJson() const {
  Json document = {{"schema", schema}, {"rules", Json::array()}, {"kernels", Json::array()}};
  std::map<std::pair<std::string, std::string>, RuleRecord> records;
  for (const KernelCalibration &kernel : kernels_) {
    document["kernels"].push_back(kernelJson(kernel));
    for (const RuleComparison &rule : kernel.rules)
      records[{rule.rule, kernel.architecture}] = recordOf(rule.rule, kernel.architecture);
  }
  for (const auto &[key, record] : records)
    document["rules"].push_back({{"rule", key.first},
                                 {"architecture", key.second},
                                 {"agreed", record.agreed},
                                 {"refuted", record.refuted}});
  return document;
}

void printCalibration(llvm::ArrayRef<KernelCalibration> kernels, llvm::raw_ostream &stream) {
  unsigned equal = 0, explained = 0, open = 0;
  for (const KernelCalibration &kernel : kernels)
    for (const CountComparison &count : kernel.counts) {
      equal += count.isEqual();
      explained += !count.isEqual() && count.isExplained();
      open += !count.isExplained();
      if (!count.isEqual())
        stream << llvm::formatv("{0}, {1}, {2}: {3}: {4:F0} by analysis ({5}), {6:F0} counted: {7}\n",
                                kernel.kernel, count.code, count.shape, count.quantity, count.predicted,
                                count.grade, count.measured,
                                count.explanation.empty() ? "not explained" : count.explanation);
    }
  stream << llvm::formatv("predicted against counted: {0} equal, {1} explained, {2} not explained\n", equal,
                          explained, open);
  for (const KernelCalibration &kernel : kernels) {
    for (const RuleComparison &rule : kernel.rules)
      if (!rule.agreed)
        stream << kernel.kernel << ", " << rule.shape << ": '" << rule.rule << "' did not hold: " << rule.why
               << '\n';
    for (const RankComparison &rank : kernel.ranks)
      stream << llvm::formatv(
          "{0}, {1}: {2} candidates ranked by the {3}: correlation {4:F2}, its first takes "
          "{5:F2} times as long as the fastest\n",
          kernel.kernel, rank.shape, rank.candidates, rank.what, rank.correlation, rank.chosenOverBest);
  }
}

} // namespace warpwright
