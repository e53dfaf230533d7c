#include "analysis/simt/Decode.h"
#include "analysis/simt/Warp.h"

#include <algorithm>

namespace warpwright::simt {
namespace {

/// Lanes of a *.sync instruction's member mask that are here; the mask of the first active lane, as all must
/// agree.
LaneMask members(const Slot &slot, LaneMask active) {
  return static_cast<LaneMask>(slot.lane[std::countr_zero(active)]) & active;
}

/// The lane that `lane` reads in a shuffle, and whether it lies inside its segment. As the PTX manual defines
/// shfl.sync.
std::pair<unsigned, bool> shuffleSource(LaneExchange kind, unsigned lane, uint64_t offset, uint64_t control) {
  unsigned segment = control >> 8 & 31;
  unsigned clamp = control & 31;
  unsigned distance = offset & 31;
  unsigned last = (lane & segment) | (clamp & ~segment & 31);
  int source = 0;
  bool inside = false;
  switch (kind) {
  case LaneExchange::ShuffleUp:
    source = static_cast<int>(lane) - static_cast<int>(distance);
    inside = source >= static_cast<int>(last);
    break;
  case LaneExchange::ShuffleDown:
    source = static_cast<int>(lane + distance);
    inside = source <= static_cast<int>(last);
    break;
  case LaneExchange::ShuffleButterfly:
    source = static_cast<int>(lane ^ distance);
    inside = source <= static_cast<int>(last);
    break;
  default:
    source = static_cast<int>((lane & segment) | (distance & ~segment));
    inside = source <= static_cast<int>(last);
    break;
  }
  return {inside ? static_cast<unsigned>(source) : lane, inside};
}

} // namespace

/// Of the instruction's operands, the one that names the lanes; the old forms without .sync have none.
void Warp::watchExchange(const Instruction &instruction) {
  auto kind = static_cast<LaneExchange>(instruction.detail);
  bool isVote = kind == LaneExchange::VoteAll || kind == LaneExchange::VoteAny ||
                kind == LaneExchange::VoteUniform || kind == LaneExchange::Ballot;
  if (kind == LaneExchange::ActiveMask || kind == LaneExchange::Elect ||
      (isVote && instruction.operandCount < 2))
    return;
  bool isShuffle = kind == LaneExchange::ShuffleUp || kind == LaneExchange::ShuffleDown ||
                   kind == LaneExchange::ShuffleButterfly || kind == LaneExchange::ShuffleIndex;
  bool isMatch = kind == LaneExchange::MatchAny || kind == LaneExchange::MatchAll;
  const Slot &masks = read(operandOf(instruction, isVote || isShuffle || isMatch ? 0 : 1));
  context_.watcher->atExchange(warpIndex_, instruction, masks, mask_, liveLanes(), onData_);
}

void Warp::exchange(const Instruction &instruction) {
  if (context_.watcher)
    watchExchange(instruction);
  switch (static_cast<LaneExchange>(instruction.detail)) {
  case LaneExchange::ShuffleUp:
  case LaneExchange::ShuffleDown:
  case LaneExchange::ShuffleButterfly:
  case LaneExchange::ShuffleIndex:
    return shuffle(instruction);
  case LaneExchange::MatchAny:
  case LaneExchange::MatchAll:
    return match(instruction);
  case LaneExchange::VoteAll:
  case LaneExchange::VoteAny:
  case LaneExchange::VoteUniform:
  case LaneExchange::Ballot:
    return vote(instruction);
  case LaneExchange::ActiveMask:
  case LaneExchange::Elect: {
    // Which lanes are here together is this model's reconvergence, as good a guess as any other.
    Slot &dest = write(instruction.dest);
    bool elect = static_cast<LaneExchange>(instruction.detail) == LaneExchange::Elect;
    unsigned leader = std::countr_zero(mask_);
    forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = elect ? leader : mask_; });
    setTaint(dest, mask_, onData_ ? allLanes : 0);
    if (!elect)
      return;
    Slot &isLeader = write(slotAt(instruction.dest, 1));
    forEachLane(mask_, [&](unsigned lane) { isLeader.lane[lane] = lane == leader; });
    return setTaint(isLeader, mask_, onData_ ? allLanes : 0);
  }
  default:
    return reduce(instruction);
  }
}

