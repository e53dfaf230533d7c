#include "feedback/Policy.h"

#include "feedback/Document.h"
#include "feedback/agents/AgentPolicy.h"
#include "rewriters/Rewriter.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned mostRegisters = 255; // that a thread can address on every architecture since 3.5

/// Each reads one entry and answers what is wrong with it, or nothing.
std::string readForbidden(const Json &value, Policy &policy) {
  if (!value.is_array())
    return "is no array of rewriters";
  for (const Json &entry : value) {
    if (!entry.is_string() || !findRewriter(entry.get<std::string>()))
      return "holds " + entry.dump() + ", and there is no such rewriter; `warpwright list` names them";
    policy.forbiddenRewriters.push_back(entry.get<std::string>());
  }
  return {};
}

std::string readAllowed(const Json &value, Policy &policy) {
  if (!value.is_array())
    return "is no array of permissions";
  for (const Json &entry : value) {
    if (entry == "launch_change")
      policy.launchChange = true;
    else if (entry == "dispatch")
      policy.dispatch = true;
    else
      return "holds " + entry.dump() + "; a policy can allow \"dispatch\" and \"launch_change\"";
  }
  return {};
}

std::string readMaxRegisters(const Json &value, Policy &policy) {
  if (!value.is_number_integer() || value.get<int64_t>() < 1 || value.get<int64_t>() > mostRegisters)
    return "is " + value.dump() + ", not a number from 1 to 255";
  policy.maxRegisters = value.get<unsigned>();
  return {};
}

std::string readStrict(const Json &value, Policy &policy) {
  if (!value.is_boolean())
    return "is " + value.dump() + ", not true or false";
  policy.strict = value.get<bool>();
  return {};
}

std::string readEntry(llvm::StringRef key, const Json &value, Policy &policy) {
  if (key == "agents") {
    // Whoever takes submissions reads it; here it only has to be right.
    agents::AgentPolicy checked;
    return agents::readAgentPolicy(value, checked);
  }
  if (key == "allow")
    return readAllowed(value, policy);
  if (key == "forbid")
    return readForbidden(value, policy);
  if (key == "max_registers")
    return readMaxRegisters(value, policy);
  if (key == "strict")
    return readStrict(value, policy);
  if (auto [known, wrong] = readGateEntry(key, value, policy.gate); known)
    return wrong;
  return "is no entry of a policy";
}

} // namespace

bool Policy::forbids(llvm::StringRef rewriter) const {
  return llvm::is_contained(forbiddenRewriters, rewriter);
}

llvm::Expected<Policy> readPolicy(llvm::StringRef path) {
  llvm::Expected<Json> document = readDocument(path, "warpwright/policy/1");
  if (!document)
    return document.takeError();
  Policy policy;
  for (const auto &[key, value] : document->items()) {
    if (key == "schema")
      continue;
    if (std::string wrong = readEntry(key, value, policy); !wrong.empty())
      return llvm::createStringError("'" + path + "': \"" + key + "\" " + wrong);
  }
  return policy;
}

} // namespace warpwright
