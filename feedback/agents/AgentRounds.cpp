#include "feedback/agents/AgentRounds.h"

#include "feedback/agents/Ledger.h"
#include "feedback/agents/Submission.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

/// What a record says to whoever wrote the submission.
std::string briefOf(const Json &record) {
  std::string text = "verdict: " + textIn(record, "verdict") + " at " + textIn(record, "stage") + ": " +
                     textIn(record, "reason") + "\n";
  if (auto details = record.find("details"); details != record.end())
    for (const Json &line : *details)
      if (line.is_string())
        text += line.get<std::string>() + "\n";
  return text + "next: " + textIn(record, "next") + "\n";
}

} // namespace

llvm::Expected<AgentRounds> AgentRounds::create(TeamSetting team, RoundWork work) {
  AgentRounds rounds(std::move(team), std::move(work));
  for (const TeamMember &member : rounds.team_.members) {
    if (member.command) {
      rounds.players_.push_back({member, commandCorrespondent(*member.command)});
      continue;
    }
    llvm::Expected<std::unique_ptr<Correspondent>> endpoint = endpointCorrespondent(*member.endpoint);
    if (!endpoint)
      return endpoint.takeError();
    rounds.players_.push_back({member, std::move(*endpoint)});
  }
  return rounds;
}

AgentRounds::Player *AgentRounds::playerOf(AgentRole role) {
  auto found = llvm::find_if(players_, [&](const Player &one) { return one.member.role == role; });
  return found == players_.end() ? nullptr : &*found;
}

std::optional<std::string> AgentRounds::ask(AgentRole role, const std::string &prefix,
                                            const std::string &question) {
  Player *player = playerOf(role);
  if (!player || turnsLeft_ == 0 || !failure_.empty())
    return std::nullopt;
  --turnsLeft_;
  ++result_.turns;
  std::string system = promptOf(role);
  if (!player->member.prompt.empty())
    system += "\n" + player->member.prompt;
  const std::vector<ChatMessage> messages = {{"system", system}, {"user", prefix + "\n" + question}};
  if (role == AgentRole::Coder)
    lastPrompt_ = checksumOf(system + "\n" + prefix + "\n" + question);
  llvm::Expected<ChatReply> reply = player->correspondent->ask(messages);
  if (!reply) {
    failure_ = std::string(toString(role)) + ": " + llvm::toString(reply.takeError());
    return std::nullopt;
  }
  result_.tokens += reply->tokens;
  return std::move(reply->content);
}

/// Whoever wrote it, the author's part is ours.
std::string AgentRounds::signedBy(const std::string &submission, const std::string &prompt) {
  Json document = Json::parse(submission, nullptr, false);
  const Player &coder = *playerOf(AgentRole::Coder);
  if (!document.is_object())
    return submission;
  document["author"] = {{"kind", "agent"},
                        {"name", "coder"},
                        {"model", coder.correspondent->model()},
                        {"parameters", coder.correspondent->parameters()},
                        {"prompt", prompt}};
  return dump(document);
}

/// A submission that the reviewer, if there is one and a turn is left for it, does not object to; nothing:
/// turns ran out before.
std::optional<std::string> AgentRounds::code(const std::string &prefix, const std::string &plan) {
  std::string question =
      plan.empty() ? "Write a submission." : "The plan:\n" + plan + "\nWrite a submission.";
  if (!lesson_.empty())
    question = "Learnt in the last round:\n" + lesson_ + "\n" + question;
  for (;;) {
    std::optional<std::string> answer = ask(AgentRole::Coder, prefix, question);
    if (!answer)
      return std::nullopt;
    std::string submission = firstObjectIn(*answer);
    if (submission.empty()) {
      question += "\nThe last answer held no JSON object. Answer with one submission and nothing else.";
      continue;
    }
    std::optional<std::string> opinion =
        ask(AgentRole::Reviewer, prefix, "The submission:\n" + submission + "\nDo you agree?");
    if (!opinion || !llvm::StringRef(*opinion).trim().starts_with_insensitive("object"))
      return signedBy(submission, lastPrompt_);
    question += "\nThe last submission was:\n" + submission + "\nThe reviewer objects:\n" + *opinion;
  }
}

llvm::Error AgentRounds::playRound() {
  llvm::Expected<std::string> read = work_.prefix();
  if (!read)
    return read.takeError();
  const std::string prefix = read->substr(0, team_.prefixBytes);
  turnsLeft_ = team_.turns;
  std::string plan =
      ask(AgentRole::Planner, prefix, lesson_.empty() ? "What is to be tried?" : "Learnt:\n" + lesson_)
          .value_or("");
  std::string heard;
  while (turnsLeft_ > 0 && failure_.empty()) {
    std::optional<std::string> submission = code(prefix, plan + heard);
    if (!submission)
      break;
    llvm::Expected<Json> record = work_.submit(*submission);
    if (!record) {
      if (llvm::Error fault = llvm::handleErrors(record.takeError(), [&](const NotASubmission &why) {
            heard = "\nThe last submission was not one: " + why.reason;
          }))
        return fault;
      continue;
    }
    ++result_.submissions;
    const std::string verdict = textIn(*record, "verdict");
    work_.say("submission " + textIn(*record, "id") + ": " + verdict + " [" + textIn(*record, "stage") +
              "] " + textIn(*record, "reason"));
    if (verdict == "accepted") {
      ++result_.accepted;
      gained_ = true;
    }
    heard = "\nThe last submission:\n" + briefOf(*record);
    if (std::optional<std::string> lesson = ask(AgentRole::Diagnoser, prefix, briefOf(*record)))
      lesson_ = *lesson;
    else
      lesson_ = briefOf(*record);
    if (verdict == "accepted" || verdict == "undecided")
      break;
  }
  return llvm::Error::success();
}

llvm::Expected<RoundsResult> AgentRounds::run() {
  unsigned withoutGain = 0;
  while (result_.stopped.empty()) {
    if (work_.isStopped())
      result_.stopped = "interrupted";
    else if (result_.rounds == team_.rounds)
      result_.stopped = "all " + std::to_string(team_.rounds) + " rounds were played";
    else if (withoutGain == team_.roundsWithoutGain)
      result_.stopped = std::to_string(withoutGain) + " rounds brought nothing";
    if (!result_.stopped.empty())
      break;
    gained_ = false;
    ++result_.rounds;
    work_.say("round " + std::to_string(result_.rounds) + " of " + std::to_string(team_.rounds));
    if (llvm::Error error = playRound())
      return std::move(error);
    if (!failure_.empty())
      result_.stopped = failure_;
    withoutGain = gained_ ? 0 : withoutGain + 1;
  }
  return result_;
}

} // namespace warpwright::agents
