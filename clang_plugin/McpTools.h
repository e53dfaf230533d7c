#pragma once

#include "clang_plugin/AgentView.h"
#include "clang_plugin/SubmissionDoor.h"
#include "feedback/agents/McpServer.h"

namespace warpwright {

/// The tools that an agent gets; both are borrowed. They are the same whatever the level: what it does not
/// admit is answered with a reason.
std::vector<agents::McpTool> agentTools(AgentView &view, SubmissionDoor &door);

/// What the server says of itself.
extern const char *const agentInstructions;

} // namespace warpwright
