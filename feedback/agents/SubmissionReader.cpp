#include "feedback/agents/SubmissionReader.h"

#include "rewriters/Rewriter.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

namespace warpwright::agents {
namespace {

constexpr size_t shortText = 200;
constexpr size_t longText = 4000;
constexpr size_t mostSteps = 4;
constexpr size_t mostParameters = 8;
constexpr size_t mostClaims = 16;
constexpr int64_t largestValue = int64_t(1) << 40;

bool isName(llvm::StringRef text) {
  return !text.empty() && text.size() <= 64 && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char character) { return llvm::isAlnum(character) || character == '_'; });
}

/// Tabs and ends of lines are text; other control characters have no business in a source or a reason, and
/// would reach a terminal.
bool isPrintable(llvm::StringRef text) {
  return llvm::all_of(text, [](char character) {
    unsigned char code = static_cast<unsigned char>(character);
    return code >= 0x20 ? code != 0x7f : character == '\n' || character == '\t' || character == '\r';
  });
}

} // namespace

bool SubmissionReader::fail(std::string wrong) {
  if (wrong_.empty())
    wrong_ = std::move(wrong);
  return false;
}

llvm::Expected<Submission> SubmissionReader::read(const Json &document) {
  bool isRight = document.is_object() || fail("a submission is an object");
  auto schema = isRight ? document.find("schema") : document.end();
  if (isRight && (schema == document.end() || *schema != "warpwright/submission/1"))
    isRight = fail("its 'schema' is not \"warpwright/submission/1\"");
  if (isRight)
    for (const auto &[key, value] : document.items())
      if (isRight && key != "schema")
        isRight = readEntry(key, value);
  if (!isRight || !checkChange())
    return llvm::make_error<NotASubmission>(wrong_);
  return std::move(submission_);
}

bool SubmissionReader::readEntry(llvm::StringRef key, const Json &value) {
  if (key == "kernel")
    return readText("kernel", value, shortText, submission_.kernel);
  if (key == "title")
    return readText("title", value, shortText, submission_.title);
  if (key == "author")
    return readAuthor(value);
  if (key == "change")
    return readChange(value);
  if (key == "parameters")
    return readSpace("parameters", value, submission_.parameters);
  if (key == "launch")
    return readLaunch(value);
  if (key == "reasons")
    return readReasons(value);
  return fail("'" + key.take_front(shortText).str() + "' is no key of a submission");
}

bool SubmissionReader::readText(const std::string &where, const Json &value, size_t most, std::string &text) {
  if (!value.is_string())
    return fail("'" + where + "' is no text");
  text = value.get<std::string>();
  if (text.size() > most)
    return fail("'" + where + "' has " + std::to_string(text.size()) + " bytes, " + std::to_string(most) +
                " are allowed");
  return isPrintable(text) || fail("'" + where + "' holds control characters");
}

bool SubmissionReader::readChange(const Json &value) {
  if (!value.is_object() || value.size() != 1)
    return fail("'change' is an object of one entry: 'patch', 'kernel' or 'steps'");
  const auto entry = value.begin();
  if (entry.key() == "patch")
    return readText("change.patch", entry.value(), limits_.bytes, submission_.patch) &&
           (!submission_.patch.empty() || fail("'change.patch' is empty"));
  if (entry.key() == "kernel")
    return readText("change.kernel", entry.value(), limits_.bytes, submission_.source) &&
           (!submission_.source.empty() || fail("'change.kernel' is empty"));
  if (entry.key() == "steps")
    return readSteps(entry.value());
  return fail("'change' is 'patch', 'kernel' or 'steps'");
}

bool SubmissionReader::readSteps(const Json &value) {
  if (!value.is_array() || value.empty() || value.size() > mostSteps)
    return fail("'change.steps' is no array of 1 to " + std::to_string(mostSteps) + " steps");
  return llvm::all_of(value,
                      [&](const Json &step) { return readStep(step, submission_.steps.emplace_back()); });
}

