#include "analysis/simt/Counters.h"

#include <nlohmann/json.hpp>

namespace warpwright::simt {

using Json = nlohmann::ordered_json;

const char *toString(CountGrade grade) {
  switch (grade) {
  case CountGrade::Exact:
    return "exact";
  case CountGrade::Assumed:
    return "assumed";
  case CountGrade::Estimated:
    return "estimated";
  case CountGrade::Unknown:
    break;
  }
  return "unknown";
}

const char *toString(AccessKind kind) {
  switch (kind) {
  case AccessKind::Load:
    return "load";
  case AccessKind::Store:
    return "store";
  case AccessKind::Atomic:
    return "atomic";
  case AccessKind::AsyncCopy:
    break;
  }
  return "async_copy";
}

const char *toString(AccessSpace space) {
  switch (space) {
  case AccessSpace::Global:
    return "global";
  case AccessSpace::Shared:
    return "shared";
  case AccessSpace::Local:
    return "local";
  case AccessSpace::Constant:
    break;
  }
  return "constant";
}

const char *toString(InstructionClass kind) {
  static constexpr const char *names[] = {
      "integer", "integer_division", "fp32",    "fp64",    "special_function",
      "control", "memory",           "shuffle", "barrier", "none"};
  return names[static_cast<unsigned>(kind)];
}

AccessTally &AccessTally::operator+=(const AccessTally &other) {
  instructions += other.instructions;
  requests += other.requests;
  lanes += other.lanes;
  bytes += other.bytes;
  sectors += other.sectors;
  wavefronts += other.wavefronts;
  bankConflicts += other.bankConflicts;
  distinctBytes += other.distinctBytes;
  idealSectors += other.idealSectors;
  shiftedRequests += other.shiftedRequests;
  sameAddressLanes += other.sameAddressLanes;
  return *this;
}

BranchTally &BranchTally::operator+=(const BranchTally &other) {
  executions += other.executions;
  diverged += other.diverged;
  onData += other.onData;
  lanes += other.lanes;
  takenWarps += other.takenWarps;
  takenLanes += other.takenLanes;
  notTakenWarps += other.notTakenWarps;
  notTakenLanes += other.notTakenLanes;
  return *this;
}

BranchTally BranchTally::operator-(const BranchTally &earlier) const {
  return {executions - earlier.executions,
          diverged - earlier.diverged,
          onData - earlier.onData,
          lanes - earlier.lanes,
          takenWarps - earlier.takenWarps,
          takenLanes - earlier.takenLanes,
          notTakenWarps - earlier.notTakenWarps,
          notTakenLanes - earlier.notTakenLanes};
}

BranchTally BranchTally::operator*(uint64_t times) const {
  return {executions * times, diverged * times,   onData * times,        lanes * times,
          takenWarps * times, takenLanes * times, notTakenWarps * times, notTakenLanes * times};
}

AccessTally AccessTally::operator-(const AccessTally &other) const {
  return {instructions - other.instructions,
          requests - other.requests,
          lanes - other.lanes,
          bytes - other.bytes,
          sectors - other.sectors,
          wavefronts - other.wavefronts,
          bankConflicts - other.bankConflicts,
          distinctBytes - other.distinctBytes,
          idealSectors - other.idealSectors,
          shiftedRequests - other.shiftedRequests,
          sameAddressLanes - other.sameAddressLanes};
}

AccessTally AccessTally::operator*(uint64_t times) const {
  return {instructions * times, requests * times,        lanes * times,           bytes * times,
          sectors * times,      wavefronts * times,      bankConflicts * times,   distinctBytes * times,
          idealSectors * times, shiftedRequests * times, sameAddressLanes * times};
}

AccessTally LaunchCounters::total(AccessKind kind, AccessSpace space) const {
  AccessTally sum;
  for (const AccessCounters &access : accesses)
    if (access.kind == kind && access.space == space)
      sum += access.tally;
  return sum;
}

Json countersToJson(const LaunchCounters &counters) {
  Json json = Json::object();
  for (auto [kind, suffix] : {std::pair(AccessKind::Load, "ld"), std::pair(AccessKind::Store, "st")}) {
    AccessTally global = counters.total(kind, AccessSpace::Global);
    json[std::string("global_") + suffix + "_requests"] = global.requests;
    json[std::string("global_") + suffix + "_sectors"] = global.sectors;
  }
  for (auto [kind, suffix] : {std::pair(AccessKind::Load, "ld"), std::pair(AccessKind::Store, "st")}) {
    AccessTally shared = counters.total(kind, AccessSpace::Shared);
    json[std::string("shared_") + suffix + "_instructions"] = shared.instructions;
    json[std::string("shared_") + suffix + "_wavefronts"] = shared.wavefronts;
    json[std::string("shared_") + suffix + "_bank_conflicts"] = shared.bankConflicts;
  }
  json["grade"] = toString(counters.grade);
  if (!counters.reason.empty())
    json["reason"] = counters.reason;
  return json;
}

static Json placeToJson(const Place &place) {
  if (!place.known())
    return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

static Json accessToJson(const AccessCounters &access) {
  const AccessTally &tally = access.tally;
  Json json = {{"place", placeToJson(access.place)},
               {"kind", toString(access.kind)},
               {"space", toString(access.space)},
               {"bytes_per_lane", access.bytesPerLane},
               {"instructions", tally.instructions},
               {"requests", tally.requests},
               {"lanes", tally.lanes},
               {"bytes", tally.bytes}};
  if (access.space == AccessSpace::Shared) {
    json["wavefronts"] = tally.wavefronts;
    json["bank_conflicts"] = tally.bankConflicts;
  } else {
    json["sectors"] = tally.sectors;
    json["ideal_sectors"] = tally.idealSectors;
  }
  if (access.kind == AccessKind::Atomic)
    json["same_address_lanes"] = tally.sameAddressLanes;
  json["grade"] = toString(access.grade);
  if (!access.reason.empty())
    json["reason"] = access.reason;
  return json;
}

Json detailsToJson(const LaunchCounters &counters) {
  Json json = {{"counters", countersToJson(counters)}};
  Json instructions = Json::object();
  for (unsigned i = 0; i < instructionClasses; ++i)
    if (counters.instructions.warp[i])
      instructions[toString(static_cast<InstructionClass>(i))] = {
          {"warp", counters.instructions.warp[i]}, {"thread", counters.instructions.thread[i]}};
  json["instructions"] = std::move(instructions);
  json["accesses"] = Json::array();
  for (const AccessCounters &access : counters.accesses)
    json["accesses"].push_back(accessToJson(access));
  json["unknown"] = Json::array();
  for (const UnknownAccess &access : counters.unknown)
    json["unknown"].push_back({{"place", placeToJson(access.place)}, {"reason", access.reason}});
  return json;
}

} // namespace warpwright::simt
