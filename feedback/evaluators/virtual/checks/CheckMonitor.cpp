#include "feedback/evaluators/virtual/checks/CheckMonitor.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace warpwright::vdevice {
namespace {

/// Whether no byte of some unit is marked.
template <typename Mark> bool hasBlankUnit(const Mark *marks, uint64_t bytes, uint64_t unit, Mark wanted) {
  for (uint64_t begin = 0; begin < bytes; begin += unit) {
    uint64_t end = std::min(bytes, begin + unit);
    bool marked = std::any_of(marks + begin, marks + end, [&](Mark mark) { return mark == wanted; });
    if (!marked)
      return true;
  }
  return false;
}

/// A value in 31 bits for comparison, where it says something that another thread writes the same. Memory
/// that nobody filled is zero on this device, so that sums and products of it are zeros by chance: they count
/// only if the kernel spells them out.
std::optional<uint32_t> comparable(const Access &access, const SiteRule &rule) {
  if (!access.hasValue || (access.value == 0 && !rule.storesConstant))
    return std::nullopt;
  uint64_t mixed = access.value * 0x9e3779b97f4a7c15u;
  return static_cast<uint32_t>(mixed >> 32) & 0x7fffffff;
}

} // namespace

CheckMonitor::CheckMonitor(LaunchChecks &checks)
    : checks_(checks), objects_(checks.launch()), writer_(checks.launch()),
      lastObject_(checks.launch().sites.size()) {
  shared_.reset(checks.launch().sharedBytes());
}

void CheckMonitor::beginBlock(const BlockPlace &place) {
  bool moved = place.shared != objects_.place().shared || place.local != objects_.place().local;
  objects_.beginBlock(place);
  synchronisation_ = {};
  locks_.clear();
  if (clocks_.beginBlock(place.threads))
    shared_.reset(checks_.launch().sharedBytes());
  localWritten_.resize(place.localBytes * place.threads);
  if (++localNumber_ == 0) {
    std::fill(localWritten_.begin(), localWritten_.end(), 0);
    localNumber_ = 1;
  }
  if (!moved)
    return;
  for (Object &object : lastObject_)
    object = Object();
}

uint64_t CheckMonitor::access(const Access &access) {
  Object &object = lastObject_[access.site];
  const SiteRule &rule = checks_.rules()[access.site];
  if (!object.holds(access.address, access.bytes)) {
    std::optional<Object> found = objects_.find(access.address, access.bytes, access.thread);
    if (!found)
      return access.bytes ? outOfBounds(access) : access.address;
    object = *found;
  }
  if (!rule.isAligned(access.address))
    return misaligned(access, rule, object);
  bool unlocks = rule.isVolatile && rule.writes && !locks_.empty() && locks_.contains(access.address);
  if (rule.isLock || unlocks)
    clocks_.meet(locks_[access.address], access.thread);
  switch (object.kind) {
  case Object::Kind::Global:
    return checkGlobal(access, rule, object);
  case Object::Kind::Shared:
    if (access.kind != simt::AccessKind::AsyncCopy)
      checkShared(access, rule, object);
    return access.address;
  case Object::Kind::Local:
    break;
  }
  return checkLocal(access, rule, object);
}

/// An asynchronous copy is two accesses at one site: it reads global and writes shared memory.
bool CheckMonitor::isRead(const Access &access, const SiteRule &rule, const Object &object) const {
  if (access.kind == simt::AccessKind::AsyncCopy)
    return object.kind == Object::Kind::Global;
  return rule.reads;
}

bool CheckMonitor::isWritten(const Access &access, const SiteRule &rule, const Object &object) const {
  if (access.kind == simt::AccessKind::AsyncCopy)
    return object.kind == Object::Kind::Shared;
  return rule.writes;
}

uint64_t CheckMonitor::checkGlobal(const Access &access, const SiteRule &rule, const Object &object) {
  const MemoryRange &range = objects_.rangeOf(object);
  uint64_t offset = access.address - range.begin;
  bool writes = isWritten(access, rule, object);
  if (range.written) {
    if (isRead(access, rule, object) && !rule.copiesBlock &&
        hasBlankUnit<uint8_t>(range.written + offset, access.bytes, rule.unitBytes, 1))
      uninitialised(access, object);
    if (writes)
      std::memset(range.written + offset, 1, access.bytes);
  }
  if (range.space == simt::AccessSpace::Constant)
    return access.address;
  BlockRaces::Touch touch;
  touch.range = static_cast<uint32_t>(object.index);
  touch.offset = offset;
  touch.bytes = access.bytes;
  touch.stamp = BlockStamp(objects_.place().block, access.thread, access.site);
  touch.isSynchronising = rule.atomic || rule.isVolatile;
  touch.writes = writes && !touch.isSynchronising;
  touch.updates = writes && touch.isSynchronising;
  if (touch.writes)
    touch.value = comparable(access, rule);
  touchLater(touch);
  return access.address;
}

/// Records lie far apart where a kernel's accesses do, and waiting for each of them would take most of the
/// time. Which of two touches is recorded first makes no difference, but around synchronisation.
void CheckMonitor::touchLater(const BlockRaces::Touch &touch) {
  if (touch.isSynchronising || synchronisation_.seen) {
    touchAllLate();
    return touchNow(touch);
  }
  checks_.races().prefetch(touch);
  if (lateCount_ == mostLate) {
    touchNow(late_[firstLate_]);
    late_[firstLate_] = touch;
    firstLate_ = (firstLate_ + 1) % mostLate;
    return;
  }
  late_[(firstLate_ + lateCount_++) % mostLate] = touch;
}

void CheckMonitor::touchAllLate() {
  for (; lateCount_ > 0; --lateCount_) {
    touchNow(late_[firstLate_]);
    firstLate_ = (firstLate_ + 1) % mostLate;
  }
}

