#include "feedback/loop/StoredJson.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <nlohmann/json.hpp>

namespace warpwright::loop {
namespace {

constexpr const char *schemaName = "warpwright/knowledge/1";
constexpr const char *textNames[] = {"kernel",    "architecture", "identity", "mechanism",  "name",
                                     "structure", "proposer",     "strategy", "bottleneck", "reason",
                                     "verdict",   "stage",        "why",      "rule",       "detail"};
constexpr const char *numberNames[] = {"ratio", "worst", "gain", "seconds", "compile_seconds"};

llvm::Error badLine(size_t line, const std::string &what) {
  return llvm::createStringError("line " + std::to_string(line) + " of the knowledge: " + what);
}

llvm::Expected<StoredOutcome> readOutcome(const nlohmann::ordered_json &value, size_t line) {
  StoredOutcome outcome;
  for (auto [name, text] : llvm::zip(textNames, textsOf(outcome))) {
    if (!value.contains(name) || !value[name].is_string())
      return badLine(line, std::string("'") + name + "' must be a text");
    *text = value[name].get<std::string>();
  }
  for (auto [name, number] : llvm::zip(numberNames, numbersOf(outcome))) {
    if (!value.contains(name) || !value[name].is_number())
      return badLine(line, std::string("'") + name + "' must be a number");
    *number = value[name].get<double>();
  }
  for (const char *name : {"session", "round"})
    if (!value.contains(name) || !value[name].is_number_unsigned())
      return badLine(line, std::string("'") + name + "' must be a number of 0 or more");
  outcome.session = value["session"].get<int64_t>();
  outcome.round = value["round"].get<unsigned>();
  return outcome;
}

} // namespace

std::array<std::string *, 15> textsOf(StoredOutcome &o) {
  return {&o.kernel,    &o.architecture, &o.identity, &o.mechanism,  &o.name,
          &o.structure, &o.proposer,     &o.strategy, &o.bottleneck, &o.reason,
          &o.verdict,   &o.stage,        &o.why,      &o.rule,       &o.detail};
}

std::array<double *, 5> numbersOf(StoredOutcome &o) {
  return {&o.ratio, &o.worst, &o.gain, &o.seconds, &o.compileSeconds};
}

nlohmann::ordered_json toJson(const StoredOutcome &outcome) {
  StoredOutcome copy = outcome;
  nlohmann::ordered_json value = {
      {"schema", schemaName}, {"session", outcome.session}, {"round", outcome.round}};
  for (auto [name, text] : llvm::zip(textNames, textsOf(copy)))
    value[name] = *text;
  for (auto [name, number] : llvm::zip(numberNames, numbersOf(copy)))
    value[name] = *number;
  return value;
}

llvm::Expected<std::vector<StoredOutcome>> readLines(const std::string &text) {
  std::vector<StoredOutcome> outcomes;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].trim().empty())
      continue;
    auto value = nlohmann::ordered_json::parse(lines[i].str(), nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded() || !value.is_object())
      return badLine(i + 1, "is no JSON object");
    auto schema = value.find("schema");
    if (schema == value.end() || *schema != schemaName)
      return badLine(i + 1, std::string("must say schema \"") + schemaName + "\"");
    llvm::Expected<StoredOutcome> outcome = readOutcome(value, i + 1);
    if (!outcome)
      return outcome.takeError();
    outcomes.push_back(std::move(*outcome));
  }
  return outcomes;
}

} // namespace warpwright::loop