bool SubmissionReader::readStep(const Json &value, SubmittedStep &step) {
  if (!value.is_object())
    return fail("a step is an object");
  for (const auto &[key, entry] : value.items()) {
    if (key == "rewriter"     ? !readText("rewriter", entry, shortText, step.rewriter)
        : key == "subject"    ? !readText("subject", entry, shortText, step.subject)
        : key == "parameters" ? !readSpace("parameters", entry, step.parameters)
                              : !fail("'" + key.substr(0, shortText) + "' is no key of a step"))
      return false;
  }
  return findRewriter(step.rewriter) ||
         fail("'" + step.rewriter + "' is no rewriter; `warpwright list` names them");
}

bool SubmissionReader::readSpace(const std::string &where, const Json &value, ParameterSpace &space) {
  if (!value.is_object() || value.size() > mostParameters)
    return fail("'" + where + "' is no object of at most " + std::to_string(mostParameters) + " parameters");
  for (const auto &[name, entry] : value.items()) {
    if (!isName(name))
      return fail("'" + where + "' holds a parameter whose name is none");
    if (!readValues(where + "." + name, entry, space[name]))
      return false;
  }
  return true;
}

/// A number, an array of them, or {"from", "to", "step"}.
bool SubmissionReader::readValues(const std::string &where, const Json &value, std::vector<int64_t> &values) {
  auto take = [&](const Json &number) {
    if (!number.is_number_integer() || (number.is_number_unsigned() && number.get<uint64_t>() > largestValue))
      return fail("'" + where + "' is no whole number of a sensible size");
    values.push_back(number.get<int64_t>());
    return (values.back() >= -largestValue && values.back() <= largestValue) ||
           fail("'" + where + "' is too large");
  };
  if (value.is_array()) {
    if (value.empty() || value.size() > limits_.points)
      return fail("'" + where + "' has no value, or more than " + std::to_string(limits_.points));
    return llvm::all_of(value, take);
  }
  if (!value.is_object())
    return take(value);
  if (value.size() < 2 || value.size() > 3 || !value.contains("from") || !value.contains("to") ||
      (value.size() == 3 && !value.contains("step")))
    return fail("'" + where + "' is no range: one has 'from', 'to' and perhaps 'step'");
  std::vector<int64_t> ends;
  std::swap(ends, values);
  if (!take(value["from"]) || !take(value["to"]) || (value.size() == 3 && !take(value["step"])))
    return false;
  std::swap(ends, values);
  int64_t step = ends.size() == 3 ? ends[2] : 1;
  if (step < 1 || ends[1] < ends[0])
    return fail("'" + where + "' is a range that goes nowhere");
  for (int64_t next = ends[0]; next <= ends[1]; next += step) {
    values.push_back(next);
    if (values.size() > limits_.points)
      return fail("'" + where + "' has more than " + std::to_string(limits_.points) + " values");
  }
  return true;
}

bool SubmissionReader::readLaunch(const Json &value) {
  if (!value.is_object() || value.empty())
    return fail("'launch' is no object of 'grid', 'block' and 'dynamic_shared'");
  SubmittedLaunch &launch = submission_.launch.emplace();
  for (const auto &[key, entry] : value.items()) {
    if (key == "grid" || key == "block") {
      if (!readExpressions("launch." + key, entry, key == "grid" ? launch.grid : launch.block))
        return false;
    } else if (key == "dynamic_shared") {
      if (!readText("launch.dynamic_shared", entry, shortText, launch.dynamicShared.emplace()))
        return false;
    } else {
      return fail("'launch' is 'grid', 'block' and 'dynamic_shared'");
    }
  }
  return true;
}

bool SubmissionReader::readExpressions(const std::string &where, const Json &value,
                                       std::vector<std::string> &expressions) {
  if (!value.is_array() || value.empty() || value.size() > 3)
    return fail("'" + where + "' is no array of one to three expressions");
  return llvm::all_of(value, [&](const Json &axis) {
    if (axis.is_number_unsigned()) {
      expressions.push_back(std::to_string(axis.get<uint64_t>()));
      return true;
    }
    return readText(where, axis, shortText, expressions.emplace_back());
  });
}

