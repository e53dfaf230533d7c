#include "feedback/gate/GateOutput.h"

#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

const char *toString(GateKernel::Origin origin) {
  constexpr const char *names[] = {"new", "same", "renamed", "moved"};
  return names[static_cast<unsigned>(origin)];
}

Json kernelJson(const GateKernel &kernel) {
  Json entry = {{"file", kernel.file},
                {"line", kernel.place.line},
                {"name", kernel.name},
                {"architecture", kernel.architecture},
                {"origin", toString(kernel.origin)}};
  if (!kernel.formerly.empty())
    entry["formerly"] = kernel.formerly;
  if (kernel.before) {
    entry["before"] = toJson(*kernel.before);
    entry["other_toolkit"] = kernel.drift;
    entry["other_launch"] = kernel.launchChanged;
  }
  entry["after"] = toJson(kernel.after);
  entry["new_findings"] = kernel.newFindings;
  entry["known_findings"] = kernel.knownFindings;
  return entry;
}

Json findingJson(const GateFinding &finding) {
  const Finding &what = finding.checked.finding;
  Json evidence = Json::object();
  for (const Evidence &number : what.evidence)
    evidence[number.name] = number.value;
  Json entry = {{"rule", what.id},
                {"state", toString(finding.state)},
                {"severity", toString(finding.severity)},
                {"fails", finding.fails},
                {"file", finding.file},
                {"line", what.place.line},
                {"column", what.place.column},
                {"message", what.message},
                {"advice", what.advice},
                {"confidence", what.confidence},
                {"evidence", std::move(evidence)},
                {"kernels", finding.kernels},
                {"architectures", finding.architectures},
                {"fingerprint", finding.fingerprint}};
  if (finding.state == GateState::Accepted)
    entry["accepted_because"] = finding.acceptedBecause;
  return entry;
}

Json changeJson(const GateChange &change) {
  Json entry = {{"metric", metrics()[static_cast<unsigned>(change.metric)].name.str()},
                {"state", toString(change.state)},
                {"fails", change.fails},
                {"file", change.file},
                {"line", change.place.line},
                {"kernel", change.kernel},
                {"architecture", change.architecture}};
  if (change.before)
    entry["before"] = *change.before;
  entry["after"] = change.after;
  if (change.limit)
    entry["limit"] = *change.limit;
  if (change.state == GateState::Accepted)
    entry["accepted_because"] = change.acceptedBecause;
  return entry;
}

const char *resultOf(const GateReport &report) {
  if (!report.problems.empty())
    return "not checked";
  return report.fails() ? "findings" : "clean";
}

} // namespace

Json gateToJson(const GateReport &report) {
  Json kernels = Json::array(), findings = Json::array(), changes = Json::array(), gone = Json::array(),
       problems = Json::array(), unused = Json::array();
  for (const GateKernel &kernel : report.kernels)
    kernels.push_back(kernelJson(kernel));
  for (const GateFinding &finding : report.findings)
    findings.push_back(findingJson(finding));
  for (const GateChange &change : report.changes)
    changes.push_back(changeJson(change));
  for (const auto &[file, key] : report.gone)
    gone.push_back({{"file", file}, {"key", key}});
  for (const CheckProblem &problem : report.problems)
    problems.push_back(
        {{"file", problem.place.file}, {"line", problem.place.line}, {"message", problem.message}});
  for (const GateUnused &entry : report.unused)
    unused.push_back({{"file", entry.place.file}, {"line", entry.place.line}, {"message", entry.message}});
  Json baseline = nullptr;
  if (report.hasBaseline)
    baseline = {{"file", report.baselineFile}, {"other_toolkits", report.driftedFrom}};
  return {{"schema", "warpwright/check/1"},
          {"result", resultOf(report)},
          {"toolkits", report.toolkits},
          {"baseline", std::move(baseline)},
          {"files", report.files},
          {"kernels", std::move(kernels)},
          {"findings", std::move(findings)},
          {"changes", std::move(changes)},
          {"gone", std::move(gone)},
          {"problems", std::move(problems)},
          {"unused_exceptions", std::move(unused)}};
}

} // namespace warpwright
