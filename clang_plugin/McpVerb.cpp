// `warpwright mcp`: one file's kernels for an agent, over standard input and output.

#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/McpTools.h"
#include "clang_plugin/Version.h"

#include <csignal>
#include <unistd.h>

namespace warpwright {
namespace {

class McpVerb : private ExitTally {
public:
  ExitCode run(const Options &options) {
    if (options.operands.size() != 1)
      return fail(ExitCode::BadUsage, "mcp needs one file");
    // Nothing but messages may reach the client: what prints goes to standard error.
    int messages = ::dup(STDOUT_FILENO);
    if (messages < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      return fail(ExitCode::ToolFault, "cannot set up the streams");
    std::signal(SIGPIPE, SIG_IGN);
    llvm::Expected<std::unique_ptr<SubmissionDoor>> door =
        SubmissionDoor::open(options, options.operands.front());
    if (!door)
      return fail(ExitCode::BadUsage, llvm::toString(door.takeError()));
    AgentView view((*door)->job(), (*door)->policy(), options.knowledge);
    agents::McpServer server("warpwright", WARPWRIGHT_VERSION, agentInstructions, agentTools(view, **door));
    server.serve(STDIN_FILENO, messages);
    return ExitCode::Clean;
  }
};

} // namespace

ExitCode runMcp(const Options &options) {
  return McpVerb().run(options);
}

} // namespace warpwright
