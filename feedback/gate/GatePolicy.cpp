#include "feedback/gate/GatePolicy.h"

#include "analysis/Finding.h"
#include "feedback/gate/AcceptComments.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *severityNames[] = {"off", "note", "warning", "error"};

/// Nothing where it is none.
std::optional<Severity> severityNamed(const Json &value) {
  for (unsigned i = 0; i < std::size(severityNames); ++i)
    if (value == severityNames[i])
      return static_cast<Severity>(i);
  return std::nullopt;
}

std::string notSeverity(const Json &value) {
  return "is " + value.dump() + ", not \"off\", \"note\", \"warning\" or \"error\"";
}

/// A member that has to be a text which says something.
std::string readText(const std::string &key, const Json &value, std::string &text) {
  if (!value.is_string() || value.get<std::string>().empty())
    return "has " + value.dump() + " as \"" + key + "\", not a text";
  text = value.get<std::string>();
  return {};
}

std::string readLimitsRow(const Json &row, KernelLimits &limits) {
  if (!row.is_object())
    return "holds " + row.dump() + ", not an object";
  Json numbers = Json::object();
  for (const auto &[key, value] : row.items()) {
    std::string *text = key == "kernels" ? &limits.kernels : key == "files" ? &limits.files : nullptr;
    if (!text)
      numbers[key] = value;
    else if (std::string wrong = readText(key, value, *text); !wrong.empty())
      return wrong;
  }
  return readMetrics(numbers, limits.limits);
}

std::string readLimits(const Json &value, GatePolicy &policy) {
  if (!value.is_array())
    return "is no array of limits";
  for (const Json &row : value)
    if (std::string wrong = readLimitsRow(row, policy.limits.emplace_back()); !wrong.empty())
      return wrong;
  return {};
}

std::string readSeverities(const Json &value, GatePolicy &policy) {
  if (!value.is_object())
    return "is no object of severities by rule";
  for (const auto &[rule, weight] : value.items()) {
    std::optional<Severity> severity = severityNamed(weight);
    if (!severity)
      return "of \"" + rule + "\" " + notSeverity(weight);
    if (rule == "default")
      policy.defaultSeverity = *severity;
    else if (findFindingRule(rule) || rule == staleLockRule)
      policy.severities[rule] = *severity;
    else
      return "holds \"" + rule + "\", and there is no such finding; `warpwright list` names them";
  }
  return {};
}

std::string readException(const Json &row, PolicyException &exception) {
  if (!row.is_object())
    return "holds " + row.dump() + ", not an object";
  for (const auto &[key, value] : row.items()) {
    std::string *text = key == "rule"      ? &exception.rule
                        : key == "kernels" ? &exception.kernels
                        : key == "files"   ? &exception.files
                        : key == "reason"  ? &exception.reason
                        : key == "expires" ? &exception.expires
                                           : nullptr;
    if (!text)
      return "holds an exception with \"" + key + "\", which is no entry of one";
    if (std::string wrong = readText(key, value, *text); !wrong.empty())
      return wrong;
  }
  if (exception.reason.empty())
    return "holds an exception without a reason";
  if (!isAcceptableRule(exception.rule))
    return "holds an exception of the rule \"" + exception.rule + "\", and there is none such";
  if (!exception.expires.empty() && !isDate(exception.expires))
    return "holds \"" + exception.expires + "\", which is no date; one is written as 2027-01-31";
  return {};
}

std::string readExceptions(const Json &value, GatePolicy &policy) {
  if (!value.is_array())
    return "is no array of exceptions";
  for (const Json &row : value)
    if (std::string wrong = readException(row, policy.exceptions.emplace_back()); !wrong.empty())
      return wrong;
  return {};
}

std::string readFailOn(const Json &value, GatePolicy &policy) {
  std::optional<Severity> severity = severityNamed(value);
  if (!severity || *severity == Severity::Off)
    return "is " + value.dump() + ", not \"note\", \"warning\" or \"error\"";
  policy.failOn = *severity;
  return {};
}

std::string readConfidence(const Json &value, GatePolicy &policy) {
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > 1)
    return "is " + value.dump() + ", not a number from 0 to 1";
  policy.minConfidence = value.get<double>();
  return {};
}

} // namespace

const char *toString(Severity severity) {
  return severityNames[static_cast<unsigned>(severity)];
}

bool matchesGlob(llvm::StringRef pattern, llvm::StringRef text) {
  size_t p = 0, t = 0, star = llvm::StringRef::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != llvm::StringRef::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.drop_front(p).find_first_not_of('*') == llvm::StringRef::npos;
}

Severity GatePolicy::severityOf(llvm::StringRef rule, double confidence) const {
  if (auto found = severities.find(rule.str()); found != severities.end())
    return found->second;
  return confidence < minConfidence ? std::min(defaultSeverity, Severity::Note) : defaultSeverity;
}

MetricValues GatePolicy::limitsOf(llvm::StringRef kernel, llvm::StringRef file) const {
  MetricValues result;
  for (const KernelLimits &row : limits) {
    if (!matchesGlob(row.kernels, kernel) || !matchesGlob(row.files, file))
      continue;
    for (const MetricInfo &info : metrics())
      if (row.limits[info.metric])
        result[info.metric] = row.limits[info.metric];
  }
  return result;
}

std::pair<bool, std::string> readGateEntry(llvm::StringRef key, const Json &value, GatePolicy &policy) {
  if (key == "allowed_change")
    return {true, readMetrics(value, policy.allowedChange)};
  if (key == "exceptions")
    return {true, readExceptions(value, policy)};
  if (key == "fail_on")
    return {true, readFailOn(value, policy)};
  if (key == "limits")
    return {true, readLimits(value, policy)};
  if (key == "min_confidence")
    return {true, readConfidence(value, policy)};
  if (key == "severity")
    return {true, readSeverities(value, policy)};
  return {false, {}};
}

} // namespace warpwright
