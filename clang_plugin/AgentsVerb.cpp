// `warpwright agents`: models or programs work on a kernel of a file in rounds, with nobody beside them.

#include "clang_plugin/AgentView.h"
#include "clang_plugin/CommandLine.h"
#include "clang_plugin/ExitTally.h"
#include "clang_plugin/Jobs.h"
#include "clang_plugin/SubmissionDoor.h"
#include "feedback/agents/AgentRounds.h"

#include <llvm/Support/raw_ostream.h>

#include <csignal>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

/// Written by a signal's handler, which may touch nothing else.
volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) {
  interrupted = 1;
}

class AgentsVerb : private ExitTally {
public:
  explicit AgentsVerb(const Options &options) : options_(options) {}

  ExitCode run() {
    if (options_.operands.size() != 1 || options_.config.empty())
      return fail(ExitCode::BadUsage, "agents needs one file, and --config FILE");
    if (options_.kernels.size() > 1)
      return fail(ExitCode::BadUsage, "agents works on one kernel: --kernel is given once");
    llvm::Expected<agents::TeamSetting> team = agents::readTeam(options_.config);
    if (!team)
      return fail(ExitCode::BadUsage, llvm::toString(team.takeError()));
    if (options_.rounds != 0)
      team->rounds = std::min(team->rounds, options_.rounds);
    llvm::Expected<std::unique_ptr<SubmissionDoor>> door =
        SubmissionDoor::open(options_, options_.operands.front());
    if (!door)
      return fail(ExitCode::BadUsage, llvm::toString(door.takeError()));
    std::signal(SIGINT, &interrupt);
    std::signal(SIGPIPE, SIG_IGN);
    AgentView view((*door)->job(), (*door)->policy(), options_.knowledge);
    llvm::Expected<agents::AgentRounds> rounds =
        agents::AgentRounds::create(std::move(*team), workOn(view, **door));
    if (!rounds)
      return fail(ExitCode::BadUsage, llvm::toString(rounds.takeError()));
    llvm::Expected<agents::RoundsResult> result = rounds->run();
    if (!result)
      return fail(ExitCode::Undecided, llvm::toString(result.takeError()));
    if (llvm::Error error = writeOutput(options_, describe(*result)))
      return fail(ExitCode::BadUsage, llvm::toString(std::move(error)));
    return result->accepted != 0 ? ExitCode::Clean : ExitCode::Undecided;
  }

private:
  agents::RoundWork workOn(AgentView &view, SubmissionDoor &door) const {
    agents::RoundWork work;
    work.prefix = [this, &view, &door] { return prefixOf(view, door); };
    work.submit = [&door](const std::string &text) {
      return door.submit(text, [] { return interrupted != 0; });
    };
    work.say = [](const std::string &line) { llvm::errs() << line << '\n'; };
    work.isStopped = [] { return interrupted != 0; };
    return work;
  }

  /// The constraints first: what is cut off at the end of a long prefix are details of facts.
  llvm::Expected<std::string> prefixOf(AgentView &view, SubmissionDoor &door) const {
    const std::string kernel = options_.kernels.empty() ? std::string() : options_.kernels.front();
    std::string text;
    for (auto read : {&AgentView::constraints, &AgentView::source, &AgentView::findings, &AgentView::feedback,
                      &AgentView::capabilities, &AgentView::facts}) {
      llvm::Expected<Json> part = (view.*read)(kernel);
      if (!part)
        return part.takeError();
      text += agents::dump(*part) + "\n";
      if (read != &AgentView::source)
        continue;
      llvm::Expected<Json> tried = view.tried(door.ledger(), kernel);
      if (!tried)
        return tried.takeError();
      text += "What was tried:\n" + agents::textIn(*tried, "summary");
    }
    return text;
  }

  std::string describe(const agents::RoundsResult &result) const {
    if (options_.format == "json")
      return agents::dump({{"rounds", result.rounds},
                           {"turns", result.turns},
                           {"tokens", result.tokens},
                           {"submissions", result.submissions},
                           {"accepted", result.accepted},
                           {"stopped", result.stopped}},
                          2) +
             "\n";
    return std::to_string(result.rounds) + " rounds, " + std::to_string(result.turns) + " turns, " +
           std::to_string(result.tokens) + " tokens: " + std::to_string(result.submissions) +
           " submissions, " + std::to_string(result.accepted) + " accepted; " + result.stopped + "\n";
  }

  const Options &options_;
};

} // namespace

ExitCode runAgents(const Options &options) {
  return AgentsVerb(options).run();
}

} // namespace warpwright