void CheckMonitor::touchNow(const BlockRaces::Touch &touch) {
  if (std::optional<BlockRaces::Race> race = checks_.races().touch(touch, synchronisation_))
    blockRace(*race);
}

/// A copy whose place was not shared memory went to memory of its own.
void CheckMonitor::copied(const Access &access) {
  std::optional<Object> object = objects_.find(access.address, access.bytes, access.thread);
  if (object && object->kind == Object::Kind::Shared)
    checkShared(access, checks_.rules()[access.site], *object);
}

void CheckMonitor::checkShared(const Access &access, const SiteRule &rule, const Object &object) {
  SharedShadow::Request request;
  request.offset = access.address - objects_.place().shared;
  request.bytes = access.bytes;
  request.unitBytes = rule.copiesBlock ? access.bytes : rule.unitBytes;
  request.thread = access.thread;
  request.stamp = Stamp(clocks_.now(access.thread), access.thread, access.site, rule.atomic);
  request.reads = isRead(access, rule, object);
  request.writes = isWritten(access, rule, object);
  SharedShadow::Outcome outcome = shared_.access(request, clocks_);
  if (outcome.uninitialised)
    uninitialised(access, object);
  if (outcome.race)
    sharedRace(access, rule, object, outcome);
}

uint64_t CheckMonitor::checkLocal(const Access &access, const SiteRule &rule, const Object &object) {
  uint16_t *marks = localWritten_.data() + (access.address - objects_.place().local);
  bool checked = rule.reads && !rule.copiesBlock && !objects_.variableOf(object).initialised;
  if (checked && hasBlankUnit<uint16_t>(marks, access.bytes, rule.unitBytes, localNumber_))
    uninitialised(access, object);
  if (rule.writes)
    std::fill_n(marks, access.bytes, localNumber_);
  return access.address;
}

uint64_t CheckMonitor::outOfBounds(const Access &access) {
  FaultLog::Occurrence occurrence{FaultKind::OutOfBounds, Severity::Error,        access.site,
                                  FaultLog::noSite,       objects_.place().block, access.thread};
  if (Fault *fault = log_.record(occurrence)) {
    std::optional<Object> object = objects_.findNear(access.address, access.thread);
    writer_.describe(*fault, objects_, access, object);
    if (object)
      fault->detail = writer_.distance(objects_, access, *object);
  }
  return scratch(access.bytes);
}

uint64_t CheckMonitor::misaligned(const Access &access, const SiteRule &rule, const Object &object) {
  FaultLog::Occurrence occurrence{FaultKind::MisalignedAccess, Severity::Error, access.site, FaultLog::noSite,
                                  objects_.place().block,      access.thread};
  if (Fault *fault = log_.record(occurrence)) {
    writer_.describe(*fault, objects_, access, object);
    fault->detail = "an address that is no multiple of " + std::to_string(rule.alignment);
  }
  return scratch(access.bytes);
}

void CheckMonitor::uninitialised(const Access &access, const Object &object) {
  FaultLog::Occurrence occurrence{
      FaultKind::UninitialisedRead, Severity::Error, access.site, FaultLog::noSite,
      objects_.place().block,       access.thread};
  Fault *fault = log_.record(occurrence);
  if (!fault)
    return;
  writer_.describe(*fault, objects_, access, object);
  fault->detail = object.kind == Object::Kind::Shared  ? "which no thread of the block has written"
                  : object.kind == Object::Kind::Local ? "which the thread has not written"
                                                       : "which nobody has written";
}

void CheckMonitor::sharedRace(const Access &access, const SiteRule &rule, const Object &object,
                              const SharedShadow::Outcome &outcome) {
  // Memory still holds what the other wrote: the last write is the one that the shadow tells of.
  bool bothStore = outcome.raceWithWrite && rule.writes && !rule.atomic && !outcome.race.atomic();
  bool sameValue =
      bothStore && access.bytes <= sizeof(access.value) && comparable(access, rule) &&
      std::memcmp(reinterpret_cast<const void *>(access.address), &access.value, access.bytes) == 0;
  FaultLog::Occurrence occurrence{FaultKind::SharedRace,
                                  sameValue ? Severity::Note : Severity::Error,
                                  access.site,
                                  outcome.race.site(),
                                  objects_.place().block,
                                  access.thread};
  Fault *fault = log_.record(occurrence);
  if (!fault)
    return;
  writer_.describe(*fault, objects_, access, object);
  bool inOneWarp = access.thread / BlockClocks::warpSize == outcome.race.thread() / BlockClocks::warpSize;
  fault->detail = sameValue ? "the same value that another thread writes there"
                  : inOneWarp
                      ? "which another lane of the warp touches, and nothing orders the two: lanes have not "
                        "run in lockstep since Volta"
                      : "which another thread touches, and no barrier orders the two";
  fault->other = writer_.other(objects_.place().block, outcome.race.thread(), outcome.race.site());
}

void CheckMonitor::blockRace(const BlockRaces::Race &race) {
  FaultLog::Occurrence occurrence{FaultKind::BlockRace, Severity::Error,     race.second.site(),
                                  race.first.site(),    race.second.block(), race.second.thread()};
  if (Fault *fault = log_.record(occurrence))
    describeRace(*fault, checks_.launch(), race);
}

uint64_t CheckMonitor::scratch(uint64_t bytes) {
  constexpr uint64_t usual = 65536;
  if (scratch_.bytes() < bytes || !scratch_)
    scratch_ = Mapping::zeroed(llvm::alignTo(std::max(bytes, usual), Mapping::pageBytes()));
  return scratch_.begin();
}

} // namespace warpwright::vdevice
