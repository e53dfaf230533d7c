#pragma once

#include "clang_plugin/FileVersions.h"
#include "clang_plugin/Pipeline.h"
#include "feedback/Evidence.h"
#include "feedback/agents/AgentPolicy.h"
#include "feedback/agents/Ledger.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What an agent may read of one file, in few words: each answer names what to ask or do next. The file is
/// analysed when it is first asked about, and again when its text has changed.
class AgentView {
public:
  /// Job and policy are borrowed. `knowledge` names the store of searches; empty: none.
  AgentView(const FileJob &job, const agents::AgentPolicy &policy, std::string knowledge)
      : job_(job), policy_(policy), knowledge_(std::move(knowledge)) {}

  /// Errors of all: a file that does not parse, a kernel that is not there (with those that are).
  llvm::Expected<nlohmann::ordered_json> kernels();
  llvm::Expected<nlohmann::ordered_json> facts(const std::string &kernel);
  llvm::Expected<nlohmann::ordered_json> findings(const std::string &kernel);
  /// What bounds the kernel by the model, and what searches on devices found.
  llvm::Expected<nlohmann::ordered_json> feedback(const std::string &kernel);
  /// Rewriters that propose something, those that do not and why, and what may be claimed.
  llvm::Expected<nlohmann::ordered_json> capabilities(const std::string &kernel);
  /// What a submission may be and change.
  llvm::Expected<nlohmann::ordered_json> constraints(const std::string &kernel);
  /// The kernel's definition, as it stands in the file.
  llvm::Expected<nlohmann::ordered_json> source(const std::string &kernel);
  /// What was tried on the kernel, in at most 500 words: submissions, what was accepted first, and what
  /// searches measured.
  llvm::Expected<nlohmann::ordered_json> tried(const agents::Ledger &ledger, const std::string &kernel);

private:
  llvm::Error refresh();
  llvm::Expected<const KernelRecord *> find(const std::string &kernel);
  const KernelAnalysis &analysisOf(const KernelRecord &record) const {
    return *versions_->of(record.key).front();
  }

  const FileJob &job_;
  const agents::AgentPolicy &policy_;
  std::string knowledge_;
  std::string text_; ///< that was analysed
  std::optional<FileVersions> versions_;
  std::vector<KernelRecord> records_;
};

/// Records that hold all of the words, the latest first.
std::vector<const nlohmann::ordered_json *> searchRecords(const agents::Ledger &ledger,
                                                          const std::string &words, size_t most);

/// A record for an agent: verdict, reasons, claims, and what to do next; sources and numbers left out.
nlohmann::ordered_json briefRecord(const nlohmann::ordered_json &record);

} // namespace warpwright
