#include "feedback/evaluators/virtual/checks/FaultWriter.h"

namespace warpwright::vdevice {
namespace {

std::string count(uint64_t number, const char *noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

const char *verbOf(simt::AccessKind kind, simt::AccessSpace space) {
  switch (kind) {
  case simt::AccessKind::Load:
    return "reads";
  case simt::AccessKind::Store:
    return "writes";
  case simt::AccessKind::Atomic:
    return "updates";
  case simt::AccessKind::AsyncCopy:
    break;
  }
  return space == simt::AccessSpace::Shared ? "copies to" : "copies from";
}

std::string nameOf(const ObjectMap &objects, const Object &object) {
  if (object.kind == Object::Kind::Global)
    return objects.rangeOf(object).name;
  const StorageVariable &variable = objects.variableOf(object);
  if (!variable.name.empty())
    return variable.name;
  return object.kind == Object::Kind::Shared ? "dynamic shared memory" : "a local variable";
}

/// What an index counts: elements where their size is known, else accesses of this size if they tile the
/// object.
uint64_t elementOf(const ObjectMap &objects, const Access &access, const Object &object) {
  if (object.kind != Object::Kind::Global)
    return 0;
  unsigned known = objects.rangeOf(object).elementBytes;
  uint64_t bytes = known ? known : access.bytes;
  int64_t offset = static_cast<int64_t>(access.address - object.begin);
  bool tiles = bytes && bytes <= 16 && offset % static_cast<int64_t>(bytes) == 0 && object.bytes % bytes == 0;
  return tiles ? bytes : 0;
}

} // namespace

std::string spell(const std::string &name, int64_t offset, uint64_t elementBytes) {
  if (elementBytes)
    return name + "[" + std::to_string(offset / static_cast<int64_t>(elementBytes)) + "]";
  return "byte " + std::to_string(offset) + " of " + name;
}

std::string FaultWriter::deed(simt::AccessKind kind, uint64_t bytes, simt::AccessSpace space) {
  std::string size = bytes ? " " + count(bytes, "byte") : " memory";
  return verbOf(kind, space) + size;
}

void FaultWriter::describe(Fault &fault, const ObjectMap &objects, const Access &access,
                           const std::optional<Object> &object) const {
  fault.party.place = launch_.sites[access.site].place;
  fault.party.position = positionOf(objects.place().block, access.thread);
  FaultMemory memory;
  memory.address = access.address;
  memory.bytes = access.bytes;
  memory.space = object ? objects.spaceOf(*object) : simt::AccessSpace::Global;
  fault.party.deed = deed(access.kind, access.bytes, memory.space);
  if (object) {
    memory.object = nameOf(objects, *object);
    memory.offset = static_cast<int64_t>(access.address - object->begin);
    memory.objectBytes = object->bytes;
    fault.party.deed += " at " + spell(memory.object, memory.offset, elementOf(objects, access, *object));
  } else {
    fault.party.deed +=
        access.address < 4096 ? " at a null pointer" : " at an address that belongs to nothing";
  }
  fault.memory = std::move(memory);
}

std::string FaultWriter::distance(const ObjectMap &objects, const Access &access,
                                  const Object &object) const {
  int64_t offset = static_cast<int64_t>(access.address - object.begin);
  uint64_t element = elementOf(objects, access, object);
  std::string size = element ? count(object.bytes / element, "element") : count(object.bytes, "byte");
  if (offset < 0)
    return count(static_cast<uint64_t>(-offset), "byte") + " before its begin (" + size + ")";
  if (static_cast<uint64_t>(offset) >= object.bytes)
    return count(static_cast<uint64_t>(offset) - object.bytes, "byte") + " past the end (" + size + ")";
  return "reaching past the end (" + size + ")";
}

FaultParty FaultWriter::other(uint64_t block, uint32_t thread, uint32_t site) const {
  const Site &its = launch_.sites[site];
  const char *verb = its.kind == simt::AccessKind::Load     ? "reads it"
                     : its.kind == simt::AccessKind::Atomic ? "updates it"
                     : its.kind == simt::AccessKind::Store  ? "writes it"
                                                            : "copies it";
  return {its.place, positionOf(block, thread), verb};
}

} // namespace warpwright::vdevice
