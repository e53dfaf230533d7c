#include "clang_plugin/SubmissionDoor.h"

#include "clang_plugin/ConfinedChild.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/JudgeSubmission.h"
#include "clang_plugin/NamedSequence.h"
#include "clang_plugin/OutputFile.h"
#include "clang_plugin/RememberSubmission.h"
#include "feedback/Document.h"
#include "feedback/agents/Messages.h"
#include "feedback/loop/Store.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// The child's answer is read by us: it is bounded like everything from outside.
constexpr uint64_t largestResult = 64 << 20;
/// Outcomes of earlier searches that one question is answered with.
constexpr unsigned mostRecalled = 10;

/// Precompiled headers of the original, which the child may read and not write.
void precompile(const FileJob &job) {
  FileRequest request;
  request.file = job.file;
  request.invocation = job.invocation;
  request.toolkit = job.toolkit;
  request.cacheDirectory = job.cacheDirectory;
  request.wantResources = false;
  for (const NvccTarget &target : analysisTargets(job.invocation)) {
    request.target = target;
    // What does not parse is found again, and said, in the child.
    llvm::consumeError(openFile(request).takeError());
  }
}

/// What is said in numbers, and what a review shows of the proof, where they are there.
bool areFigures(const Json &candidate) {
  for (const char *key : {"cost", "ratio"})
    if (candidate.contains(key) && !candidate[key].is_number())
      return false;
  auto holds = [&](const char *key, std::initializer_list<const char *> parts) {
    auto found = candidate.find(key);
    return found == candidate.end() || (found->is_object() && llvm::all_of(parts, [&](const char *part) {
                                          return found->contains(part);
                                        }));
  };
  return holds("gain", {"explained"}) && holds("verification", {"runs", "shapes"});
}

/// What everything that reads a record rests on. The child's native code may have written something else.
std::string misfitOf(const Json &record) {
  auto holds = [&](const char *key, bool (Json::*is)() const) {
    auto found = record.find(key);
    return found != record.end() && ((*found).*is)();
  };
  for (const char *key : {"file", "kernel", "verdict", "stage", "reason", "next"})
    if (!holds(key, &Json::is_string))
      return key;
  if (!holds("candidates", &Json::is_array))
    return "candidates";
  for (const Json &candidate : record["candidates"])
    if (!candidate.is_object() || !candidate.contains("identity") || !candidate["identity"].is_object() ||
        !candidate.contains("claims") || !candidate["claims"].is_array() || !areFigures(candidate))
      return "candidates";
  return {};
}

std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

std::string howItEnded(const ChildOutcome &outcome, const agents::AgentPolicy &policy) {
  switch (outcome.end) {
  case ChildOutcome::End::OutOfTime:
    return "judging it took more than " + std::to_string(policy.seconds) + " seconds";
  case ChildOutcome::End::OutOfMemory:
    return "judging it took more than " + std::to_string(policy.memoryMiB) + " MiB of memory";
  case ChildOutcome::End::Cancelled:
    return "it was cancelled";
  case ChildOutcome::End::Exited:
    break;
  }
  return outcome.code > 128
             ? "the process that judged it ended by signal " + std::to_string(outcome.code - 128)
             : "the process that judged it failed with code " + std::to_string(outcome.code);
}

} // namespace

std::string memoryFolder(const Options &options) {
  if (!options.memory.empty())
    return options.memory;
  return options.database.empty() ? std::string() : joined(options.database, "warpwright-submissions");
}

llvm::Expected<std::unique_ptr<SubmissionDoor>> SubmissionDoor::open(const Options &options,
                                                                     const std::string &file) {
  if (memoryFolder(options).empty())
    return llvm::createStringError("where is what was tried kept? --memory DIR says it, or -p DIR");
  llvm::Expected<FileJob> job = makeJob(file, options);
  if (!job)
    return job.takeError();
  llvm::Expected<agents::AgentPolicy> policy = agents::readAgentPart(options.policy);
  if (!policy)
    return policy.takeError();
  if (!options.level.empty()) {
    std::optional<agents::AgentLevel> level = agents::agentLevelNamed(options.level);
    if (!level)
      return llvm::createStringError("there is no level '" + options.level +
                                     "'; there are observe, bench, propose and write");
    // The command line can lower what the policy grants; only a policy raises it.
    policy->level = std::min(policy->level, *level);
  }
  llvm::Expected<agents::Ledger> ledger = agents::Ledger::open(memoryFolder(options));
  if (!ledger)
    return ledger.takeError();
  llvm::Expected<std::unique_ptr<WorkFolder>> folder = WorkFolder::create();
  if (!folder)
    return folder.takeError();
  return std::unique_ptr<SubmissionDoor>(new SubmissionDoor(options, std::move(*job), std::move(*policy),
                                                            std::move(*ledger), std::move(*folder)));
}

