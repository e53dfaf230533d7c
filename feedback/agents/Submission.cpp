#include "feedback/agents/Submission.h"

#include "feedback/agents/SubmissionReader.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

namespace warpwright::agents {

char NotASubmission::ID = 0;

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Claim &claim) {
  Json value = {{"claim", claim.id}};
  if (!claim.subject.empty())
    value["subject"] = claim.subject;
  if (claim.value != 0)
    value["value"] = claim.value;
  return value;
}

Json toJson(const SubmittedReason &reason) {
  Json value = {{"finding", reason.finding}, {"what", reason.what},
                {"why", reason.why},         {"expected_gain", reason.expectedGain},
                {"risk", reason.risk},       {"check", reason.check},
                {"claims", Json::array()}};
  for (const Claim &claim : reason.claims)
    value["claims"].push_back(toJson(claim));
  return value;
}

Json toJson(const ParameterSpace &space) {
  Json value = Json::object();
  for (const auto &[name, values] : space)
    value[name] = values;
  return value;
}

Json toJson(const SubmittedLaunch &launch) {
  Json value = Json::object();
  if (!launch.grid.empty())
    value["grid"] = launch.grid;
  if (!launch.block.empty())
    value["block"] = launch.block;
  if (launch.dynamicShared)
    value["dynamic_shared"] = *launch.dynamicShared;
  return value;
}

Json toJson(const SubmittedAuthor &author) {
  Json value = {{"kind", author.kind}, {"name", author.name}};
  if (!author.model.empty())
    value["model"] = author.model;
  if (!author.parameters.empty())
    value["parameters"] = author.parameters;
  if (!author.prompt.empty())
    value["prompt"] = author.prompt;
  return value;
}

Json changeOf(const Submission &submission) {
  if (!submission.patch.empty())
    return {{"patch", submission.patch}};
  if (!submission.source.empty())
    return {{"kernel", submission.source}};
  Json steps = Json::array();
  for (const SubmittedStep &step : submission.steps) {
    Json value = {{"rewriter", step.rewriter}};
    if (!step.subject.empty())
      value["subject"] = step.subject;
    if (!step.parameters.empty())
      value["parameters"] = toJson(step.parameters);
    steps.push_back(std::move(value));
  }
  return {{"steps", std::move(steps)}};
}

} // namespace

bool isShallow(llvm::StringRef json) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char character = json[i];
    if (inString) {
      if (character == '\\')
        ++i;
      inString = character != '"';
    } else if (character == '"') {
      inString = true;
    } else if (character == '[' || character == '{') {
      if (++depth > deepestJson)
        return false;
    } else if ((character == ']' || character == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

llvm::Expected<Submission> parseSubmission(llvm::StringRef text, const SubmissionLimits &limits) {
  if (text.size() > limits.bytes)
    return llvm::make_error<NotASubmission>("the submission has " + std::to_string(text.size()) + " bytes, " +
                                            std::to_string(limits.bytes) + " are allowed");
  if (!isShallow(text))
    return llvm::make_error<NotASubmission>("the submission nests deeper than " +
                                            std::to_string(deepestJson) + " levels");
  Json document = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return llvm::make_error<NotASubmission>("the submission is not JSON, or not in UTF-8");
  return readSubmission(document, limits);
}

llvm::Expected<Submission> readSubmission(const Json &document, const SubmissionLimits &limits) {
  return SubmissionReader(limits).read(document);
}

std::string missingReasons(const Submission &submission) {
  if (submission.reasons.empty())
    return "it gives no reason: 'reasons' needs an entry for each change";
  for (size_t i = 0; i < submission.reasons.size(); ++i) {
    const SubmittedReason &reason = submission.reasons[i];
    const std::pair<const char *, const std::string *> needed[] = {
        {"finding", &reason.finding}, {"what", &reason.what},
        {"why", &reason.why},         {"expected_gain", &reason.expectedGain},
        {"risk", &reason.risk},       {"check", &reason.check}};
    for (const auto &[name, text] : needed)
      if (llvm::StringRef(*text).trim().empty())
        return "reason " + std::to_string(i + 1) + " does not say '" + name + "'";
  }
  return {};
}

Json toJson(const Submission &submission) {
  Json value = {{"schema", "warpwright/submission/1"},
                {"kernel", submission.kernel},
                {"title", submission.title},
                {"author", toJson(submission.author)},
                {"change", changeOf(submission)}};
  if (!submission.parameters.empty())
    value["parameters"] = toJson(submission.parameters);
  if (submission.launch)
    value["launch"] = toJson(*submission.launch);
  value["reasons"] = Json::array();
  for (const SubmittedReason &reason : submission.reasons)
    value["reasons"].push_back(toJson(reason));
  return value;
}

std::vector<ParameterPoint> pointsOf(const ParameterSpace &space) {
  std::vector<ParameterPoint> points = {{}};
  for (const auto &[name, values] : space) {
    std::vector<ParameterPoint> next;
    for (const ParameterPoint &point : points)
      for (int64_t value : values) {
        next.push_back(point);
        next.back()[name] = value;
      }
    points = std::move(next);
  }
  return points;
}

llvm::Expected<std::string> substitute(llvm::StringRef text, const ParameterPoint &point) {
  std::string result = text.str();
  for (const auto &[name, value] : point) {
    const std::string mark = "@" + name + "@", number = std::to_string(value);
    size_t at = result.find(mark);
    if (at == std::string::npos)
      return llvm::createStringError("the change does not hold '" + mark + "', which is a parameter");
    for (; at != std::string::npos; at = result.find(mark, at + number.size()))
      result.replace(at, mark.size(), number);
  }
  return result;
}

std::string checksumOf(llvm::StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string dump(const Json &value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace warpwright::agents
