// Where threads of a block meet: barriers, warp collectives, and what is said when they do not.

#include "feedback/evaluators/virtual/execution/BlockRunner.h"
#include "feedback/evaluators/virtual/execution/Matrices.h"
#include "feedback/evaluators/virtual/execution/ShadowMemory.h"

#include <bit>
#include <cmath>

namespace warpwright::vdevice {
namespace {

constexpr uint64_t flagBit = uint64_t(1) << 32; ///< of a result: the predicate

uint32_t bitOf(uint32_t lane) {
  return uint32_t(1) << lane;
}

/// Calls `function` with each lane of the mask.
template <typename Function> void forLanes(uint32_t mask, Function function) {
  for (; mask; mask &= mask - 1)
    function(static_cast<uint32_t>(std::countr_zero(mask)));
}

uint32_t reduced(CollectiveKind kind, uint32_t left, uint32_t right) {
  using Kind = CollectiveKind;
  auto isSmaller = [](uint32_t a, uint32_t b) { return static_cast<int32_t>(a) < static_cast<int32_t>(b); };
  switch (kind) {
  case Kind::ReduceAdd:
    return left + right;
  case Kind::ReduceMin:
    return isSmaller(right, left) ? right : left;
  case Kind::ReduceMax:
    return isSmaller(left, right) ? right : left;
  case Kind::ReduceUMin:
    return std::min(left, right);
  case Kind::ReduceUMax:
    return std::max(left, right);
  case Kind::ReduceAnd:
    return left & right;
  case Kind::ReduceOr:
    return left | right;
  default:
    return left ^ right;
  }
}

/// PTX's `redux` of floats: NaN counts as missing unless it is kept, -0 is less than +0.
uint32_t reducedFloat(CollectiveKind kind, uint32_t left, uint32_t right, uint32_t how) {
  constexpr uint32_t canonicalNaN = 0x7fffffff, signBit = 0x80000000;
  if (how & OfMagnitudes) {
    left &= ~signBit;
    right &= ~signBit;
  }
  bool leftIsNaN = std::isnan(std::bit_cast<float>(left)),
       rightIsNaN = std::isnan(std::bit_cast<float>(right));
  if (leftIsNaN || rightIsNaN)
    return (how & KeepsNaN) || (leftIsNaN && rightIsNaN) ? canonicalNaN : leftIsNaN ? right : left;
  auto order = [](uint32_t bits) { return bits & signBit ? ~bits : bits | signBit; };
  bool leftIsLess = order(left) < order(right);
  return leftIsLess == (kind == CollectiveKind::ReduceFMin) ? left : right;
}

} // namespace

bool BlockRunner::barrier(ThreadContext &thread, uint32_t place, BarrierKind kind, uint32_t index,
                          uint32_t count, bool predicate) {
  index %= barrierCount;
  Barrier &barrier = barriers_[index];
  if (barrier.arrived == 0) {
    barrier = Barrier();
    openBarriers_ |= bitOf(index);
    barrier.firstThread = thread.linear;
    barrier.firstPlace = place;
    barrier.kind = kind;
    barrier.expected = count;
  } else if (place != barrier.firstPlace && index == 0 && count == 0 && !barrier.mismatchSeen) {
    barrier.mismatchSeen = true;
    report(FaultKind::DivergentBarrier, Severity::Error, thread.linear, place, "waits at a barrier",
           party(barrier.firstThread, barrier.firstPlace, "waits at another"));
  } else if (count != barrier.expected && !barrier.mismatchSeen) {
    barrier.mismatchSeen = true;
    auto deed = [&](uint32_t threads) {
      return "waits at barrier " + std::to_string(index) + " of " +
             (threads ? std::to_string(threads) + " threads" : "all threads");
    };
    report(FaultKind::DivergentBarrier, Severity::Error, thread.linear, place, deed(count),
           party(barrier.firstThread, barrier.firstPlace, deed(barrier.expected)));
  }
  ++barrier.arrived;
  barrier.count += predicate;
  if (monitor_)
    arrivals_[index].push_back(thread.linear);
  Thread &own = threads_[thread.linear];
  if (kind == BarrierKind::Arrive) {
    own.value = 0;
    releaseIfComplete(index);
    return true;
  }
  own.barrier = static_cast<uint8_t>(index);
  own.state = State::AtBarrier;
  own.place = place;
  releaseIfComplete(index);
  if (own.state != State::Runnable)
    return false;
  warps_[thread.warp].runnable &= ~bitOf(thread.lane); // the last one goes on
  return true;
}

void BlockRunner::releaseIfComplete(uint32_t index) {
  const Barrier &barrier = barriers_[index];
  uint32_t expected = barrier.expected ? barrier.expected : live_;
  if (barrier.arrived != 0 && barrier.arrived >= expected)
    complete(index);
}

void BlockRunner::complete(uint32_t index) {
  Barrier barrier = barriers_[index];
  barriers_[index] = Barrier();
  openBarriers_ &= ~bitOf(index);
  uint64_t result = 0;
  if (barrier.kind == BarrierKind::Count)
    result = barrier.count;
  else if (barrier.kind == BarrierKind::And)
    result = barrier.count == barrier.arrived;
  else if (barrier.kind == BarrierKind::Or)
    result = barrier.count != 0;
  if (monitor_) {
    monitor_->barrier(arrivals_[index]);
    arrivals_[index].clear();
  }
  for (uint32_t i = 0; i < threadCount_; ++i)
    if (threads_[i].state == State::AtBarrier && threads_[i].barrier == index) {
      threads_[i].value = result;
      setRunnable(i);
    }
}

bool BlockRunner::activeMask(ThreadContext &thread, uint32_t place) {
  warps_[thread.warp].atActiveMask |= bitOf(thread.lane);
  threads_[thread.linear].state = State::AtActiveMask;
  threads_[thread.linear].place = place;
  return false;
}

bool BlockRunner::collective(ThreadContext &thread, uint32_t place, CollectiveKind kind, uint32_t mask,
                             uint64_t value, uint32_t second, uint32_t third) {
  Warp &warp = warps_[thread.warp];
  uint32_t self = bitOf(thread.lane);
  if (!(mask & self)) {
    report(FaultKind::WrongWarpMask, Severity::Error, thread.linear, place,
           "calls a warp collective whose mask lacks its own lane");
    mask |= self;
  }
  Thread &own = threads_[thread.linear];
  own.kind = kind;
  own.mask = mask;
  own.value = value;
  own.second = second;
  own.third = third;
  own.place = place;
  own.state = State::AtCollective;
  warp.atCollective |= self;
  completeIfAllCame(thread.warp, mask, kind);
  if (own.state != State::Runnable)
    return false;
  warp.runnable &= ~self;
  return true;
}

void BlockRunner::completeIfAllCame(uint32_t index, uint32_t mask, CollectiveKind kind) {
  uint32_t wanted = mask & warps_[index].live;
  bool all = wanted != 0;
  forLanes(wanted, [&](uint32_t lane) {
    const Thread &thread = laneOf(index, lane);
    all &= thread.state == State::AtCollective && thread.mask == mask && thread.kind == kind;
  });
  if (all)
    perform(index, wanted, mask, kind);
}

void BlockRunner::perform(uint32_t index, uint32_t lanes, uint32_t mask, CollectiveKind kind) {
  using Kind = CollectiveKind;
  uint32_t absent = mask & warps_[index].existing & ~lanes;
  uint32_t first = static_cast<uint32_t>(std::countr_zero(lanes));
  if (absent) {
    uint32_t gone = static_cast<uint32_t>(std::countr_zero(absent));
    report(FaultKind::WrongWarpMask, Severity::Note, index * warpSize + first, laneOf(index, first).place,
           "calls a warp collective whose mask names a lane that has exited",
           party(index * warpSize + gone, 0, "has exited"));
  }
  if (kind == Kind::Matrix)
    performMatrix(index, lanes);
  std::array<uint64_t, warpSize> results{};
  uint32_t holds = 0;
  uint32_t sum = static_cast<uint32_t>(laneOf(index, first).value);
  forLanes(lanes, [&](uint32_t lane) {
    const Thread &thread = laneOf(index, lane);
    if (thread.value & 1)
      holds |= bitOf(lane);
    if (lane == first)
      return;
    bool isFloat = kind == Kind::ReduceFMin || kind == Kind::ReduceFMax;
    auto value = static_cast<uint32_t>(thread.value);
    sum = isFloat ? reducedFloat(kind, sum, value, thread.second) : reduced(kind, sum, value);
  });
  bool same = true;
  forLanes(lanes, [&](uint32_t lane) { same &= laneOf(index, lane).value == laneOf(index, first).value; });
  forLanes(lanes, [&](uint32_t lane) {
    uint64_t &result = results[lane];
    switch (kind) {
    case Kind::ShuffleUp:
    case Kind::ShuffleDown:
    case Kind::ShuffleButterfly:
    case Kind::ShuffleIndex:
      result = shuffled(index, lane, lanes, kind);
      break;
    case Kind::VoteAll:
      result = holds == lanes;
      break;
    case Kind::VoteAny:
      result = holds != 0;
      break;
    case Kind::VoteUniform:
      result = holds == lanes || holds == 0;
      break;
    case Kind::Ballot:
      result = holds;
      break;
    case Kind::MatchAny:
      forLanes(lanes, [&](uint32_t other) {
        if (laneOf(index, other).value == laneOf(index, lane).value)
          result |= bitOf(other);
      });
      break;
    case Kind::MatchAll:
      result = same ? lanes | flagBit : 0;
      break;
    case Kind::Elect:
      result = first | (lane == first ? flagBit : 0);
      break;
    case Kind::Matrix:
    case Kind::Synchronise:
      break;
    default:
      result = sum;
      break;
    }
  });
  forLanes(lanes, [&](uint32_t lane) {
    laneOf(index, lane).value = results[lane];
    setRunnable(index * warpSize + lane);
  });
  if (monitor_)
    monitor_->warpSync(index, lanes);
}

/// All lanes of a warp take part in the same operation, or else nothing is done.
void BlockRunner::performMatrix(uint32_t index, uint32_t lanes) {
  uint32_t first = static_cast<uint32_t>(std::countr_zero(lanes));
  const Thread &leader = laneOf(index, first);
  bool agree = lanes == ~uint32_t(0);
  std::array<uint32_t *, warpSize> registers{};
  forLanes(lanes, [&](uint32_t lane) {
    const Thread &thread = laneOf(index, lane);
    agree &= thread.second == leader.second && thread.third == leader.third;
    registers[lane] = reinterpret_cast<uint32_t *>(thread.value);
  });
  if (!agree)
    return report(FaultKind::WrongWarpMask, Severity::Error, index * warpSize + first, leader.place,
                  "takes part in a matrix operation without all other lanes of its warp");
  performMatrixOperation(MatrixOperation::decode(uint64_t(leader.third) << 32 | leader.second), registers);
}

/// As PTX defines `shfl.sync`: `second` is the distance or the lane, `third` holds the clamp in its low five
/// bits and the mask of the segment from bit 8 on.
uint64_t BlockRunner::shuffled(uint32_t index, uint32_t lane, uint32_t lanes, CollectiveKind kind) {
  const Thread &thread = laneOf(index, lane);
  uint32_t distance = thread.second & 31;
  uint32_t clamp = thread.third & 31;
  uint32_t segment = thread.third >> 8 & 31;
  uint32_t most = (lane & segment) | (clamp & ~segment);
  uint32_t least = lane & segment;
  uint32_t source = lane;
  bool inRange = false;
  switch (kind) {
  case CollectiveKind::ShuffleUp:
    source = lane - distance;
    inRange = static_cast<int32_t>(source) >= static_cast<int32_t>(most);
    break;
  case CollectiveKind::ShuffleDown:
    source = lane + distance;
    inRange = source <= most;
    break;
  case CollectiveKind::ShuffleButterfly:
    source = lane ^ distance;
    inRange = source <= most;
    break;
  default:
    source = least | (distance & ~segment);
    inRange = source <= most;
    break;
  }
  if (!inRange)
    source = lane;
  if (!(lanes & bitOf(source))) {
    bool exists = warps_[index].existing & bitOf(source);
    report(FaultKind::WrongWarpMask, Severity::Error, index * warpSize + lane, thread.place,
           "shuffles a value from lane " + std::to_string(source) +
               (exists ? ", which does not take part" : ", which the block does not have"));
    passShadow(index, lane, std::nullopt);
    return inRange ? flagBit : 0;
  }
  passShadow(index, lane, source);
  return (laneOf(index, source).value & 0xffffffffu) | (inRange ? flagBit : 0);
}

void BlockRunner::passShadow(uint32_t warp, uint32_t lane, std::optional<uint32_t> source) {
  if (!launch_.request.shadow)
    return;
  ThreadContext &to = contexts_[warp * warpSize + lane];
  for (unsigned i = 0; i < shadowSlots; ++i)
    to.shadowGot[i] = source ? contexts_[warp * warpSize + *source].shadowSent[i]
                             : std::bit_cast<double>(ShadowMemory::unknownBits);
}

/// No thread of the block can go on: says of one who waits where, and of another that keeps it waiting.
void BlockRunner::reportStuck() {
  auto isWaiting = [&](uint32_t i, State state) { return threads_[i].state == state; };
  giveUp();
  for (uint32_t i = 0; i < threadCount_; ++i) {
    if (!isWaiting(i, State::AtCollective))
      continue;
    uint32_t warp = i / warpSize;
    uint32_t named = threads_[i].mask & warps_[warp].live;
    std::optional<FaultParty> other;
    forLanes(named, [&](uint32_t lane) {
      const Thread &thread = laneOf(warp, lane);
      bool meets = thread.state == State::AtCollective && thread.mask == threads_[i].mask &&
                   thread.kind == threads_[i].kind;
      if (!meets && !other)
        other =
            party(warp * warpSize + lane, thread.place,
                  thread.state == State::AtBarrier ? "waits at a barrier" : "waits at another collective");
    });
    return report(FaultKind::WrongWarpMask, Severity::Error, i, threads_[i].place,
                  "waits for lanes that its mask names and that do not come", std::move(other));
  }
  for (uint32_t i = 0; i < threadCount_; ++i) {
    if (!isWaiting(i, State::AtBarrier))
      continue;
    for (uint32_t k = 0; k < threadCount_; ++k)
      if (isWaiting(k, State::AtBarrier) && threads_[k].barrier != threads_[i].barrier)
        return report(FaultKind::Deadlock, Severity::Error, i, threads_[i].place,
                      "waits at barrier " + std::to_string(threads_[i].barrier),
                      party(k, threads_[k].place, "waits at barrier " + std::to_string(threads_[k].barrier)));
    const Barrier &barrier = barriers_[threads_[i].barrier];
    return report(FaultKind::Deadlock, Severity::Error, i, threads_[i].place,
                  "waits at a barrier of " + std::to_string(barrier.expected) + " threads, to which " +
                      std::to_string(barrier.arrived) + " came");
  }
}

} // namespace warpwright::vdevice
