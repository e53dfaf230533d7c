#include "rewriters/aliasing/AliasJudge.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// Annotations speak of parameters; a device variable may have the name of one.
bool isParameter(const ObjectUse &use) {
  return use.object.kind == MemoryObject::Kind::Parameter ||
         use.object.kind == MemoryObject::Kind::ParameterMember;
}

/// Where the threads of a launch wait for each other, or order what others see; null where they never do.
const Synchronisation *findSynchronisation(const KernelFacts &facts, bool fencesAlone) {
  for (const Synchronisation &synchronisation : facts.synchronisations) {
    using Kind = Synchronisation::Kind;
    switch (synchronisation.kind) {
    case Kind::Fence:
    case Kind::ClusterBarrier:
    case Kind::MBarrier:
    case Kind::Other:
      return &synchronisation;
    default:
      if (!fencesAlone)
        return &synchronisation;
    }
  }
  return nullptr;
}

} // namespace

std::string AliasJudge::whyNot(const ObjectUse &use, std::vector<std::string> &assumptions) const {
  if (use.isVolatile)
    return "it is accessed as volatile, which others may write to at any time";
  const ParameterFacts *facts = factsOf(use.object.name);
  if (!facts || facts->escapes)
    return "copies of it may be kept in memory";
  if (std::string reason = whyThreadsMeet(use); !reason.empty())
    return reason;
  for (const ObjectUse &other : uses_.all()) {
    bool same = other.object.kind == use.object.kind && other.object.name == use.object.name;
    if (same || (!use.written && !other.written) || isRestricted(other))
      continue;
    if (!isParameter(other) || !analysis_.annotation->areDistinct(use.object.name, other.object.name))
      return whyNotDistinct(use, other);
    assumptions.push_back("buffers " + inQuotes(use.object.name) + " and " + inQuotes(other.object.name) +
                          " do not overlap: both are annotated with extents");
  }
  return {};
}

const ParameterFacts *AliasJudge::factsOf(llvm::StringRef name) const {
  auto found = llvm::find_if(analysis_.facts.parameters,
                             [&](const ParameterFacts &parameter) { return parameter.name == name; });
  return found == analysis_.facts.parameters.end() ? nullptr : &*found;
}

/// The author promised of the other pointer what restrict would promise of this one.
bool AliasJudge::isRestricted(const ObjectUse &other) const {
  const ParameterFacts *facts =
      other.object.kind == MemoryObject::Kind::Parameter ? factsOf(other.object.name) : nullptr;
  return facts && facts->restricted;
}

std::string AliasJudge::whyThreadsMeet(const ObjectUse &use) const {
  if (!use.written)
    return {};
  const Synchronisation *met = findSynchronisation(analysis_.facts, /*fencesAlone=*/!use.read);
  if (!met)
    return {};
  return std::string(use.read ? "it is read and written" : "it is written") + " around '" + met->operation +
         "' at line " + lineOf(met->place) + ", where threads may hand values to each other";
}

std::string AliasJudge::whyNotDistinct(const ObjectUse &use, const ObjectUse &other) const {
  const Annotation &annotation = *analysis_.annotation;
  if (annotation.mayAlias(use.object.name, other.object.name))
    return "the annotation says that it may alias " + describe(other);
  const ObjectUse &writer = other.written ? other : use;
  std::string reason = "nothing says that it does not overlap " + describe(other) + "; " +
                       (&writer == &other ? "the latter" : "it") + " is written at line " +
                       lineOf(writer.place);
  if (annotation.hasLost(ClauseKind::MayAlias))
    return reason + ", and a may_alias() could not be read";
  if (other.object.kind == MemoryObject::Kind::Parameter)
    reason += "; extents of both in in(), out() or inout() would";
  return reason;
}

} // namespace warpwright
