#pragma once

#include "rewriters/aliasing/ObjectUses.h"

#include <string>
#include <vector>

namespace warpwright {

/// What one architecture's facts and the annotation's domain say against `restrict` on a parameter. Both
/// references are borrowed; the kernel is annotated.
class AliasJudge {
public:
  AliasJudge(const KernelAnalysis &analysis, const ObjectUses &uses) : analysis_(analysis), uses_(uses) {}

  /// Why nobody may say that `use`, of a parameter, is the only way to its memory; empty when nothing speaks
  /// against it. What legality rests on beyond the code is added to `assumptions`.
  std::string whyNot(const ObjectUse &use, std::vector<std::string> &assumptions) const;

private:
  const ParameterFacts *factsOf(llvm::StringRef name) const;
  bool isRestricted(const ObjectUse &other) const;
  std::string whyThreadsMeet(const ObjectUse &use) const;
  std::string whyNotDistinct(const ObjectUse &use, const ObjectUse &other) const;

  const KernelAnalysis &analysis_;
  const ObjectUses &uses_;
};

} // namespace warpwright
