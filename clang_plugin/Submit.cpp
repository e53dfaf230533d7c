// `warpwright submit`: the door for people, and, with --judge-into, the child in which every submission is
// judged.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/JudgeSubmission.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/SubmissionDoor.h"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

class SubmitVerb : private ExitTally {
public:
  explicit SubmitVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.size() < 2)
      return fail(ExitCode::BadUsage, "submit needs a file and at least one submission");
    if (!options_.judgeInto.empty())
      return judgeHere();
    llvm::Expected<std::unique_ptr<SubmissionDoor>> door =
        SubmissionDoor::open(options_, options_.operands[0]);
    if (!door)
      return fail(ExitCode::BadUsage, llvm::toString(door.takeError()));
    for (const std::string &path : llvm::ArrayRef(options_.operands).drop_front())
      submit(**door, path);
    if (llvm::Error error = writeOutput(options_, text()))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return worst_;
  }

private:
  llvm::Expected<std::string> read(const std::string &path) const {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
    if (!buffer)
      return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }

  void submit(SubmissionDoor &door, const std::string &path) {
    llvm::Expected<std::string> text = read(path);
    llvm::Expected<Json> record = text ? door.submit(*text, {}) : text.takeError();
    if (!record) {
      fail(ExitCode::BadUsage, path + ": " + llvm::toString(record.takeError()));
      return;
    }
    const std::string verdict = agents::textIn(*record, "verdict");
    note(verdict == "accepted"    ? ExitCode::Clean
         : verdict == "undecided" ? ExitCode::Undecided
                                  : ExitCode::Findings);
    records_.push_back(std::move(*record));
  }

  std::string text() const {
    if (options_.format == "json")
      return agents::dump(records_.size() == 1 ? records_.front() : records_, 2) + "\n";
    std::string text;
    for (const Json &record : records_)
      text += describeRecord(record);
    return text;
  }

  /// This process is confined, and there is one submission.
  ExitCode judgeHere() {
    llvm::Expected<FileJob> job = makeJob(options_.operands[0], options_);
    if (!job)
      return fail(ExitCode::BadUsage, llvm::toString(job.takeError()));
    llvm::Expected<std::string> text = read(options_.operands[1]);
    if (!text)
      return fail(ExitCode::BadUsage, llvm::toString(text.takeError()));
    llvm::Expected<agents::AgentPolicy> policy = agents::readAgentPart(options_.policy);
    if (!policy)
      return fail(ExitCode::BadUsage, llvm::toString(policy.takeError()));
    agents::SubmissionLimits limits;
    limits.bytes = policy->maxBytes * 4; // written anew, it may be longer than it came
    limits.points = policy->maxPoints;
    llvm::Expected<agents::Submission> submission = agents::parseSubmission(*text, limits);
    if (!submission)
      return fail(ExitCode::BadUsage, llvm::toString(submission.takeError()));
    llvm::Expected<agents::Ledger> ledger = agents::Ledger::open(memoryFolder(options_));
    if (!ledger)
      return fail(ExitCode::BadUsage, llvm::toString(ledger.takeError()));
    llvm::Expected<Json> record = judgeSubmission({*job, options_, *policy, *ledger}, *submission);
    if (!record)
      return fail(ExitCode::ToolFault, llvm::toString(record.takeError()));
    if (llvm::Error error = writeFile(options_.judgeInto, agents::dump(*record) + "\n"))
      return fail(ExitCode::ToolFault, llvm::toString(std::move(error)));
    return ExitCode::Clean;
  }

  const Options &options_;
  Json records_ = Json::array();
};

} // namespace

ExitCode runSubmit(const Options &options) {
  return SubmitVerb(options).run();
}

} // namespace warpwright