agents::SubmissionLimits SubmissionDoor::limits() const {
  agents::SubmissionLimits limits;
  limits.bytes = policy().maxBytes;
  limits.points = policy().maxPoints;
  return limits;
}

agents::AgentLevel SubmissionDoor::grantedLevel(std::string &whyNot) const {
  using agents::AgentLevel;
  if (policy().level != AgentLevel::Write)
    return policy().level;
  agents::Ledger::Share share = ledger_.wrongShare(5 * policy().fewestJudged);
  if (share.judged < policy().fewestJudged)
    whyNot = llvm::formatv("write is granted after {0} submissions, and {1} were judged",
                           policy().fewestJudged, share.judged);
  else if (share.share() > policy().maxWrongShare)
    whyNot =
        llvm::formatv("write is not granted: of the last {0} submissions {1} were refused or wrong, which "
                      "is more than {2:P0}",
                      share.judged, share.wrong, policy().maxWrongShare);
  return whyNot.empty() ? AgentLevel::Write : AgentLevel::Propose;
}

llvm::Error SubmissionDoor::reread() {
  llvm::Expected<agents::Ledger> ledger = agents::Ledger::open(memoryFolder(options_));
  if (!ledger)
    return ledger.takeError();
  ledger_ = std::move(*ledger);
  return llvm::Error::success();
}

llvm::Expected<Json> SubmissionDoor::submit(llvm::StringRef text, const std::function<bool()> &isCancelled) {
  llvm::Expected<agents::Submission> submission = agents::parseSubmission(text, limits());
  if (!submission)
    return submission.takeError();
  if (policy().level < agents::AgentLevel::Propose)
    return llvm::createStringError(std::string("the level '") + toString(policy().level) +
                                   "' admits no submissions");
  llvm::Expected<Json> record =
      agents::missingReasons(*submission).empty()
          ? judgeInChild(*submission, isCancelled)
          : llvm::Expected<Json>(unrunRecord(
                job_.file, *submission, "declined", "reasons", agents::missingReasons(*submission),
                "say for each change which finding it answers, what, why, expected_gain, risk and check"));
  return record ? keep(std::move(*record)) : record.takeError();
}

llvm::Expected<std::vector<std::string>> SubmissionDoor::searchKnowledge(const std::string &words) const {
  std::vector<std::string> lines;
  if (options_.knowledge.empty() || !llvm::sys::fs::exists(options_.knowledge))
    return lines;
  llvm::Expected<std::unique_ptr<loop::Store>> store = loop::Store::open(options_.knowledge);
  if (!store)
    return store.takeError();
  llvm::Expected<std::vector<loop::StoredOutcome>> found = (*store)->search(words, mostRecalled);
  if (!found)
    return found.takeError();
  for (const loop::StoredOutcome &outcome : *found)
    lines.push_back(outcome.kernel + " on " + outcome.architecture + ": " + outcome.name + ": " +
                    outcome.verdict + (outcome.why.empty() ? "" : " (" + outcome.why + ")"));
  return lines;
}

llvm::Expected<Json> SubmissionDoor::keep(Json record) {
  llvm::Expected<std::string> id = ledger_.add(std::move(record));
  if (!id)
    return id.takeError();
  const Json &kept = *ledger_.find(*id);
  if (options_.knowledge.empty())
    return kept;
  llvm::Expected<std::unique_ptr<loop::Store>> store = loop::Store::open(options_.knowledge);
  if (!store)
    return store.takeError();
  if (llvm::Error error = rememberSubmission(**store, kept))
    return std::move(error);
  return kept;
}

