// SARIF 2.1.0. The paragraphs named are those of the OASIS standard.

#include "feedback/SourcePrinter.h"
#include "feedback/gate/AcceptComments.h"
#include "feedback/gate/Fingerprint.h"
#include "feedback/gate/GateOutput.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

Json message(llvm::StringRef text) {
  return {{"text", text.str()}};
}

/// A path as part of a URI: what RFC 3986 does not let stand there is percent-encoded.
std::string encode(llvm::StringRef path) {
  std::string result;
  for (char c : path) {
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/!$&'()*+,;=@").contains(c))
      result += c;
    else
      result += "%" + llvm::toHex(llvm::StringRef(&c, 1));
  }
  return result;
}

const char *levelOf(Severity severity) {
  return severity == Severity::Off ? "none" : toString(severity);
}

class SarifPrinter {
public:
  SarifPrinter(const GateReport &report, const GateContext &context) : report_(report), context_(context) {}

  Json print() {
    addRules();
    for (const GateFinding &finding : report_.findings)
      addFinding(finding);
    for (const GateChange &change : report_.changes)
      if (change.fails || change.state == GateState::Accepted)
        addChange(change);
    Json driver = {{"name", "Warpwright"},
                   {"version", context_.version},
                   {"semanticVersion", context_.version},
                   {"rules", std::move(rules_)}};
    Json run = {{"tool", {{"driver", std::move(driver)}}},
                {"invocations", Json::array({invocation()})},
                {"originalUriBaseIds", {{"ROOT", {{"uri", "file://" + encode(context_.root) + "/"}}}}},
                {"results", std::move(results_)}};
    return {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

private:
  void addRules() {
    for (const FindingRule &rule : findingRules())
      addRule(rule.id.str(), rule.summary, context_.pageOf(rule.id), "findings/" + rule.id.str());
    const std::string stale =
        "A lock's entry for the kernel does not hold for this build any more, so that the "
        "static choice is built.";
    addRule(staleLockRule, stale, stale, "check");
    for (const MetricInfo &info : metrics()) {
      const std::string text =
          "A kernel's number got worse than the policy allows, or went over its limit: " +
          info.description.str() + ".";
      addRule(limitRule(info.metric), text, text, "check");
    }
  }

  void addRule(std::string id, llvm::StringRef summary, llvm::StringRef page, const std::string &file) {
    Json rule = {{"id", id},
                 {"shortDescription", message(summary)},
                 {"defaultConfiguration", {{"level", "warning"}}},
                 {"properties", {{"tags", {"cuda", "performance"}}}}};
    if (!page.empty())
      rule["help"] = {{"text", page.str()}, {"markdown", page.str()}};
    if (!context_.docsUrl.empty())
      rule["helpUri"] = context_.docsUrl + "/" + file + ".md";
    indices_[id] = rules_.size();
    rules_.push_back(std::move(rule));
  }

  /// What lies outside of the root has no base (3.4.4).
  Json artifact(const std::string &file) const {
    llvm::StringRef path = file;
    if (path.starts_with(context_.root) && path.substr(context_.root.size()).starts_with("/"))
      return {{"uri", encode(path.drop_front(context_.root.size() + 1))}, {"uriBaseId", "ROOT"}};
    if (llvm::sys::path::is_absolute(path))
      return {{"uri", "file://" + encode(path)}};
    return {{"uri", encode(path)}, {"uriBaseId", "ROOT"}};
  }

  Json physical(const Place &place) const {
    Json location = {{"artifactLocation", artifact(place.file)}};
    if (place.known())
      location["region"] = {{"startLine", place.line}, {"startColumn", std::max(place.column, 1u)}};
    return location;
  }

  static Json logical(llvm::ArrayRef<std::string> kernels) {
    Json list = Json::array();
    for (const std::string &kernel : kernels)
      list.push_back({{"fullyQualifiedName", kernel}, {"kind", "function"}});
    return list;
  }

  Json result(const std::string &rule, Severity severity, GateState state, const std::string &text,
              const Place &place, llvm::ArrayRef<std::string> kernels) const {
    Json location = {{"physicalLocation", physical(place)}, {"logicalLocations", logical(kernels)}};
    Json entry = {{"ruleId", rule},
                  {"ruleIndex", indices_.at(rule)},
                  {"level", levelOf(severity)},
                  {"message", message(text)},
                  {"locations", Json::array({std::move(location)})}};
    if (report_.hasBaseline)
      entry["baselineState"] = state == GateState::New ? "new" : "unchanged";
    return entry;
  }

  static Json suppression(bool inSource, const std::string &because) {
    return {{"kind", inSource ? "inSource" : "external"}, {"status", "accepted"}, {"justification", because}};
  }

  void addFinding(const GateFinding &finding) {
    const Finding &what = finding.checked.finding;
    Json entry = result(what.id, finding.severity, finding.state,
                        what.message + (what.advice.empty() ? "." : ". " + what.advice + "."), what.place,
                        finding.kernels);
    if (!what.notes.empty()) {
      Json related = Json::array();
      for (const auto &[place, text] : what.notes)
        related.push_back({{"physicalLocation", physical(place)}, {"message", message(text)}});
      entry["relatedLocations"] = std::move(related);
    }
    entry["partialFingerprints"] = {{"warpwright/v1", finding.fingerprint}};
    if (finding.state == GateState::Accepted)
      entry["suppressions"] = Json::array({suppression(finding.acceptedInSource, finding.acceptedBecause)});
    if (!finding.checked.fixes.empty())
      entry["fixes"] = fixes(finding.checked.fixes);
    Json evidence = Json::object();
    for (const Evidence &number : what.evidence)
      evidence[number.name] = number.value;
    entry["properties"] = {{"confidence", what.confidence},
                           {"evidence", std::move(evidence)},
                           {"architectures", finding.architectures},
                           {"otherToolkit", finding.state == GateState::Drift}};
    results_.push_back(std::move(entry));
  }

  void addChange(const GateChange &change) {
    Json entry = result(limitRule(change.metric), Severity::Warning, GateState::New, describe(change) + ".",
                        change.place, change.kernel);
    entry["partialFingerprints"] = {{"warpwright/v1", shortHash(limitRule(change.metric) + "\n" +
                                                                change.kernel + "\n" + change.architecture)}};
    if (change.state == GateState::Accepted)
      entry["suppressions"] = Json::array({suppression(change.acceptedInSource, change.acceptedBecause)});
    results_.push_back(std::move(entry));
  }

  /// Both by lines, which is what text is addressed by (3.30.1), and by bytes.
  Json region(const Edit &edit) {
    auto position = [text = sources_.text(edit.file)](size_t offset) {
      llvm::StringRef before = text.take_front(offset);
      size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
      return std::pair(before.count('\n') + 1, offset - lineStart + 1);
    };
    auto [startLine, startColumn] = position(edit.offset);
    auto [endLine, endColumn] = position(edit.offset + edit.length);
    return {{"startLine", startLine}, {"startColumn", startColumn}, {"endLine", endLine},
            {"endColumn", endColumn}, {"byteOffset", edit.offset},  {"byteLength", edit.length}};
  }

  Json fixes(llvm::ArrayRef<SuggestedFix> suggested) {
    Json list = Json::array();
    for (const SuggestedFix &fix : suggested) {
      std::map<std::string, Json> byFile;
      for (const Edit &edit : fix.edits) {
        Json replacement = {{"deletedRegion", region(edit)}};
        if (!edit.text.empty())
          replacement["insertedContent"] = message(edit.text);
        byFile.try_emplace(edit.file, Json::array()).first->second.push_back(std::move(replacement));
      }
      Json changes = Json::array();
      for (auto &[file, replacements] : byFile)
        changes.push_back({{"artifactLocation", artifact(file)}, {"replacements", std::move(replacements)}});
      list.push_back({{"description", message(fix.description)}, {"artifactChanges", std::move(changes)}});
    }
    return list;
  }

  /// What could not be checked is a notification, and the run is no success (3.20.14).
  Json invocation() const {
    Json notifications = Json::array();
    for (const CheckProblem &problem : report_.problems) {
      Json location = {{"physicalLocation", physical(problem.place)}};
      notifications.push_back({{"level", "error"},
                               {"message", message(problem.message)},
                               {"locations", Json::array({std::move(location)})}});
    }
    if (std::string drift = describeDrift(report_); !drift.empty())
      notifications.push_back({{"level", "warning"}, {"message", message(drift)}});
    for (const GateUnused &unused : report_.unused)
      notifications.push_back({{"level", "note"}, {"message", message(unused.message)}});
    return {{"executionSuccessful", report_.problems.empty()},
            {"toolExecutionNotifications", std::move(notifications)}};
  }

  const GateReport &report_;
  const GateContext &context_;
  SourcePrinter sources_;
  std::map<std::string, size_t> indices_;
  Json rules_ = Json::array();
  Json results_ = Json::array();
};

} // namespace

Json gateToSarif(const GateReport &report, const GateContext &context) {
  return SarifPrinter(report, context).print();
}

} // namespace warpwright