void Warp::shuffle(const Instruction &instruction) {
  const Slot value = read(operandOf(instruction, 1));
  const Slot &offset = read(operandOf(instruction, 2));
  const Slot &control = read(operandOf(instruction, 3));
  Slot &dest = write(instruction.dest);
  Slot *insideFlag = instruction.count > 1 ? &write(slotAt(instruction.dest, 1)) : nullptr;
  LaneMask taint = 0;
  forEachLane(mask_, [&](unsigned lane) {
    auto [source, inside] = shuffleSource(static_cast<LaneExchange>(instruction.detail), lane,
                                          offset.lane[lane], control.lane[lane]);
    bool there = mask_ >> source & 1; // what a lane that is off holds is undefined
    dest.lane[lane] = there ? value.lane[source] : 0;
    taint |= LaneMask(!there || (value.taint >> source & 1)) << lane;
    if (insideFlag)
      insideFlag->lane[lane] = inside;
  });
  setTaint(dest, mask_, taint | offset.taint | control.taint);
  if (insideFlag)
    setTaint(*insideFlag, mask_, offset.taint | control.taint);
}

void Warp::vote(const Instruction &instruction) {
  // The old forms without .sync have the predicate alone.
  bool sync = instruction.operandCount > 1;
  const Slot &predicate = read(operandOf(instruction, sync ? 1 : 0));
  LaneMask group = sync ? members(read(operandOf(instruction, 0)), mask_) : mask_;
  LaneMask yes = 0;
  forEachLane(group, [&](unsigned lane) { yes |= LaneMask(predicate.lane[lane] & 1) << lane; });
  uint64_t result = yes;
  switch (static_cast<LaneExchange>(instruction.detail)) {
  case LaneExchange::VoteAll:
    result = yes == group;
    break;
  case LaneExchange::VoteAny:
    result = yes != 0;
    break;
  case LaneExchange::VoteUniform:
    result = yes == 0 || yes == group;
    break;
  default:
    break;
  }
  bool tainted = onData_ || (predicate.taint & group);
  Slot &dest = write(instruction.dest);
  forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = result; });
  setTaint(dest, mask_, tainted ? allLanes : 0);
}

void Warp::match(const Instruction &instruction) {
  LaneMask group = members(read(operandOf(instruction, 0)), mask_);
  const Slot value = read(operandOf(instruction, 1));
  LaneMask taint = onData_ || (value.taint & group) ? allLanes : 0;
  Slot &dest = write(instruction.dest);
  bool all = static_cast<LaneExchange>(instruction.detail) == LaneExchange::MatchAll;
  Slot *flag = instruction.count > 1 ? &write(slotAt(instruction.dest, 1)) : nullptr;
  forEachLane(mask_, [&](unsigned lane) {
    LaneMask equal = 0;
    forEachLane(group,
                [&](unsigned other) { equal |= LaneMask(value.lane[other] == value.lane[lane]) << other; });
    dest.lane[lane] = !all || equal == group ? equal : 0;
    if (flag)
      flag->lane[lane] = equal == group;
  });
  setTaint(dest, mask_, taint);
  if (flag)
    setTaint(*flag, mask_, taint);
}

void Warp::reduce(const Instruction &instruction) {
  const Slot &value = read(operandOf(instruction, 0));
  LaneMask group = members(read(operandOf(instruction, 1)), mask_);
  auto combine = [&](uint32_t a, uint32_t b) -> uint32_t {
    auto sa = static_cast<int32_t>(a);
    auto sb = static_cast<int32_t>(b);
    switch (static_cast<LaneExchange>(instruction.detail)) {
    case LaneExchange::ReduceUMin:
      return std::min(a, b);
    case LaneExchange::ReduceUMax:
      return std::max(a, b);
    case LaneExchange::ReduceMin:
      return static_cast<uint32_t>(std::min(sa, sb));
    case LaneExchange::ReduceMax:
      return static_cast<uint32_t>(std::max(sa, sb));
    case LaneExchange::ReduceAdd:
      return a + b;
    case LaneExchange::ReduceAnd:
      return a & b;
    case LaneExchange::ReduceOr:
      return a | b;
    default:
      return a ^ b;
    }
  };
  bool first = true;
  uint32_t result = 0;
  forEachLane(group, [&](unsigned lane) {
    auto next = static_cast<uint32_t>(value.lane[lane]);
    result = first ? next : combine(result, next);
    first = false;
  });
  bool tainted = onData_ || (value.taint & group);
  Slot &dest = write(instruction.dest);
  forEachLane(mask_, [&](unsigned lane) { dest.lane[lane] = result; });
  setTaint(dest, mask_, tainted ? allLanes : 0);
}

} // namespace warpwright::simt
