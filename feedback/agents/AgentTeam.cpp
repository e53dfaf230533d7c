#include "feedback/agents/AgentTeam.h"

#include "feedback/Document.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *roleNames[] = {"planner", "coder", "reviewer", "diagnoser"};

std::string readCount(const std::string &key, const Json &value, uint64_t most, uint64_t &number) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() < 1 || value.get<uint64_t>() > most)
    return "\"" + key + "\" is " + value.dump() + ", not a number from 1 to " + std::to_string(most);
  number = value.get<uint64_t>();
  return {};
}

template <typename Number>
std::string readCount(const std::string &key, const Json &value, uint64_t most, Number &number) {
  uint64_t read = number;
  std::string wrong = readCount(key, value, most, read);
  number = static_cast<Number>(read);
  return wrong;
}

std::string readText(const std::string &key, const Json &value, std::string &text) {
  if (!value.is_string())
    return "\"" + key + "\" is no text";
  text = value.get<std::string>();
  return {};
}

std::string readEndpointEntry(const std::string &key, const Json &value, EndpointSetting &endpoint) {
  if (key == "url")
    return readText(key, value, endpoint.url);
  if (key == "model")
    return readText(key, value, endpoint.model);
  if (key == "key_variable")
    return readText(key, value, endpoint.keyVariable);
  if (key == "max_tokens")
    return readCount(key, value, 1 << 20, endpoint.maxTokens);
  if (key == "total_tokens")
    return readCount(key, value, uint64_t(1) << 40, endpoint.totalTokens);
  if (key == "seconds")
    return readCount(key, value, 3600, endpoint.seconds);
  if (key == "retries")
    return readCount(key, value, 20, endpoint.retries);
  if (key == "first_wait_ms")
    return readCount(key, value, 60000, endpoint.firstWaitMilliseconds);
  if (key != "parameters")
    return "\"" + key + "\" is no entry of an endpoint";
  if (!value.is_object())
    return "\"parameters\" is no object";
  endpoint.parameters = value;
  return {};
}

std::string readEndpoint(const Json &value, EndpointSetting &endpoint) {
  if (!value.is_object())
    return "\"endpoint\" is no object";
  for (const auto &[key, entry] : value.items())
    if (std::string wrong = readEndpointEntry(key, entry, endpoint); !wrong.empty())
      return wrong;
  llvm::StringRef url = endpoint.url;
  if (!url.starts_with("https://") && !url.starts_with("http://"))
    return "\"url\" is no address of http or https";
  return endpoint.model.empty() ? "\"endpoint\" names no \"model\"" : "";
}

std::string readCommand(const Json &value, CommandSetting &command) {
  if (!value.is_array() || value.empty() ||
      !llvm::all_of(value, [](const Json &word) { return word.is_string(); }))
    return "\"command\" is no array of words: a program and its arguments";
  command.command = value.get<std::vector<std::string>>();
  return {};
}

std::string readMember(const Json &value, TeamMember &member) {
  if (!value.is_object())
    return "a member is no object";
  bool hasRole = false;
  for (const auto &[key, entry] : value.items()) {
    std::string wrong;
    if (key == "role") {
      const auto *found = llvm::find_if(roleNames, [&](const char *name) { return entry == name; });
      hasRole = found != std::end(roleNames);
      if (!hasRole)
        return "\"role\" is " + entry.dump() + ", not planner, coder, reviewer or diagnoser";
      member.role = static_cast<AgentRole>(found - std::begin(roleNames));
    } else if (key == "prompt") {
      wrong = readText(key, entry, member.prompt);
    } else if (key == "endpoint") {
      wrong = readEndpoint(entry, member.endpoint.emplace());
    } else if (key == "command") {
      wrong = readCommand(entry, member.command ? *member.command : member.command.emplace());
    } else if (key == "command_seconds") {
      wrong =
          readCount(key, entry, 3600, (member.command ? *member.command : member.command.emplace()).seconds);
    } else {
      wrong = "\"" + key + "\" is no entry of a member";
    }
    if (!wrong.empty())
      return wrong;
  }
  if (!hasRole)
    return "a member has no \"role\"";
  const bool hasCommand = member.command && !member.command->command.empty();
  if (member.endpoint.has_value() == hasCommand)
    return "a member has either an \"endpoint\" or a \"command\"";
  return {};
}

std::string readMembers(const Json &value, TeamSetting &team) {
  if (!value.is_array() || value.empty() || value.size() > std::size(roleNames))
    return "\"members\" is no array of one to four members";
  for (const Json &entry : value) {
    TeamMember member;
    if (std::string wrong = readMember(entry, member); !wrong.empty())
      return wrong;
    if (llvm::any_of(team.members, [&](const TeamMember &known) { return known.role == member.role; }))
      return std::string("there are two members in the role ") + toString(member.role);
    team.members.push_back(std::move(member));
  }
  if (llvm::none_of(team.members, [](const TeamMember &one) { return one.role == AgentRole::Coder; }))
    return "there is no coder, who writes submissions";
  return {};
}

std::string readEntry(const std::string &key, const Json &value, TeamSetting &team) {
  if (key == "members")
    return readMembers(value, team);
  if (key == "rounds")
    return readCount(key, value, 1000, team.rounds);
  if (key == "turns")
    return readCount(key, value, 100, team.turns);
  if (key == "rounds_without_gain")
    return readCount(key, value, 1000, team.roundsWithoutGain);
  if (key == "prefix_bytes")
    return readCount(key, value, 1 << 20, team.prefixBytes);
  return key == "schema" ? "" : "\"" + key + "\" is no entry of it";
}

} // namespace

const char *toString(AgentRole role) {
  return roleNames[static_cast<size_t>(role)];
}

llvm::Expected<TeamSetting> readTeam(llvm::StringRef path) {
  llvm::Expected<Json> document = readDocument(path, "warpwright/agents/1");
  if (!document)
    return document.takeError();
  TeamSetting team;
  for (const auto &[key, value] : document->items())
    if (std::string wrong = readEntry(key, value, team); !wrong.empty())
      return llvm::createStringError("'" + path + "': " + wrong);
  if (team.members.empty())
    return llvm::createStringError("'" + path + "': there are no \"members\"");
  return team;
}

std::string promptOf(AgentRole role) {
  switch (role) {
  case AgentRole::Planner:
    return "You plan how a CUDA kernel is made faster. Read the facts, the findings and what was tried. "
           "Answer "
           "in a few sentences: which one change is to be tried next, which finding it answers, and why it "
           "should help. Do not propose what was tried.";
  case AgentRole::Coder:
    return "You change one CUDA kernel. Answer with one JSON object, a warpwright/submission/1 document as "
           "the "
           "constraints describe it, and nothing else. Give a reason for each change, and claim only what "
           "the "
           "facts of the result will show.";
  case AgentRole::Reviewer:
    return "You read a change of a CUDA kernel before it is compiled. Look for what makes it wrong: bounds, "
           "races, missing barriers, sizes that divide nothing. Answer 'agree', or 'object:' and what is "
           "wrong, "
           "in a few sentences.";
  case AgentRole::Diagnoser:
    return "You read what became of a change of a CUDA kernel. Say in a few sentences what is to be learnt "
           "of "
           "it, and what to do or to avoid in the next round.";
  }
  return {};
}

} // namespace warpwright::agents
