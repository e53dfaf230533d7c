#include "feedback/Evidence.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Place &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Verdict &verdict) {
  return {{"stage", verdict.stage}, {"verdict", toString(verdict.kind)}, {"reason", verdict.reason}};
}

Json toJson(const Edit &edit) {
  return {{"place", toJson(edit.place)},
          {"offset", edit.offset},
          {"length", edit.length},
          {"text", edit.text},
          {"reason", edit.reason},
          {"expected_gain", edit.expectedGain},
          {"risk", edit.risk}};
}

/// An array of what `convert` makes of each element.
template <typename Range, typename Convert> Json arrayOf(const Range &range, Convert convert) {
  Json array = Json::array();
  for (const auto &element : range)
    array.push_back(convert(element));
  return array;
}

Json toJson(const Claim &claim) {
  return {{"id", claim.id}, {"subject", claim.subject}, {"value", claim.value}};
}

Json toJson(const RewriteStep &step) {
  Json parameters = Json::object();
  for (const auto &[name, value] : step.parameters)
    parameters[name] = value;
  return {{"rewriter", step.rewriter}, {"subject", step.subject}, {"parameters", parameters}};
}

/// What is launched instead; null where the launch stays.
Json launchOf(const Candidate &candidate) {
  if (!candidate.plan || !candidate.clone)
    return nullptr;
  Json launch = warpwright::toJson(llvm::ArrayRef(*candidate.plan)).at("plans").front();
  launch["redirected"] = arrayOf(candidate.clone->redirects, [](const Edit &edit) { return toJson(edit); });
  return launch;
}

Json toJson(const CandidateRecord &record) {
  Json step = toJson(static_cast<const RewriteStep &>(record.candidate));
  return {
      {"rewriter", step["rewriter"]},
      {"subject", step["subject"]},
      {"parameters", step["parameters"]},
      {"earlier",
       arrayOf(record.candidate.earlier, [](const RewriteStep &earlier) { return toJson(earlier); })},
      {"base", record.base ? Json(*record.base) : Json(nullptr)},
      {"launch", launchOf(record.candidate)},
      {"edits", arrayOf(record.candidate.edits, [](const Edit &edit) { return toJson(edit); })},
      {"assumptions", record.candidate.assumptions},
      {"claims", arrayOf(record.candidate.claims, [](const Claim &claim) { return toJson(claim); })},
      {"verdicts", arrayOf(record.verdicts, [](const Verdict &verdict) { return toJson(verdict); })},
      {"predictions", arrayOf(record.predictions, [](const Prediction &p) { return warpwright::toJson(p); })},
      {"chosen", record.chosen}};
}

Json toJson(const Finding &finding) {
  Json evidence = Json::object();
  for (const Evidence &number : finding.evidence)
    evidence[number.name] = number.value;
  return {{"id", finding.id},     {"place", toJson(finding.place)},   {"message", finding.message},
          {"evidence", evidence}, {"confidence", finding.confidence}, {"advice", finding.advice}};
}

Json toJson(const Decline &decline) {
  return {{"rewriter", decline.rewriter}, {"place", toJson(decline.place)}, {"reason", decline.reason}};
}

Json toJson(const ConditionalGain &gain) {
  Json value = {{"candidate", gain.candidate}, {"faster", gain.faster}, {"slower", gain.slower}};
  if (!gain.guard.empty())
    value["guard"] = gain.guard;
  if (!gain.whyNot.empty())
    value["not_built"] = gain.whyNot;
  return value;
}

Json toJson(const KernelRecord &kernel) {
  Json value = {
      {"key", kernel.key},
      {"name", kernel.name},
      {"place", toJson(kernel.place)},
      {"annotated", kernel.annotated},
      {"launch_note", kernel.launchNote},
      {"choice", kernel.choice},
      {"reason", kernel.reason},
      {"findings", arrayOf(kernel.findings, [](const Finding &finding) { return toJson(finding); })},
      {"declined", arrayOf(kernel.declines, [](const Decline &decline) { return toJson(decline); })},
      {"candidates",
       arrayOf(kernel.candidates, [](const CandidateRecord &record) { return toJson(record); })},
      {"before", arrayOf(kernel.before, [](const Prediction &p) { return warpwright::toJson(p); })},
      {"after", arrayOf(kernel.after, [](const Prediction &p) { return warpwright::toJson(p); })}};
  if (!kernel.measurements.empty())
    value["measurements"] =
        arrayOf(kernel.measurements, [](const Measurement &m) { return warpwright::toJson(m); });
  if (!kernel.conditional.empty())
    value["conditional"] =
        arrayOf(kernel.conditional, [](const ConditionalGain &gain) { return toJson(gain); });
  if (!kernel.profiles.empty())
    value["profiles"] = arrayOf(kernel.profiles, [](const ReadProfileRecord &record) {
      return Json{{"profile", warpwright::toJson(record.profile)},
                  {"reading", warpwright::toJson(record.reading)}};
    });
  return value;
}

const char *toString(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::Passed:
    return "passed";
  case Remark::Kind::Missed:
    return "missed";
  case Remark::Kind::Analysis:
    break;
  }
  return "analysis";
}

} // namespace

bool hasMissed(const FileRecord &record) {
  return llvm::any_of(record.remarks,
                      [](const Remark &remark) { return remark.kind == Remark::Kind::Missed; });
}

Json toJson(const FileRecord &record) {
  return {{"schema", "warpwright/evidence/1"},
          {"file", record.file},
          {"mode", record.mode},
          {"architectures", record.architectures},
          {"kernels", arrayOf(record.kernels, [](const KernelRecord &kernel) { return toJson(kernel); })},
          {"remarks", arrayOf(record.remarks, [](const Remark &remark) {
             return Json{{"kind", toString(remark.kind)},
                         {"id", remark.id},
                         {"place", toJson(remark.place)},
                         {"message", remark.message}};
           })}};
}

} // namespace warpwright
