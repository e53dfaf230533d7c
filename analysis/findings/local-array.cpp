// An array of a thread lives in registers only where every index is a constant once loops are unrolled.
// Otherwise it lies in local memory: private to the thread, but as far away as global memory.

#include "analysis/findings/SourceAccess.h"

namespace warpwright {
namespace {

constexpr const char *id = "local-array";

bool reaches(const SourceAccess &access, const LocalArray &array) {
  return access.fact && access.fact->object.known() &&
         access.fact->object.value().kind == MemoryObject::Kind::LocalArray &&
         access.fact->object.value().position == array.id;
}

/// Bytes that all threads of the launch move to and from the array.
simt::AccessTally trafficOf(const KernelAnalysis &analysis, const LocalArray &array) {
  simt::AccessTally sum;
  if (analysis.launches.empty())
    return sum;
  for (const SourceAccess &access : sourceAccesses(analysis, analysis.launches.front()))
    if (reaches(access, array))
      sum += access.tally;
  return sum;
}

/// A variable or a copy whose address is passed on: the compiler inlines the function or sees through it.
bool isPlainVariable(const LocalArray &array) {
  return !array.dynamicIndex && !llvm::StringRef(array.type).starts_with("[");
}

/// Arrays that the IR keeps in memory. The device's compiler may still dissolve them.
bool mayBeInMemory(const LocalArray &array) {
  return (array.dynamicIndex || array.escapes) && !isPlainVariable(array) && array.bytes != 0;
}

/// Whether the array may lie in local memory: what ptxas laid out decides where it is known.
bool isInMemory(const KernelAnalysis &analysis, const LocalArray &array) {
  if (!mayBeInMemory(array))
    return false;
  if (analysis.resources)
    return analysis.resources->local.stackBytes >= array.bytes;
  return !array.unrollable;
}

/// The stack says how much lies in memory, not what. It holds all of the arrays, or nobody knows which.
bool isCertain(const KernelAnalysis &analysis) {
  uint64_t wanted = 0;
  for (const LocalArray &array : analysis.facts.localArrays)
    wanted += mayBeInMemory(array) ? array.bytes : 0;
  return analysis.resources && analysis.resources->local.stackBytes >= wanted;
}

Finding describe(const KernelAnalysis &analysis, const LocalArray &array) {
  simt::AccessTally traffic = trafficOf(analysis, array);
  Finding finding;
  finding.id = id;
  finding.place = spelled(analysis, array.place.place);
  std::string name = array.name.empty() ? "an array" : "'" + array.name + "'";
  finding.message =
      name + " of " + std::to_string(array.bytes) + " bytes a thread " +
      (isCertain(analysis) || !analysis.resources ? "lies" : "may lie") + " in local memory, because " +
      (array.escapes ? "its address is passed on" : "it is indexed by a value that is no constant");
  finding.evidence = {{"bytes per thread", double(array.bytes)}};
  if (analysis.resources)
    finding.evidence.push_back({"stack bytes", double(analysis.resources->local.stackBytes)});
  if (traffic.requests) {
    finding.message += ": " + std::to_string(traffic.requests) + " requests, " +
                       std::to_string(traffic.bytes) + " bytes (" + analysis.launches.front().label + ")";
    finding.evidence.push_back({"local requests", double(traffic.requests)});
    finding.evidence.push_back({"local bytes", double(traffic.bytes)});
  }
  finding.confidence = !analysis.resources ? 0.6 : isCertain(analysis) ? 0.85 : 0.4;
  finding.advice =
      array.escapes ? "inline the function that takes the address"
      : array.unrollable
          ? "unroll the loops that index it, so that every index is a constant and it fits registers"
          : "index it by constants (unroll, or select with conditionals), or keep it in shared memory, one "
            "column a thread";
  return finding;
}

} // namespace

std::vector<Finding> findLocalArrays(const KernelAnalysis &analysis) {
  std::vector<Finding> findings;
  for (const LocalArray &array : analysis.facts.localArrays)
    if (array.place.place.known() && isInMemory(analysis, array))
      findings.push_back(describe(analysis, array));
  return findings;
}

} // namespace warpwright