bool SubmissionReader::readAuthor(const Json &value) {
  if (!value.is_object())
    return fail("'author' is no object");
  SubmittedAuthor &author = submission_.author;
  for (const auto &[key, entry] : value.items()) {
    std::string *text = key == "kind"     ? &author.kind
                        : key == "name"   ? &author.name
                        : key == "model"  ? &author.model
                        : key == "prompt" ? &author.prompt
                                          : nullptr;
    if (text ? !readText("author." + key, entry, shortText, *text) : key != "parameters")
      return fail("'author' is 'kind', 'name', 'model', 'parameters' and 'prompt'");
    if (!text && (!entry.is_object() || dump(entry).size() > longText))
      return fail("'author.parameters' is no small object");
    if (!text)
      author.parameters = entry;
  }
  return author.kind.empty() || author.kind == "person" || author.kind == "agent" ||
         fail("'author.kind' is \"person\" or \"agent\"");
}

bool SubmissionReader::readReasons(const Json &value) {
  if (!value.is_array() || value.size() > limits_.reasons)
    return fail("'reasons' is no array of at most " + std::to_string(limits_.reasons));
  for (size_t i = 0; i < value.size(); ++i)
    if (!readReason("reasons[" + std::to_string(i) + "]", value[i], submission_.reasons.emplace_back()))
      return false;
  return true;
}

bool SubmissionReader::readReason(const std::string &where, const Json &value, SubmittedReason &reason) {
  if (!value.is_object())
    return fail("'" + where + "' is no object");
  for (const auto &[key, entry] : value.items()) {
    std::string *text = key == "finding"         ? &reason.finding
                        : key == "what"          ? &reason.what
                        : key == "why"           ? &reason.why
                        : key == "expected_gain" ? &reason.expectedGain
                        : key == "risk"          ? &reason.risk
                        : key == "check"         ? &reason.check
                                                 : nullptr;
    if (text ? !readText(where + "." + key, entry, longText, *text)
        : key == "claims"
            ? !readClaims(where + ".claims", entry, reason.claims)
            : !fail("'" + where + "' has '" + key.substr(0, shortText) + "', which is no key of a reason"))
      return false;
  }
  return true;
}

bool SubmissionReader::readClaims(const std::string &where, const Json &value, std::vector<Claim> &claims) {
  if (!value.is_array() || value.size() > mostClaims)
    return fail("'" + where + "' is no array of at most " + std::to_string(mostClaims) + " claims");
  return llvm::all_of(value,
                      [&](const Json &entry) { return readClaim(where, entry, claims.emplace_back()); });
}

/// "vectorised", or {"claim": "fewer-bank-conflicts", "subject": "tile"}.
bool SubmissionReader::readClaim(const std::string &where, const Json &value, Claim &claim) {
  if (value.is_string())
    return readText(where, value, shortText, claim.id);
  if (!value.is_object() || !value.contains("claim"))
    return fail("'" + where + "' holds what is no claim");
  for (const auto &[key, entry] : value.items()) {
    if (key == "claim" || key == "subject") {
      if (!readText(where + "." + key, entry, shortText, key == "claim" ? claim.id : claim.subject))
        return false;
    } else if (key != "value" || !entry.is_number_integer()) {
      return fail("a claim is 'claim', 'subject' and a whole 'value'");
    } else {
      claim.value = entry.get<int64_t>();
    }
  }
  return true;
}

bool SubmissionReader::checkChange() {
  const bool isText = submission_.steps.empty();
  if (isText && submission_.patch.empty() && submission_.source.empty())
    return fail("'change' is missing: a 'patch', a 'kernel' or 'steps'");
  if (!isText && (submission_.launch || !submission_.parameters.empty()))
    return fail("'launch' and 'parameters' go with a patch or a kernel; steps have parameters of their own");
  size_t points = 1;
  auto multiply = [&](const ParameterSpace &space) {
    for (const auto &[name, values] : space)
      points = llvm::SaturatingMultiply(points, values.size());
  };
  multiply(submission_.parameters);
  for (const SubmittedStep &step : submission_.steps)
    multiply(step.parameters);
  return points <= limits_.points || fail("its parameters have " + std::to_string(points) + " points, " +
                                          std::to_string(limits_.points) + " are allowed");
}

} // namespace warpwright::agents
