#pragma once

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Pipeline.h"
#include "clang_plugin/WorkFolder.h"
#include "feedback/agents/AgentPolicy.h"
#include "feedback/agents/Ledger.h"
#include "feedback/agents/Submission.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <string>

namespace warpwright {

/// The one door through which changes of agents and people come, by whatever way they reached the tool. What
/// comes in is judged in a confined child, and what came of it is in memory before anybody is told.
class SubmissionDoor {
public:
  /// For one file. Errors: a bad policy, no folder for memory, a memory that cannot be read.
  static llvm::Expected<std::unique_ptr<SubmissionDoor>> open(const Options &options,
                                                              const std::string &file);

  const FileJob &job() const { return job_; }
  const agents::AgentPolicy &policy() const { return policy_; }
  agents::SubmissionLimits limits() const;
  agents::Ledger &ledger() { return ledger_; }
  /// Reads the memory anew: a person may have decided since in another process.
  llvm::Error reread();
  /// What earlier searches found, by words; nothing where no knowledge is named.
  llvm::Expected<std::vector<std::string>> searchKnowledge(const std::string &words) const;
  /// The level that is granted: `write` falls back to `propose` while too much was wrong, with a reason.
  agents::AgentLevel grantedLevel(std::string &whyNot) const;

  /// Judges the JSON text of a submission and keeps the record, which is returned with its id. Fails with
  /// NotASubmission (nothing is kept then); other errors are a level that admits none, or a fault of the
  /// tool.
  llvm::Expected<nlohmann::ordered_json> submit(llvm::StringRef text,
                                                const std::function<bool()> &isCancelled);
  /// Judges what the tool itself proposes, by steps as reports name them; kept, too. No reasons are asked
  /// for.
  llvm::Expected<nlohmann::ordered_json> bench(const std::string &kernel, llvm::StringRef steps,
                                               const std::function<bool()> &isCancelled);

private:
  /// The record into memory, and into the knowledge where one is named; with its id.
  llvm::Expected<nlohmann::ordered_json> keep(nlohmann::ordered_json record);

  SubmissionDoor(const Options &options, FileJob job, agents::AgentPolicy policy, agents::Ledger ledger,
                 std::unique_ptr<WorkFolder> folder)
      : options_(options), job_(std::move(job)), policy_(std::move(policy)), ledger_(std::move(ledger)),
        folder_(std::move(folder)) {}

  llvm::Expected<nlohmann::ordered_json> judgeInChild(const agents::Submission &submission,
                                                      const std::function<bool()> &isCancelled);
  std::vector<std::string> childCommand(const std::string &submission, const std::string &result) const;

  const Options &options_;
  FileJob job_;
  agents::AgentPolicy policy_;
  agents::Ledger ledger_;
  std::unique_ptr<WorkFolder> folder_;
  bool isPrecompiled_ = false; ///< the original's headers
};

/// The folder of records that options name: --memory, or beside the compile database. Empty: none is named.
std::string memoryFolder(const Options &options);

} // namespace warpwright
