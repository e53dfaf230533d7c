// `warpwright review`: a person sees what was submitted, and decides. Nothing reaches a source before.

#include "clang_plugin/AcceptedChange.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/JudgeSubmission.h"
#include "clang_plugin/SubmissionDoor.h"

#include <llvm/ADT/StringExtras.h>

#include <chrono>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;
using agents::textIn;

std::string today() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d", &parts));
}

std::string reasonsText(const Json &record) {
  std::string text;
  for (const Json &reason : record["submission"]["reasons"]) {
    text += "why: " + textIn(reason, "what") + " (answers " + textIn(reason, "finding") + ")\n";
    for (const char *key : {"why", "expected_gain", "risk", "check"})
      text += "  " + std::string(key) + ": " + textIn(reason, key) + "\n";
  }
  return text;
}

std::string evidenceText(const Json &candidate) {
  std::string text = "candidate " + textIn(candidate, "name") + ": " + textIn(candidate, "verdict") + " [" +
                     textIn(candidate, "stage") + "] " + textIn(candidate, "reason") + "\n";
  for (const Json &claim : candidate["claims"]) {
    std::string facts = textIn(claim, "facts");
    text += "  claim " + textIn(claim, "claim") + ": " + textIn(claim, "verdict") +
            (facts.empty() ? "" : " (" + facts + ")") + "\n";
  }
  auto gain = candidate.find("gain");
  if (gain != candidate.end() && (*gain)["explained"] == false)
    text += "  the gain is unexplained by any claim\n";
  auto verified = candidate.find("verification");
  if (verified != candidate.end())
    text += "  virtual device: " + textIn(*verified, "verdict") + " after " + (*verified)["runs"].dump() +
            " runs on " + std::to_string((*verified)["shapes"].size()) + " shapes\n";
  return text;
}

class ReviewVerb : private ExitTally {
public:
  explicit ReviewVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.memory.empty())
      return fail(ExitCode::BadUsage, "review needs --memory DIR, where submissions are kept");
    if (options_.operands.size() > 1 || (options_.accept && options_.reject))
      return fail(ExitCode::BadUsage, "review takes one submission, and one decision");
    if ((options_.accept || options_.reject) && options_.operands.empty())
      return fail(ExitCode::BadUsage, "a decision needs the id of a submission");
    if ((options_.accept || options_.reject) && llvm::StringRef(options_.reason).trim().empty())
      return fail(ExitCode::BadUsage,
                  "a decision needs --reason: it is kept, and told to whoever tries again");
    llvm::Expected<agents::Ledger> ledger = agents::Ledger::open(options_.memory);
    if (!ledger)
      return fail(ExitCode::BadUsage, llvm::toString(ledger.takeError()));
    ledger_ = std::move(*ledger);
    if (options_.operands.empty())
      return write(options_.format == "json" ? agents::dump(waiting(), 2) + "\n" : listText());
    const Json *record = ledger_.find(options_.operands.front());
    if (!record)
      return fail(ExitCode::BadUsage, "there is no submission '" + options_.operands.front() + "'");
    if (options_.accept || options_.reject)
      return decide(*record);
    return write(options_.format == "json" ? agents::dump(*record, 2) + "\n" : recordText(*record));
  }

private:
  ExitCode write(const std::string &text) {
    if (llvm::Error error = writeOutput(options_, text))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

  /// What may yet be written, and nobody has decided on.
  Json waiting() const {
    Json list = Json::array();
    for (const Json &record : ledger_.records()) {
      const std::string verdict = textIn(record, "verdict");
      if (!record.contains("review") && (verdict == "accepted" || verdict == "undecided"))
        list.push_back(record);
    }
    return list;
  }

  std::string listText() const {
    std::string text;
    for (const Json &record : waiting())
      text += textIn(record, "id") + "  " + textIn(record, "verdict") + "  " + textIn(record, "kernel") +
              "  " + textIn(record["submission"], "title") + ": " + textIn(record, "reason") + "\n";
    return text.empty() ? "nothing waits\n" : text;
  }

  static std::string recordText(const Json &record) {
    std::string text = describeRecord(record) + reasonsText(record);
    for (const Json &candidate : record["candidates"])
      text += evidenceText(candidate);
    text += patchOf(record);
    if (auto review = record.find("review"); review != record.end())
      text += textIn(*review, "decision") + " on " + textIn(*review, "date") + ": " +
              textIn(*review, "reason") + "\n";
    return text;
  }

  ExitCode decide(Json record) {
    if (record.contains("review"))
      return fail(ExitCode::BadUsage, "it is " + textIn(record["review"], "decision") + " already");
    if (options_.accept && textIn(record, "verdict") != "accepted" && textIn(record, "stage") != "dominance")
      return fail(ExitCode::BadUsage, "the net did not accept it, and nobody's word goes before that: " +
                                          textIn(record, "reason"));
    if (options_.accept)
      if (llvm::Error error = writeChange(record))
        return fail(ExitCode::Undecided, llvm::toString(std::move(error)));
    const char *decision = options_.accept ? "accepted" : "rejected";
    record["review"] = {{"decision", decision}, {"reason", options_.reason}, {"date", today()}};
    if (llvm::Error error = ledger_.update(record))
      return fail(ExitCode::ToolFault, llvm::toString(std::move(error)));
    return write("submission " + textIn(record, "id") + " is " + decision +
                 (options_.accept ? ", and written into " + textIn(record, "file") : "") + "\n");
  }

  const Options &options_;
  agents::Ledger ledger_;
};

} // namespace

ExitCode runReview(const Options &options) {
  return ReviewVerb(options).run();
}

} // namespace warpwright
