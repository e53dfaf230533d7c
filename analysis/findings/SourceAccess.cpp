#include "analysis/findings/SourceAccess.h"

#include "analysis/ir/KernelView.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

std::string fullPath(const llvm::DILocation &location) {
  llvm::SmallString<128> path(location.getFilename());
  if (!llvm::sys::path::is_absolute(path))
    path = (location.getDirectory() + "/" + location.getFilename()).str();
  return std::string(path);
}

bool sameKind(simt::AccessKind counted, const MemoryAccess &fact) {
  switch (counted) {
  case simt::AccessKind::Load:
    return fact.kind == AccessKind::Read;
  case simt::AccessKind::Store:
    return fact.kind == AccessKind::Write;
  case simt::AccessKind::Atomic:
    return fact.kind == AccessKind::Atomic;
  case simt::AccessKind::AsyncCopy:
    break;
  }
  return fact.kind == AccessKind::Read;
}

/// A fact whose pointer is generic may be of any space.
bool sameSpace(simt::AccessSpace counted, MemorySpace space) {
  switch (space) {
  case MemorySpace::Global:
    return counted == simt::AccessSpace::Global;
  case MemorySpace::Shared:
  case MemorySpace::ClusterShared:
    return counted == simt::AccessSpace::Shared;
  case MemorySpace::Local:
    return counted == simt::AccessSpace::Local;
  case MemorySpace::Constant:
  case MemorySpace::Parameter:
    return counted == simt::AccessSpace::Constant;
  case MemorySpace::Generic:
    break;
  }
  return true;
}

const MemoryAccess *findFact(const KernelAnalysis &analysis, const SourceAccess &access) {
  for (const MemoryAccess &fact : analysis.facts.accesses)
    if (fact.place.place.line == access.place.line && fact.place.place.column == access.place.column &&
        sameKind(access.kind, fact) && sameSpace(access.space, fact.space) &&
        spelled(analysis, fact.place.place).file == access.place.file)
      return &fact;
  return nullptr;
}

const char *spaceName(simt::AccessSpace space) {
  return space == simt::AccessSpace::Global   ? "global memory"
         : space == simt::AccessSpace::Shared ? "shared memory"
         : space == simt::AccessSpace::Local  ? "local memory"
                                              : "constant memory";
}

} // namespace

// Line 0 is what merged instructions have.
Place userPlace(const KernelAnalysis &analysis, const llvm::Instruction &instruction) {
  const llvm::DILocation *location = instruction.getDebugLoc().get();
  while (location && location->getInlinedAt() && isToolkitFile(fullPath(*location)))
    location = location->getInlinedAt();
  if (!location || location->getLine() == 0)
    return analysis.kernel.place;
  return spelled(analysis, {fullPath(*location), location->getLine(), location->getColumn()});
}

Place spelled(const KernelAnalysis &analysis, const Place &place) {
  const std::string &own = analysis.kernel.place.file;
  if (place.file == own || llvm::StringRef(place.file).ends_with("/" + own))
    return {own, place.line, place.column};
  return place;
}

std::string objectName(const MemoryAccess &access) {
  if (!access.object.known() || access.object.value().name.empty())
    return "memory";
  const MemoryObject &object = access.object.value();
  std::string name = llvm::demangle(object.name);
  // A variable of a function is demangled as `kernel(args)::tile`.
  size_t scope = name.rfind("::");
  return "'" + (scope == std::string::npos ? name : name.substr(scope + 2)) + "'";
}

std::string SourceAccess::describe() const {
  const char *word = kind == simt::AccessKind::Load     ? "load of "
                     : kind == simt::AccessKind::Store  ? "store to "
                     : kind == simt::AccessKind::Atomic ? "atomic on "
                                                        : "asynchronous copy of ";
  std::string object = fact ? objectName(*fact) : "memory";
  return word + (object == "memory" ? spaceName(space) : object);
}

bool SourceAccess::addressIsCounted() const {
  if (grade == simt::CountGrade::Unknown)
    return false;
  return fact ? !fact->dataDependent : grade != simt::CountGrade::Assumed;
}

double SourceAccess::confidence(double sure, const LaunchEvaluation &evaluation) const {
  constexpr double ofGuess = 0.8;
  return confidenceOf(blockIsGuessed ? ofGuess * sure : sure, evaluation, grade);
}

std::vector<SourceAccess> sourceAccesses(const KernelAnalysis &analysis, const LaunchEvaluation &evaluation) {
  std::vector<SourceAccess> list;
  for (const simt::AccessCounters &counted : evaluation.counters.accesses) {
    if (counted.tally.requests == 0)
      continue;
    Place place = userPlace(analysis, *counted.instruction);
    auto found = llvm::find_if(list, [&](const SourceAccess &access) {
      return access.place == place && access.kind == counted.kind && access.space == counted.space;
    });
    if (found == list.end()) {
      found = list.insert(list.end(), SourceAccess());
      found->place = place;
      found->kind = counted.kind;
      found->space = counted.space;
    }
    found->bytesPerLane = std::max(found->bytesPerLane, counted.bytesPerLane);
    found->tally += counted.tally;
    found->grade = std::max(found->grade, counted.grade);
  }
  bool saysBlock = (analysis.annotation && analysis.annotation->block) || analysis.launchSites.commonBlock();
  for (SourceAccess &access : list) {
    access.fact = findFact(analysis, access);
    access.blockIsGuessed = evaluation.assumed && !saysBlock;
  }
  return list;
}

double confidenceOf(double sure, const LaunchEvaluation &evaluation, simt::CountGrade grade) {
  double confidence = sure;
  if (evaluation.assumed)
    confidence *= 0.6;
  if (grade == simt::CountGrade::Assumed)
    confidence *= 0.8;
  if (grade == simt::CountGrade::Estimated)
    confidence *= 0.95;
  return confidence;
}

std::string shortNumber(double number) {
  std::string text = llvm::formatv("{0:F1}", number).str();
  return llvm::StringRef(text).ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

} // namespace warpwright
