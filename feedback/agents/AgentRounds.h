#pragma once

#include "feedback/agents/AgentTeam.h"

#include <functional>
#include <string>
#include <vector>

namespace warpwright::agents {

/// What the rounds work on: the tool's side of the talk.
struct RoundWork {
  /// What every prompt begins with: facts, findings, the summary of what was tried, the constraints, the
  /// source. Asked for anew in each round.
  std::function<llvm::Expected<std::string>()> prefix;
  /// Judges the JSON text of a submission; the record. The coder hears of NotASubmission, and other errors
  /// end the rounds: no answer could mend them.
  std::function<llvm::Expected<nlohmann::ordered_json>(const std::string &submission)> submit;
  std::function<void(const std::string &line)> say; ///< progress
  std::function<bool()> isStopped;
};

struct RoundsResult {
  unsigned rounds = 0;
  unsigned turns = 0;
  uint64_t tokens = 0;
  unsigned submissions = 0;
  unsigned accepted = 0;
  std::string stopped; ///< why
};

/// Lets a team work in rounds: plan, code, review, judge, diagnose. The coder is told what is wrong with a
/// text that is no submission, what the reviewer objects to, and what the net declined, while turns are left.
/// Who wrote a submission is said by us, not by them: model, parameters and the checksum of the prompt.
class AgentRounds {
public:
  /// Makes the correspondents; fails as endpointCorrespondent().
  static llvm::Expected<AgentRounds> create(TeamSetting team, RoundWork work);

  /// An error is one of the work. A member that fails ends the rounds, and is the reason.
  llvm::Expected<RoundsResult> run();

private:
  struct Player {
    TeamMember member;
    std::unique_ptr<Correspondent> correspondent;
  };
  AgentRounds(TeamSetting team, RoundWork work) : team_(std::move(team)), work_(std::move(work)) {}

  Player *playerOf(AgentRole role);
  /// The answer, or nothing: turns are spent, or the member failed (`failure_`).
  std::optional<std::string> ask(AgentRole role, const std::string &prefix, const std::string &question);
  llvm::Error playRound();
  std::optional<std::string> code(const std::string &prefix, const std::string &plan);
  std::string signedBy(const std::string &submission, const std::string &prompt);

  TeamSetting team_;
  RoundWork work_;
  std::vector<Player> players_;
  RoundsResult result_;
  unsigned turnsLeft_ = 0;
  std::string failure_;
  std::string lesson_;     ///< of the last diagnosis
  std::string lastPrompt_; ///< checksum of what the coder was last asked
  bool gained_ = false;
};

} // namespace warpwright::agents
