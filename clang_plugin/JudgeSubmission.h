#pragma once

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/Pipeline.h"
#include "feedback/agents/AgentPolicy.h"
#include "feedback/agents/Ledger.h"
#include "feedback/agents/Submission.h"

#include <llvm/Support/Error.h>
#include <nlohmann/json.hpp>

namespace warpwright {

/// What a submission is judged with; all borrowed.
struct JudgeSetting {
  const FileJob &job;
  const Options &options; ///< `device`: "cuda" measures, too
  const agents::AgentPolicy &policy;
  const agents::Ledger &ledger;
};

/// Puts a submission through the net: reasons, memory, admission, front end, facts, ptxas, claims, the
/// virtual device, and a GPU if asked. The result is a `warpwright/submission-record/1` document without an
/// id. It runs in a child of its own (ConfinedChild.h), since the text is nobody's who is trusted. An error
/// is a fault of the tool, or a file that cannot be read.
llvm::Expected<nlohmann::ordered_json> judgeSubmission(const JudgeSetting &setting,
                                                       const agents::Submission &submission);

/// The record of a submission that is not run at all: without reasons, cut short, at a level that does not
/// admit it.
nlohmann::ordered_json unrunRecord(const std::string &file, const agents::Submission &submission,
                                   const char *verdict, const std::string &stage, const std::string &reason,
                                   const std::string &next);

/// A record in lines for people.
std::string describeRecord(const nlohmann::ordered_json &record);

} // namespace warpwright
