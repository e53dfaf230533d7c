#include "feedback/evaluators/virtual/checks/FaultLog.h"

namespace warpwright::vdevice {

Fault *FaultLog::record(const Occurrence &occurrence) {
  Key key(occurrence.kind, occurrence.severity, occurrence.site, occurrence.otherSite);
  auto [position, isNew] = entries_.try_emplace(key);
  Entry &entry = position->second;
  uint64_t count = isNew ? 1 : entry.fault.occurrences + 1;
  entry.fault.occurrences = count;
  bool isEarlier = std::pair(occurrence.block, occurrence.thread) < std::pair(entry.block, entry.thread);
  if (!isNew && !isEarlier)
    return nullptr;
  entry.block = occurrence.block;
  entry.thread = occurrence.thread;
  entry.fault = Fault();
  entry.fault.kind = occurrence.kind;
  entry.fault.severity = occurrence.severity;
  entry.fault.occurrences = count;
  return &entry.fault;
}

std::vector<Fault> FaultLog::faults() const {
  std::vector<Fault> merged;
  for (const auto &[key, entry] : entries_)
    mergeFaults(merged, entry.fault);
  return merged;
}

} // namespace warpwright::vdevice
