#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>
#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <set>
#include <string>

namespace warpwright::agents {

/// How far an agent's hand reaches.
enum class AgentLevel {
  Observe, ///< reads facts, findings and knowledge
  Bench,   ///< and has measured what the tool itself proposes
  Propose, ///< and submits; nothing is written outside the build folder
  Write    ///< and has what was accepted written to the sources, while it is rarely wrong
};
/// "observe", "bench", "propose" or "write".
const char *toString(AgentLevel level);
std::optional<AgentLevel> agentLevelNamed(llvm::StringRef name);

/// What a project lets submissions do: the `agents` part of a policy.
struct AgentPolicy {
  AgentLevel level = AgentLevel::Propose;
  /// Of the codes that admission refuses with (docs/agents.md), those that may be.
  std::set<std::string> allowed;
  unsigned maxBytes = 256 << 10; ///< of a submission
  unsigned maxPoints = 16;       ///< of its parameters
  unsigned seconds = 120;        ///< that judging one may take
  unsigned memoryMiB = 6144;     ///< of all processes that judge it
  /// `write` is granted while no larger share of the last submissions was refused or wrong, of at least as
  /// many.
  double maxWrongShare = 0.2;
  unsigned fewestJudged = 10;
};

/// The `agents` part of the policy in a file; what holds without one where the path is empty. Errors as of
/// readPolicy().
llvm::Expected<AgentPolicy> readAgentPart(llvm::StringRef policyPath);

/// Reads the value of "agents". Answers what is wrong with it, or nothing.
std::string readAgentPolicy(const nlohmann::ordered_json &value, AgentPolicy &policy);

} // namespace warpwright::agents
