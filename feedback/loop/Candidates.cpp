#include "feedback/loop/Candidates.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright::loop {

Subject::~Subject() = default;

std::string LoopCandidate::identity() const {
  std::string text = source.empty() ? structure : source;
  for (const auto &[name, value] : parameters)
    text += "|" + name + "=" + std::to_string(value);
  return text + "|" + plan;
}

std::string LoopCandidate::name() const {
  std::string text = structure.empty() ? "original" : structure;
  for (const auto &[parameter, value] : parameters)
    text += " " + parameter + "=" + std::to_string(value);
  return text;
}

std::string labelOf(const Diagnosed &bottlenecks) {
  return bottlenecks.empty() ? std::string() : toString(bottlenecks.front()).str();
}

std::string kindOf(llvm::StringRef parameter) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kinds[] = {
#define WARPWRIGHT_PARAMETER_KIND(name, kind) {name, kind},
#include "feedback/loop/ParameterKinds.def"
  };
  const std::string lower = parameter.lower();
  for (const auto &[name, kind] : kinds)
    if (name == lower)
      return kind.str();
  return lower;
}

std::vector<std::string> strategiesBetween(const LoopCandidate &from, const LoopCandidate &to) {
  if (from.structure != to.structure)
    return {to.structure.substr(
        to.structure.rfind("+ ") == std::string::npos ? 0 : to.structure.rfind("+ ") + 2)};
  std::vector<std::string> found;
  for (const auto &[name, value] : to.parameters) {
    auto before = from.parameters.find(name);
    int64_t old = before == from.parameters.end() ? 0 : before->second;
    if (old != value)
      found.push_back(kindOf(name) + (value > old ? " up" : " down"));
  }
  llvm::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace warpwright::loop
