// Two pointer parameters may lead to the same bytes unless __restrict__ says otherwise. A store through one
// then pins the loads through the other: they are neither merged, nor hoisted out of a loop, nor started
// before the last iteration's store. The rule speaks only where the code has such a load.

#include "analysis/findings/AliasedLoads.h"
#include "analysis/findings/SourceAccess.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>

#include <set>

namespace warpwright {
namespace {

constexpr const char *id = "missing-restrict";

/// What __restrict__ would change, by place.
struct Effects {
  std::set<unsigned> pointers;                         ///< positions of the parameters
  std::vector<std::pair<Place, std::string>> repeated; ///< loads that would be done once
  std::vector<std::pair<Place, std::string>> ordered;  ///< loads that wait for the last iteration's store
};

const ParameterFacts *unrestricted(const KernelAnalysis &analysis, const MemoryAccess &access) {
  if (!access.object.known() || access.object.value().kind != MemoryObject::Kind::Parameter ||
      access.space != MemorySpace::Global)
    return nullptr;
  const ParameterFacts &parameter = analysis.facts.parameters[access.object.value().position];
  return parameter.pointer && !parameter.restricted ? &parameter : nullptr;
}

bool declaredToAlias(const KernelAnalysis &analysis, const std::string &first, const std::string &second) {
  return analysis.annotation && analysis.annotation->mayAlias(first, second);
}

void add(std::vector<std::pair<Place, std::string>> &list, Place place, std::string text) {
  std::pair entry(std::move(place), std::move(text));
  if (!llvm::is_contained(list, entry))
    list.push_back(std::move(entry));
}

void addRepeated(const KernelAnalysis &analysis, Effects &effects) {
  for (const AliasedLoad &aliased : findAliasedLoads(analysis)) {
    const std::string &read = analysis.facts.parameters[aliased.read->getArgNo()].name;
    const std::string &written = analysis.facts.parameters[aliased.written->getArgNo()].name;
    if (declaredToAlias(analysis, read, written))
      continue;
    effects.pointers.insert({aliased.read->getArgNo(), aliased.written->getArgNo()});
    bool inLoop =
        !aliased.earlier || userPlace(analysis, *aliased.load) == userPlace(analysis, *aliased.earlier);
    add(effects.repeated, userPlace(analysis, *aliased.load),
        (inLoop ? "every iteration loads this element of '" : "this loads the same element of '") + read +
            "' again, because of the store through '" + written + "'");
  }
}

/// A loop that a thread walks for long. One that strides over the grid runs a few times a thread, and other
/// warps fill the gaps.
bool isSerial(const MemoryAccess &access) {
  return !access.loopCoefficients.empty() && access.loopCoefficients.front().bytes.known() &&
         !access.loopCoefficients.front().bytes.value().isZero() &&
         !access.loopCoefficients.front().bytes.value().mentions(
             [](const Symbol &symbol) { return symbol.kind == SymbolKind::GridExtent; });
}

/// Loads of one iteration that a store of the last one keeps from being started early.
void addOrdered(const KernelAnalysis &analysis, Effects &effects) {
  for (const MemoryAccess &load : analysis.facts.accesses) {
    const ParameterFacts *read = unrestricted(analysis, load);
    if (load.kind != AccessKind::Read || !read || read->written || !load.loop || !isSerial(load))
      continue;
    bool barrier = analysis.facts.loops[*load.loop].containsBarrier;
    for (const MemoryAccess &store : analysis.facts.accesses) {
      const ParameterFacts *written = unrestricted(analysis, store);
      if (store.kind != AccessKind::Write || store.loop != load.loop || !written || written == read ||
          barrier || declaredToAlias(analysis, read->name, written->name))
        continue;
      effects.pointers.insert({read->position, written->position});
      add(effects.ordered, spelled(analysis, load.place.place),
          "this load of '" + read->name + "' waits for the last iteration's store through '" + written->name +
              "'");
    }
  }
}

std::string listOf(const KernelAnalysis &analysis, const std::set<unsigned> &pointers) {
  std::string text;
  size_t left = pointers.size();
  for (unsigned position : pointers) {
    text += "'" + analysis.facts.parameters[position].name + "'";
    --left;
    text += left > 1 ? ", " : left == 1 ? " and " : "";
  }
  return text;
}

bool allDistinct(const KernelAnalysis &analysis, const std::set<unsigned> &pointers) {
  if (!analysis.annotation)
    return false;
  for (unsigned first : pointers)
    for (unsigned second : pointers)
      if (first != second && !analysis.annotation->areDistinct(analysis.facts.parameters[first].name,
                                                               analysis.facts.parameters[second].name))
        return false;
  return true;
}

std::string counted(size_t number, const char *one, const char *many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

} // namespace

std::vector<Finding> findMissingRestrict(const KernelAnalysis &analysis) {
  Effects effects;
  addRepeated(analysis, effects);
  addOrdered(analysis, effects);
  if (effects.pointers.empty())
    return {};
  bool distinct = allDistinct(analysis, effects.pointers);
  Finding finding;
  finding.id = id;
  finding.place = analysis.kernel.place;
  finding.message = listOf(analysis, effects.pointers) + " may overlap as far as the compiler knows: ";
  if (!effects.repeated.empty())
    finding.message += counted(effects.repeated.size(), "access is repeated", "accesses are repeated");
  if (!effects.ordered.empty())
    finding.message += (effects.repeated.empty() ? "" : " and ") +
                       counted(effects.ordered.size(), "load waits for a store", "loads wait for a store");
  finding.evidence = {{"repeated accesses", double(effects.repeated.size())},
                      {"loads ordered behind stores", double(effects.ordered.size())},
                      {"pointers", double(effects.pointers.size())}};
  finding.confidence = (effects.repeated.empty() ? 0.45 : 0.7) + (distinct ? 0.15 : 0);
  finding.advice = "declare " + listOf(analysis, effects.pointers) + " __restrict__" +
                   (distinct ? "" : " if they never overlap");
  finding.notes = std::move(effects.repeated);
  llvm::append_range(finding.notes, effects.ordered);
  return {std::move(finding)};
}

} // namespace warpwright
