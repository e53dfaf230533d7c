#include "clang_plugin/JudgeSubmission.h"

namespace warpwright {

using Json = nlohmann::ordered_json;

Json unrunRecord(const std::string &file, const agents::Submission &submission, const char *verdict,
                 const std::string &stage, const std::string &reason, const std::string &next) {
  return {{"schema", "warpwright/submission-record/1"},
          {"id", ""},
          {"file", file},
          {"kernel", submission.kernel},
          {"verdict", verdict},
          {"stage", stage},
          {"reason", reason},
          {"next", next},
          {"submission", agents::toJson(submission)},
          {"candidates", Json::array()}};
}

std::string describeRecord(const Json &record) {
  using agents::textIn;
  std::string text = textIn(record, "kernel") + ": submission " + textIn(record, "id") + ": " +
                     textIn(record, "verdict") + " [" + textIn(record, "stage") + "]";
  if (std::string reason = textIn(record, "reason"); !reason.empty())
    text += ": " + reason;
  text += "\n";
  if (auto details = record.find("details"); details != record.end())
    for (const Json &line : *details)
      text += "  " + (line.is_string() ? line.get<std::string>() : "") + "\n";
  if (record["candidates"].size() > 1)
    for (const Json &candidate : record["candidates"])
      text += "  " + textIn(candidate, "name") + ": " + textIn(candidate, "verdict") + " [" +
              textIn(candidate, "stage") + "] " + textIn(candidate, "reason") + "\n";
  return text + "  next: " + textIn(record, "next") + "\n";
}

} // namespace warpwright
