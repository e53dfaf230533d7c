#include "clang_plugin/Facts.h"

#include "analysis/arch/Occupancy.h"
#include "feedback/Prediction.h"

#include <llvm/Support/FormatVariadic.h>
#include <nlohmann/json.hpp>

namespace warpwright {

using Json = nlohmann::ordered_json;

Json countersOf(const KernelAnalysis &kernel, const Launch &launch, const simt::LaunchCounters &counters) {
  Json result = simt::countersToJson(counters);
  const Architecture *architecture = findArchitecture(kernel.architecture);
  if (!kernel.resources || !architecture)
    return result;
  Occupancy occupancy = computeOccupancy(*architecture, launch.block.count(), kernel.resources->registers,
                                         kernel.resources->staticSharedBytes + launch.dynamicSharedBytes,
                                         kernel.resources->barriers);
  result["registers"] = occupancy.registersPerThread;
  result["limit_blocks"] = occupancy.limitBlocks;
  result["limit_registers"] = occupancy.limitRegisters;
  result["limit_shared"] = occupancy.limitShared;
  result["limit_warps"] = occupancy.limitWarps;
  return result;
}

Json findingsToJson(llvm::ArrayRef<Finding> findings) {
  Json list = Json::array();
  for (const Finding &finding : findings) {
    Json evidence = Json::object();
    for (const Evidence &number : finding.evidence)
      evidence[number.name] = number.value;
    list.push_back({{"id", finding.id},
                    {"line", finding.place.line},
                    {"column", finding.place.column},
                    {"file", finding.place.file},
                    {"message", finding.message},
                    {"confidence", finding.confidence},
                    {"evidence", std::move(evidence)},
                    {"advice", finding.advice}});
  }
  return list;
}

Json factsToJson(const std::string &file, const FileAnalysis &analysis, llvm::ArrayRef<HostFindings> host) {
  Json kernels = Json::array();
  for (const KernelAnalysis &kernel : analysis.kernels) {
    Json launches = Json::array();
    for (const LaunchEvaluation &evaluation : kernel.launches) {
      Json details = simt::detailsToJson(evaluation.counters);
      details["counters"] = countersOf(kernel, evaluation.launch, evaluation.counters);
      Json launch = {{"shape", evaluation.label}, {"assumed", evaluation.assumed}};
      for (auto &[key, value] : details.items())
        launch[key] = value;
      launches.push_back(std::move(launch));
    }
    Json entry = Json::object();
    // An ordered object that grows copies what it holds: facts of many kernels are large.
    entry.get_ref<Json::object_t &>().reserve(16);
    entry["key"] = kernel.kernel.key;
    entry["name"] = kernel.kernel.name;
    entry["symbol"] = kernel.kernel.symbol;
    entry["place"] = {{"file", kernel.kernel.place.file}, {"line", kernel.kernel.place.line}};
    entry["annotated"] = kernel.annotation.has_value();
    entry["facts"] = toJson(kernel.facts);
    entry["launches"] = std::move(launches);
    entry["launch_note"] = kernel.launchNote;
    entry["prediction"] = toJson(predict(kernel));
    entry["findings"] = findingsToJson(kernel.findings);
    kernels.push_back(std::move(entry));
  }
  Json functions = Json::array();
  for (const HostFindings &function : host)
    functions.push_back({{"key", function.key},
                         {"name", function.name},
                         {"place", {{"file", function.place.file}, {"line", function.place.line}}},
                         {"findings", findingsToJson(function.findings)}});
  return {{"schema", "warpwright/facts/1"},
          {"file", file},
          {"architecture", analysis.unit->architecture().str()},
          {"kernels", std::move(kernels)},
          {"host", std::move(functions)}};
}

void printFacts(const FileAnalysis &analysis, llvm::raw_ostream &stream) {
  for (const KernelAnalysis &kernel : analysis.kernels) {
    Prediction prediction = predict(kernel);
    stream << kernel.kernel.place.file << ':' << kernel.kernel.place.line << ": " << kernel.kernel.name;
    if (!prediction.shapes.empty()) {
      const ShapePrediction &main = prediction.shapes.front();
      stream << " (" << main.shape << "): " << main.globalSectors << " sectors in " << main.globalRequests
             << " requests, " << main.sharedWavefronts << " shared wavefronts, " << main.bankConflicts
             << " bank conflicts, " << main.grade;
      if (!kernel.launchNote.empty())
        stream << " (" << kernel.launchNote << ')';
    } else {
      stream << ": " << kernel.launchNote;
    }
    if (prediction.hasResources)
      stream << "; " << prediction.registers << " registers, "
             << llvm::formatv("{0:P0}", prediction.occupancy).str() << " occupancy";
    else
      stream << "; " << kernel.resourcesNote;
    stream << '\n';
  }
}

} // namespace warpwright
