#pragma once

#include "feedback/agents/ChatEndpoint.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::agents {

/// What a member of a team does in a round.
enum class AgentRole {
  Planner,  ///< says in words what is to be tried; optional
  Coder,    ///< writes a submission; the one that must be there
  Reviewer, ///< reads it before the net does, and agrees or objects; optional
  Diagnoser ///< reads the verdict, and says what to learn of it; optional
};
const char *toString(AgentRole role);

/// One role and who plays it.
struct TeamMember {
  AgentRole role = AgentRole::Coder;
  std::string prompt;                      ///< beyond what the role's own says; may be empty
  std::optional<EndpointSetting> endpoint; ///< exactly one of the two
  std::optional<CommandSetting> command;
};

/// A `warpwright/agents/1` document.
struct TeamSetting {
  std::vector<TeamMember> members;
  unsigned rounds = 5;
  unsigned turns = 6; ///< messages of all members in a round; then the round ends
  unsigned roundsWithoutGain = 3;
  size_t prefixBytes = 24 << 10; ///< of facts, summary and source that every prompt begins with
};

/// Reads it. Errors name the file and the entry: nothing is passed over.
llvm::Expected<TeamSetting> readTeam(llvm::StringRef path);

/// What a role is told in any case.
std::string promptOf(AgentRole role);

} // namespace warpwright::agents
