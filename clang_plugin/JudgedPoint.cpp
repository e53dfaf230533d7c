#include "clang_plugin/JudgedPoint.h"

namespace warpwright {

using Json = nlohmann::ordered_json;

Json toJson(const JudgedPoint &point) {
  Json value = {{"name", point.name}, {"verdict", point.verdict}, {"stage", point.stage}};
  auto put = [&](const char *key, const std::string &text) {
    if (!text.empty())
      value[key] = text;
  };
  put("code", point.code);
  put("category", point.category);
  put("reason", point.reason);
  if (!point.details.empty())
    value["details"] = point.details;
  value["identity"] = {{"text", point.text}, {"source", point.program.source}, {"code", point.program.code}};
  put("repeats", point.repeats);
  value["claims"] = agents::toJson(point.claims);
  for (const Prediction &prediction : point.before)
    value["before"].push_back(toJson(prediction));
  for (const Prediction &prediction : point.after)
    value["after"].push_back(toJson(prediction));
  if (point.verification)
    value["verification"] = warpwright::toJson(*point.verification)["verdicts"][0];
  if (point.cost > 0)
    value["cost"] = point.cost;
  if (point.ratio > 0)
    value["ratio"] = point.ratio;
  if (!point.gainBy.empty())
    value["gain"] = {{"by", point.gainBy}, {"explained", point.explained}};
  put("patch", point.patch);
  return value;
}

std::string nextStepAfter(const JudgedPoint &point) {
  if (point.verdict == "accepted")
    return "a person decides: warpwright review shows the patch and this evidence";
  if (point.category == "syntax")
    return "mend the text by the lines given, and submit again";
  if (point.category == "semantics")
    return "it computes something else: read the counterexample, mend the change, and submit again";
  if (point.category == "resources")
    return "use less of what is over, and submit again";
  if (point.category == "claims")
    return "claim what the facts show, or mend the change so that they show it";
  if (point.category == "admission")
    return "change the kernel and its device functions alone; ask for the constraints";
  if (point.category == "repeat")
    return "try something else: ask for what was tried";
  if (point.category == "not measured")
    return "have it measured where a GPU is, or submit a change that facts show to be better";
  return "read the findings again, and try something else";
}

} // namespace warpwright
