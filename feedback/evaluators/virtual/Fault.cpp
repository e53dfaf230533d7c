#include "feedback/evaluators/virtual/Fault.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace warpwright::vdevice {

using Json = nlohmann::ordered_json;

const char *toString(FaultKind kind) {
  static constexpr const char *ids[] = {
#define WARPWRIGHT_FAULT(enumerator, id, meaning) id,
#include "feedback/evaluators/virtual/Faults.def"
  };
  return ids[static_cast<unsigned>(kind)];
}

static std::string toString(const Dim3 &index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

std::string toString(const ThreadPosition &position) {
  return "thread " + toString(position.thread) + " of block " + toString(position.block);
}

Dim3 delinearise(uint64_t index, const Dim3 &extent) {
  return {index % extent.x, index / extent.x % extent.y, index / (extent.x * extent.y)};
}

std::string Fault::message() const {
  std::string text = toString(party.position) + " " + party.deed;
  if (!detail.empty())
    text += ", " + detail;
  return text;
}

namespace {

/// What makes two faults the same thing.
auto identity(const Fault &fault) {
  static const Place nowhere;
  static const std::string nothing;
  return std::tie(fault.party.place, fault.kind, fault.severity, fault.other ? fault.other->place : nowhere,
                  fault.memory ? fault.memory->object : nothing);
}

/// Blocks and threads in the order of their linear indices.
auto orderOf(const ThreadPosition &position) {
  auto [block, thread] = position;
  return std::tuple(block.z, block.y, block.x, thread.z, thread.y, thread.x);
}

bool isEarlier(const Fault &left, const Fault &right) {
  auto mine = orderOf(left.party.position);
  auto theirs = orderOf(right.party.position);
  if (mine != theirs)
    return mine < theirs;
  if (!left.other || !right.other)
    return false;
  return orderOf(left.other->position) < orderOf(right.other->position);
}

Json toJson(const Place &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json toJson(const Dim3 &index) {
  return Json::array({index.x, index.y, index.z});
}

void addParty(Json &json, const FaultParty &party) {
  if (party.place.known())
    json["place"] = toJson(party.place);
  json["block"] = toJson(party.position.block);
  json["thread"] = toJson(party.position.thread);
}

std::string prefix(const Place &place) {
  if (!place.known())
    return "<unknown place>: ";
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

} // namespace

void mergeFaults(std::vector<Fault> &into, llvm::ArrayRef<Fault> faults) {
  for (const Fault &fault : faults) {
    auto position =
        std::lower_bound(into.begin(), into.end(), fault, [](const Fault &left, const Fault &right) {
          return identity(left) < identity(right);
        });
    if (position == into.end() || identity(*position) != identity(fault)) {
      into.insert(position, fault);
      continue;
    }
    uint64_t occurrences = position->occurrences + fault.occurrences;
    if (isEarlier(fault, *position))
      *position = fault;
    position->occurrences = occurrences;
  }
}

bool isClean(llvm::ArrayRef<Fault> faults) {
  return std::all_of(faults.begin(), faults.end(),
                     [](const Fault &fault) { return fault.severity == Severity::Note; });
}

Json faultToJson(const Fault &fault) {
  Json json = {{"kind", toString(fault.kind)},
               {"severity", fault.severity == Severity::Error ? "error" : "note"},
               {"message", fault.message()}};
  addParty(json, fault.party);
  if (fault.memory) {
    const FaultMemory &memory = *fault.memory;
    Json object = {{"space", simt::toString(memory.space)}, {"bytes", memory.bytes}};
    if (!memory.object.empty()) {
      object["object"] = memory.object;
      object["offset"] = memory.offset;
      object["object_bytes"] = memory.objectBytes;
    }
    json["memory"] = std::move(object);
  }
  if (fault.other) {
    Json other = Json::object();
    addParty(other, *fault.other);
    other["message"] = toString(fault.other->position) + " " + fault.other->deed;
    json["other"] = std::move(other);
  }
  json["occurrences"] = fault.occurrences;
  return json;
}

std::string faultToText(const Fault &fault) {
  std::string text = prefix(fault.party.place);
  text += fault.severity == Severity::Error ? "error: " : "note: ";
  text += fault.message() + " [" + toString(fault.kind) + "]\n";
  if (fault.other)
    text += prefix(fault.other->place) + "note: " + toString(fault.other->position) + " " +
            fault.other->deed + "\n";
  if (fault.occurrences > 1)
    text += prefix(fault.party.place) + "note: this is the first of " + std::to_string(fault.occurrences) +
            " occurrences\n";
  return text;
}

} // namespace warpwright::vdevice
