#include "feedback/agents/AgentPolicy.h"

#include "feedback/Document.h"

#include <llvm/ADT/STLExtras.h>
#include <nlohmann/json.hpp>

namespace warpwright::agents {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *names[] = {"observe", "bench", "propose", "write"};
constexpr llvm::StringLiteral permissions[] = {"attributes", "clock-reads", "device-runtime", "device-state",
                                               "includes",   "inline-asm",  "macros"};

std::string readAllowed(const Json &value, AgentPolicy &policy) {
  if (!value.is_array())
    return "\"allow\" is no array";
  for (const Json &entry : value) {
    if (!entry.is_string() || !llvm::is_contained(permissions, entry.get<std::string>()))
      return "\"allow\" holds " + entry.dump() + ", which cannot be allowed";
    policy.allowed.insert(entry.get<std::string>());
  }
  return {};
}

std::string readNumber(const std::string &key, const Json &value, unsigned least, unsigned most,
                       unsigned &number) {
  if (!value.is_number_integer() || value < least || value > most)
    return "\"" + key + "\" is " + value.dump() + ", not a number from " + std::to_string(least) + " to " +
           std::to_string(most);
  number = value.get<unsigned>();
  return {};
}

std::string readEntry(const std::string &key, const Json &value, AgentPolicy &policy) {
  if (key == "allow")
    return readAllowed(value, policy);
  if (key == "max_bytes")
    return readNumber(key, value, 1024, 4 << 20, policy.maxBytes);
  if (key == "max_points")
    return readNumber(key, value, 1, 256, policy.maxPoints);
  if (key == "seconds")
    return readNumber(key, value, 1, 3600, policy.seconds);
  if (key == "memory_mib")
    return readNumber(key, value, 256, 1 << 20, policy.memoryMiB);
  if (key == "fewest_judged")
    return readNumber(key, value, 1, 10000, policy.fewestJudged);
  if (key == "max_wrong_share") {
    if (!value.is_number() || value < 0 || value > 1)
      return "\"max_wrong_share\" is " + value.dump() + ", not a share from 0 to 1";
    policy.maxWrongShare = value.get<double>();
    return {};
  }
  if (key != "level")
    return "\"" + key + "\" is no entry of it";
  std::optional<AgentLevel> level =
      value.is_string() ? agentLevelNamed(value.get<std::string>()) : std::nullopt;
  if (!level)
    return "\"level\" is " + value.dump() + ", not \"observe\", \"bench\", \"propose\" or \"write\"";
  policy.level = *level;
  return {};
}

} // namespace

const char *toString(AgentLevel level) {
  return names[static_cast<size_t>(level)];
}

std::optional<AgentLevel> agentLevelNamed(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<AgentLevel>(found - std::begin(names));
}

llvm::Expected<AgentPolicy> readAgentPart(llvm::StringRef policyPath) {
  AgentPolicy policy;
  if (policyPath.empty())
    return policy;
  llvm::Expected<Json> document = readDocument(policyPath, "warpwright/policy/1");
  if (!document)
    return document.takeError();
  if (auto part = document->find("agents"); part != document->end())
    if (std::string wrong = readAgentPolicy(*part, policy); !wrong.empty())
      return llvm::createStringError("'" + policyPath + "': \"agents\" " + wrong);
  return policy;
}

std::string readAgentPolicy(const Json &value, AgentPolicy &policy) {
  if (!value.is_object())
    return "is no object";
  for (const auto &[key, entry] : value.items())
    if (std::string wrong = readEntry(key, entry, policy); !wrong.empty())
      return "is not right: " + wrong;
  return {};
}

} // namespace warpwright::agents
