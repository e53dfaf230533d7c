#include "feedback/LockJson.h"

#include "feedback/evaluators/cuda/runner/JsonReader.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <llvm/ADT/StringExtras.h>

#include <cmath>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using runner::JsonReader;

/// A text of several lines is an array of them, so that a diff shows which changed.
Json linesOf(llvm::StringRef text) {
  if (!text.contains('\n'))
    return text.str();
  Json lines = Json::array();
  llvm::SmallVector<llvm::StringRef, 16> parts;
  text.split(parts, '\n');
  for (llvm::StringRef line : parts)
    lines.push_back(line.str());
  return lines;
}

std::vector<std::string> readTexts(JsonReader &reader, const char *key) {
  std::vector<std::string> texts;
  for (const Json &text : reader.array(key)) {
    if (text.is_string())
      texts.push_back(text.get<std::string>());
    else
      reader.mistake(key, "has an element that is no text");
  }
  return texts;
}

std::string readLines(JsonReader &reader, const char *key) {
  const Json &value = reader.required(key);
  return value.is_array() ? llvm::join(readTexts(reader, key), "\n") : reader.text(key);
}

LockedStep readStep(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"rewriter", "subject", "parameters"}, mistake);
  LockedStep step;
  step.rewriter = reader.text("rewriter");
  step.subject = reader.text("subject");
  const Json &parameters = reader.required("parameters");
  if (!parameters.is_object()) {
    reader.mistake("parameters", "is no object");
    return step;
  }
  for (const auto &[name, number] : parameters.items()) {
    if (number.is_number_integer())
      step.parameters[name] = number.get<int64_t>();
    else
      reader.mistake("parameters", "'" + name + "' is no integer");
  }
  return step;
}

LockedChange readChange(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"guard", "steps", "edits"}, mistake);
  LockedChange change;
  change.guard = reader.text("guard", "");
  for (const Json &step : reader.array("steps"))
    change.steps.push_back(readStep(step, reader.placeOf("steps"), mistake));
  for (const Json &edit : reader.array("edits")) {
    JsonReader part(edit, reader.placeOf("edits"), {"number", "replaces", "text"}, mistake);
    auto number = static_cast<unsigned>(part.count("number", UINT32_MAX));
    std::string replaces = readLines(part, "replaces");
    change.edits.push_back({number, std::move(replaces), readLines(part, "text")});
  }
  return change;
}

LockedShape readLockedShape(const Json &value, const std::string &place, runner::Mistake &mistake) {
  JsonReader reader(value, place, {"shape", "verdict", "original_us", "chosen_us"}, mistake);
  LockedShape shape;
  shape.shape = reader.text("shape");
  shape.verdict = reader.text("verdict");
  shape.originalMicroseconds = reader.number("original_us");
  shape.chosenMicroseconds = reader.number("chosen_us");
  return shape;
}

/// Nanoseconds are finer than any clock here.
double rounded(double microseconds) {
  return std::round(microseconds * 1000) / 1000;
}

std::string sealOf(const Json &entry) {
  return runner::sha256(entry.dump());
}

} // namespace

Json toJson(const LockedChange &change) {
  Json value = Json::object();
  if (!change.guard.empty())
    value["guard"] = change.guard;
  value["steps"] = Json::array();
  value["edits"] = Json::array();
  for (const LockedStep &step : change.steps) {
    Json parameters = Json::object();
    for (const auto &[name, number] : step.parameters)
      parameters[name] = number;
    value["steps"].push_back(
        {{"rewriter", step.rewriter}, {"subject", step.subject}, {"parameters", std::move(parameters)}});
  }
  for (const LockedEdit &edit : change.edits)
    value["edits"].push_back(
        {{"number", edit.number}, {"replaces", linesOf(edit.replaces)}, {"text", linesOf(edit.text)}});
  return value;
}

llvm::Expected<LockedChange> readLockedChange(const Json &value, const std::string &place) {
  runner::Mistake mistake;
  LockedChange change = readChange(value, place, mistake);
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  return change;
}

Json toJson(const LockEntry &entry) {
  Json value = {
      {"file", entry.file},       {"kernel", entry.kernel},     {"architecture", entry.architecture},
      {"shapes", entry.shapes},   {"tokens", entry.tokens},     {"flags", entry.flags},
      {"toolkit", entry.toolkit}, {"protocol", entry.protocol}, {"device", entry.device},
      {"driver", entry.driver},   {"choice", Json::array()},    {"reason", entry.reason},
      {"measured", Json::array()}};
  for (const LockedChange &change : entry.choice)
    value["choice"].push_back(toJson(change));
  for (const LockedShape &shape : entry.measured)
    value["measured"].push_back({{"shape", shape.shape},
                                 {"verdict", shape.verdict},
                                 {"original_us", rounded(shape.originalMicroseconds)},
                                 {"chosen_us", rounded(shape.chosenMicroseconds)}});
  return value;
}

Json sealed(const LockEntry &entry) {
  Json value = toJson(entry);
  value["checksum"] = sealOf(value);
  return value;
}

llvm::Expected<LockEntry> readLockEntry(const Json &value, const std::string &place) {
  runner::Mistake mistake;
  JsonReader reader(value, place,
                    {"file", "kernel", "architecture", "shapes", "tokens", "flags", "toolkit", "protocol",
                     "device", "driver", "choice", "reason", "measured", "checksum"},
                    mistake);
  LockEntry entry;
  entry.file = reader.text("file");
  entry.kernel = reader.text("kernel");
  entry.architecture = reader.text("architecture");
  entry.shapes = readTexts(reader, "shapes");
  entry.tokens = reader.text("tokens");
  entry.flags = readTexts(reader, "flags");
  entry.toolkit = reader.text("toolkit");
  entry.protocol = reader.text("protocol");
  entry.device = reader.text("device");
  entry.driver = reader.text("driver");
  for (const Json &change : reader.array("choice"))
    entry.choice.push_back(readChange(change, reader.placeOf("choice"), mistake));
  entry.reason = reader.text("reason");
  for (const Json &shape : reader.array("measured"))
    entry.measured.push_back(readLockedShape(shape, reader.placeOf("measured"), mistake));
  std::string checksum = reader.text("checksum", "");
  if (mistake.failure())
    return llvm::createStringError(mistake.failure()->text);
  Json unsealed = value;
  unsealed.erase("checksum");
  entry.isIntact = checksum == sealOf(unsealed);
  return entry;
}

} // namespace warpwright
