#include "feedback/evaluators/virtual/checks/LaunchChecks.h"

#include "feedback/evaluators/virtual/checks/FaultLog.h"
#include "feedback/evaluators/virtual/checks/FaultWriter.h"

namespace warpwright::vdevice {

LaunchChecks::LaunchChecks(const WatchedLaunch &launch)
    : launch_(launch), races_(launch.memory->ranges(), launch.grid.count()) {
  rules_.reserve(launch.sites.size());
  for (const Site &site : launch.sites)
    rules_.push_back(ruleOf(site));
}

std::vector<Fault> LaunchChecks::findRaces() const {
  FaultLog log;
  races_.forEachRace([&](const BlockRaces::Race &race) {
    FaultLog::Occurrence occurrence{
        FaultKind::BlockRace, race.sameValue || race.updates ? Severity::Note : Severity::Error,
        race.second.site(),   race.first.site(),
        race.second.block(),  race.second.thread()};
    if (Fault *fault = log.record(occurrence))
      describeRace(*fault, launch_, race);
  });
  return log.faults();
}

void describeRace(Fault &fault, const WatchedLaunch &launch, const BlockRaces::Race &race) {
  FaultWriter writer(launch);
  const Site &site = launch.sites[race.second.site()];
  FaultMemory memory;
  memory.address = race.range->begin + race.offset;
  memory.bytes = site.bytes;
  memory.object = race.range->name;
  memory.space = race.range->space;
  memory.offset = static_cast<int64_t>(race.offset);
  memory.objectBytes = race.range->bytes;
  fault.party.place = site.place;
  fault.party.position = writer.positionOf(race.second.block(), race.second.thread());
  uint64_t element = race.range->elementBytes ? race.range->elementBytes : site.bytes;
  bool tiles = element && element <= 16 && race.offset % element == 0;
  fault.party.deed = FaultWriter::deed(site.kind, site.bytes, memory.space) + " at " +
                     spell(memory.object, memory.offset, tiles ? element : 0);
  fault.memory = std::move(memory);
  fault.detail = race.updates     ? "which another block reads plainly, and nothing orders the two"
                 : race.sameValue ? "the same value that other blocks write there"
                                  : "which another block touches, and nothing orders the two";
  fault.other = writer.other(race.first.block(), race.first.thread(), race.first.site());
}

} // namespace warpwright::vdevice
