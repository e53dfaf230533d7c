#include "clang_plugin/RememberSubmission.h"

#include "feedback/agents/Ledger.h"
#include "feedback/loop/Store.h"

#include <llvm/ADT/StringExtras.h>

#include <cmath>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using agents::textIn;

/// What was done, in words that another kernel's record may use, too.
std::string strategyOf(const Json &submission) {
  std::string words;
  auto add = [&](const std::string &word) {
    if (!word.empty() && !llvm::StringRef(words).contains(word))
      words += (words.empty() ? "" : ", ") + word;
  };
  const Json change = submission.value("change", Json::object());
  for (const Json &step : change.value("steps", Json::array()))
    add(textIn(step, "rewriter"));
  for (const Json &reason : submission.value("reasons", Json::array()))
    for (const Json &claim : reason.value("claims", Json::array()))
      add(textIn(claim, "claim"));
  return words.empty() ? "submitted" : words;
}

double gainOf(const Json &candidate) {
  if (textIn(candidate, "verdict") != "accepted")
    return 0;
  const double ratio = candidate.value("ratio", 0.0), cost = candidate.value("cost", 0.0);
  const double figure = ratio > 0 ? ratio : cost;
  return figure > 0 && figure < 1 ? -std::log(figure) : 0;
}

} // namespace

llvm::Error rememberSubmission(loop::Store &store, const Json &record) {
  loop::StoredSession wanted;
  wanted.kernel = textIn(record, "kernel");
  wanted.architecture = llvm::StringRef(textIn(record, "conditions")).split(' ').first.str();
  wanted.conditions = "submissions " + textIn(record, "original") + " " + textIn(record, "conditions");
  llvm::Expected<loop::StoredSession> session = store.begin(wanted, /*resume=*/true);
  if (!session)
    return session.takeError();
  const Json &submission = record["submission"];
  const std::string kind = textIn(submission.value("author", Json::object()), "kind");
  for (const Json &candidate : record["candidates"]) {
    const std::string code = textIn(candidate["identity"], "code"), verdict = textIn(candidate, "verdict");
    if (code.empty() || verdict == "refused")
      continue;
    loop::StoredOutcome outcome;
    outcome.session = session->id;
    outcome.kernel = wanted.kernel;
    outcome.architecture = wanted.architecture;
    // What was cut short, or declined for its claims, may come back: each submission is an outcome of its
    // own.
    outcome.identity = textIn(candidate["identity"], "source") + "|" + textIn(record, "id") + "|" +
                       textIn(candidate, "name");
    outcome.mechanism = code;
    outcome.name = textIn(submission, "title") + " " + textIn(candidate, "name");
    outcome.proposer = kind.empty() ? "agent" : kind;
    outcome.strategy = strategyOf(submission);
    outcome.reason = submission["reasons"].empty() ? "" : textIn(submission["reasons"][0], "why");
    outcome.verdict = verdict;
    outcome.stage = textIn(candidate, "stage");
    outcome.why = textIn(candidate, "reason");
    outcome.ratio = candidate.value("ratio", 0.0);
    outcome.gain = gainOf(candidate);
    if (llvm::Error error = store.add(outcome))
      return error;
  }
  return llvm::Error::success();
}

} // namespace warpwright