llvm::Expected<Json> SubmissionDoor::bench(const std::string &kernel, llvm::StringRef steps,
                                           const std::function<bool()> &isCancelled) {
  if (policy().level < agents::AgentLevel::Bench)
    return llvm::createStringError("the level 'observe' measures nothing");
  llvm::Expected<std::vector<RewriteStep>> sequence = parseSequence(steps);
  if (!sequence)
    return sequence.takeError();
  agents::Submission submission;
  submission.kernel = kernel;
  submission.title = "measured: " + steps.take_front(150).str();
  submission.author = {"person", "warpwright", "", Json::object(), ""};
  for (const RewriteStep &step : *sequence) {
    agents::SubmittedStep &submitted = submission.steps.emplace_back();
    submitted.rewriter = step.rewriter;
    for (const auto &[name, value] : step.parameters)
      submitted.parameters[name] = {value};
  }
  submission.reasons.push_back({"none",
                                "what the tool itself proposes",
                                "to know what it is worth",
                                "as predicted",
                                "none",
                                "the net",
                                {}});
  llvm::Expected<Json> record = judgeInChild(submission, isCancelled);
  return record ? keep(std::move(*record)) : record.takeError();
}

std::vector<std::string> SubmissionDoor::childCommand(const std::string &submission,
                                                      const std::string &result) const {
  std::vector<std::string> command = {options_.program, "submit",       options_.operands.front(),
                                      submission,       "--judge-into", result};
  auto add = [&](const char *option, const std::string &value) {
    if (value.empty())
      return;
    command.push_back(option);
    command.push_back(value);
  };
  add("--memory", memoryFolder(options_));
  add("--policy", options_.policy);
  add("-p", options_.database);
  add("--cache-dir", options_.cacheDirectory);
  add("--device", options_.device);
  add("--runner", options_.runner);
  add("--driver", options_.driver);
  if (options_.maxRegisters != 0)
    add("--max-registers", std::to_string(options_.maxRegisters));
  command.push_back("--");
  command.insert(command.end(), options_.compiler.begin(), options_.compiler.end());
  return command;
}

llvm::Expected<Json> SubmissionDoor::judgeInChild(const agents::Submission &submission,
                                                  const std::function<bool()> &isCancelled) {
  if (!job_.cacheDirectory.empty() && !isPrecompiled_)
    precompile(job_);
  isPrecompiled_ = true;
  // One folder a submission: the child's native code may have written what it wanted there.
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create(folder_->path());
  if (!folder)
    return folder.takeError();
  const std::string request = joined(folder->path(), "submission.json"),
                    result = joined(folder->path(), "result.json");
  if (llvm::Error error = writeFile(request, agents::dump(agents::toJson(submission))))
    return std::move(error);
  ChildLimits limits;
  limits.seconds = policy().seconds;
  limits.memoryMiB = policy().memoryMiB;
  limits.writable = {folder->path(), "/dev"};
  if (options_.device == "cuda")
    limits.writable.push_back("/tmp"); // the lock of the device lies there
  llvm::Expected<ChildOutcome> outcome = runConfined(childCommand(request, result), limits, isCancelled);
  if (!outcome)
    return outcome.takeError();
  uint64_t size = 0;
  const bool isWhole = outcome->end == ChildOutcome::End::Exited && outcome->code == 0 &&
                       !llvm::sys::fs::file_size(result, size) && size <= largestResult;
  if (isWhole) {
    llvm::Expected<Json> record = readDocument(result, "warpwright/submission-record/1");
    if (!record)
      return record.takeError();
    if (std::string misfit = misfitOf(*record); !misfit.empty())
      return llvm::createStringError("the process that judged it wrote no record: '" + misfit +
                                     "' is not right");
    (*record)["submission"] = agents::toJson(submission);
    if (!outcome->missing.empty())
      (*record)["unconfined"] = outcome->missing;
    return record;
  }
  Json record = unrunRecord(job_.file, submission, "undecided", "interrupted", howItEnded(*outcome, policy()),
                            "make the change smaller, or the shapes of the annotation, and submit again");
  record["details"] = agents::linesThatMatter(outcome->output);
  return record;
}

} // namespace warpwright
