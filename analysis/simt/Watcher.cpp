#include "analysis/simt/Watcher.h"

#include "analysis/ir/SynchronisationAnalysis.h"
#include "analysis/simt/Memory.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <limits>

namespace warpwright::simt {
namespace {

/// Orders threads in another way than the block's own barrier does.
bool isOtherOrder(const Instruction &instruction) {
  const auto *call = llvm::dyn_cast_or_null<llvm::CallBase>(instruction.source);
  if (!call)
    return false;
  if (instruction.op == Op::Barrier && !isBlockBarrier(*call))
    return true;
  if (call->isInlineAsm()) {
    llvm::StringRef text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
    return text.contains("mbarrier") || text.contains("barrier.cluster");
  }
  const llvm::Function *callee = call->getCalledFunction();
  return callee && (callee->getName().contains("mbarrier") || callee->getName().contains("barrier.cluster"));
}

int64_t asSignedWord(uint64_t bits) {
  return static_cast<int32_t>(static_cast<uint32_t>(bits));
}

} // namespace

Watcher::Watcher(const Program &program) : ordersOtherwise_(!program.unknown.empty()) {
  shared_.resize(program.map.sharedEnd);
  auto number = [&](const FunctionCode &code) {
    for (const Instruction &instruction : code.instructions) {
      order_.try_emplace(instruction.source, order_.size() + 1);
      ordersOtherwise_ |= isOtherOrder(instruction);
    }
  };
  number(*program.kernel);
  for (const auto &[function, code] : program.functions)
    if (code.get() != program.kernel)
      number(*code);
}

uint32_t Watcher::orderOf(const llvm::Instruction *instruction) {
  return order_.lookup(instruction);
}

void Watcher::startBlock(uint64_t threads) {
  warps_.assign((threads + warpSize - 1) / warpSize, WarpTrace());
  startInterval();
}

void Watcher::atBarrier(unsigned warp, const Instruction &instruction, LaneMask here, LaneMask live,
                        bool onData) {
  WarpTrace &trace = warps_[warp];
  ++trace.barriers[instruction.source];
  ++trace.total;
  trace.onData |= onData;
  if (onData || ordersOtherwise_ || here == live ||
      !isNew(Hazard::Kind::DivergentBarrier, instruction.source))
    return;
  Hazard hazard;
  hazard.kind = Hazard::Kind::DivergentBarrier;
  hazard.instruction = instruction.source;
  hazard.here = here;
  hazard.named = live;
  hazard.thread = uint64_t(warp) * warpSize + std::countr_zero(here);
  hazards_.push_back(hazard);
}

void Watcher::atExchange(unsigned warp, const Instruction &instruction, const Slot &masks, LaneMask here,
                         LaneMask live, bool onData) {
  if (onData || (masks.taint & here))
    return;
  LaneMask named = 0, outside = 0;
  forEachLane(here, [&](unsigned lane) {
    auto mask = static_cast<LaneMask>(masks.lane[lane]);
    named |= mask;
    if (!(mask >> lane & 1))
      outside |= LaneMask(1) << lane;
  });
  Hazard hazard;
  hazard.instruction = instruction.source;
  hazard.here = here;
  hazard.named = named;
  hazard.thread = uint64_t(warp) * warpSize + std::countr_zero(here);
  hazard.kind = Hazard::Kind::AbsentLanes;
  if ((named & live & ~here) && isNew(hazard.kind, instruction.source))
    hazards_.push_back(hazard);
  hazard.kind = Hazard::Kind::OutsideMask;
  if (outside && isNew(hazard.kind, instruction.source))
    hazards_.push_back(hazard);
}

void Watcher::atAccess(unsigned warp, const Instruction &instruction, const MemoryForm &form,
                       const std::array<uint64_t, warpSize> &addresses, LaneMask mask, bool onData) {
  warps_[warp].lastAccess[instruction.source] = interval_;
  if (onData || ordersOtherwise_)
    return;
  bool isWrite = form.access != AccessKind::Load;
  bool exempt =
      form.access == AccessKind::Atomic || instruction.source->isVolatile() || instruction.source->isAtomic();
  // A value that nobody uses is a load that the machine does not make.
  if (!isWrite && instruction.source->use_empty())
    return;
  forEachLane(mask & form.addressLanes, [&](unsigned lane) {
    if (DeviceMemory::spaceOf(addresses[lane]) != AccessSpace::Shared)
      return;
    Touch touched{instruction.source, warp * warpSize + lane, orderOf(instruction.source)};
    uint64_t start = addresses[lane] - MemoryMap::sharedWindow;
    for (const MemoryScalar &piece : form.pieces)
      for (uint64_t byte = start + piece.offset; byte < start + piece.offset + piece.bytes; ++byte) {
        if (byte >= shared_.size())
          shared_.resize(std::min<uint64_t>(byte + 1, 1 << 20));
        if (byte >= shared_.size())
          return;
        Cell &cell = shared_[byte];
        if (cell.interval != interval_)
          cell = Cell{interval_, cell.exempt, {}, {}};
        cell.exempt |= exempt;
        touch(cell, touched, isWrite);
      }
  });
}

void Watcher::touch(Cell &cell, const Touch &touched, bool isWrite) {
  std::array<Touch, 2> &own = isWrite ? cell.writers : cell.readers;
  auto warpOf = [](const Touch &touch) { return touch.thread / warpSize; };
  if (!own[0].instruction)
    own[0] = touched;
  else if (!own[1].instruction && warpOf(own[0]) != warpOf(touched))
    own[1] = touched;
  if (cell.exempt)
    return;
  for (const Touch &other : isWrite ? cell.readers : cell.writers)
    if (other.instruction && warpOf(other) != warpOf(touched))
      return isWrite ? reportRace(other, touched) : reportRace(touched, other);
}

void Watcher::reportRace(const Touch &read, const Touch &write) {
  if (!isNew(Hazard::Kind::SharedRace, read.instruction))
    return;
  Hazard hazard;
  hazard.kind = Hazard::Kind::SharedRace;
  hazard.instruction = read.instruction;
  hazard.other = write.instruction;
  hazard.thread = read.thread;
  hazard.otherThread = write.thread;
  hazard.writeLast = write.order > read.order;
  hazards_.push_back(hazard);
}

/// Through arithmetic that keeps an index an index. Masks, remainders and shifts to the right make another
/// number of it, and hashing overflows on purpose.
bool Watcher::feedsAddress(const llvm::Instruction *instruction) {
  auto [known, isFresh] = feedsAddress_.try_emplace(instruction, false); // false ends circles
  if (!isFresh)
    return known->second;
  bool feeds = false;
  for (const llvm::User *user : instruction->users()) {
    const auto *next = llvm::dyn_cast<llvm::Instruction>(user);
    if (!next || feeds)
      continue;
    switch (next->getOpcode()) {
    case llvm::Instruction::GetElementPtr:
      feeds = next->getOperand(0) != instruction;
      break;
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Mul:
    case llvm::Instruction::Shl:
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
    case llvm::Instruction::PHI:
      feeds = feedsAddress(next);
      break;
    case llvm::Instruction::Or:
      feeds = llvm::cast<llvm::PossiblyDisjointInst>(next)->isDisjoint() && feedsAddress(next);
      break;
    default:
      break;
    }
  }
  feedsAddress_[instruction] = feeds;
  return feeds;
}

void Watcher::atArithmetic(unsigned warp, const Instruction &instruction, const Slot &left, const Slot &right,
                           LaneMask mask) {
  const auto *source = llvm::dyn_cast_or_null<llvm::BinaryOperator>(instruction.source);
  if (!source || instruction.bits != 32 || !feedsAddress(source))
    return;
  bool product = instruction.op == Op::Mul || instruction.op == Op::Shl;
  bool isSigned = llvm::isa<llvm::OverflowingBinaryOperator>(source) && source->hasNoSignedWrap();
  if (!isSigned && !product)
    return; // sums of unsigned numbers go below zero and come back all the time
  constexpr uint64_t signBit = uint64_t(1) << 31;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1) || ((left.taint | right.taint) >> lane & 1))
      continue;
    bool small = left.lane[lane] < signBit && right.lane[lane] < signBit;
    if (!isSigned && !small)
      continue; // negative numbers in disguise
    int64_t a = asSignedWord(left.lane[lane]), b = asSignedWord(right.lane[lane]);
    if (instruction.op == Op::Shl && (b < 0 || b > 31))
      continue;
    if (instruction.op == Op::Shl)
      b = int64_t(1) << b;
    int64_t exact = product ? a * b : instruction.op == Op::Sub ? a - b : a + b;
    bool over =
        isSigned ? exact > std::numeric_limits<int32_t>::max() || exact < std::numeric_limits<int32_t>::min()
                 : exact > int64_t(std::numeric_limits<uint32_t>::max());
    Hazard hazard;
    hazard.kind = isSigned ? Hazard::Kind::SignedOverflow : Hazard::Kind::UnsignedOverflow;
    if (!over || !isNew(hazard.kind, source))
      continue;
    hazard.instruction = source;
    hazard.here = mask;
    hazard.thread = uint64_t(warp) * warpSize + lane;
    hazard.left = a;
    hazard.right = instruction.op == Op::Sub ? -b : b;
    hazard.product = product;
    hazards_.push_back(hazard);
    return;
  }
}

void Watcher::atWidening(unsigned warp, const Instruction &instruction, const Slot &value, LaneMask mask) {
  if (instruction.fromBits != 32 || !instruction.source)
    return;
  const auto *source = llvm::dyn_cast<llvm::BinaryOperator>(instruction.source->getOperand(0));
  bool isDifference = source && (source->getOpcode() == llvm::Instruction::Sub ||
                                 source->getOpcode() == llvm::Instruction::Add);
  bool isAddress = instruction.op == Op::ZExt;
  if (!isDifference || (isAddress && !feedsAddress(instruction.source)))
    return;
  // As much as 2^30 below zero; what is further down may be a large number.
  constexpr uint64_t least = uint64_t(3) << 30;
  LaneMask wrapped = 0;
  forEachLane(mask & ~value.taint,
              [&](unsigned lane) { wrapped |= LaneMask((value.lane[lane] & 0xffffffff) >= least) << lane; });
  if (!wrapped || !isNew(Hazard::Kind::UnsignedUnderflow, source))
    return;
  Hazard hazard;
  hazard.kind = Hazard::Kind::UnsignedUnderflow;
  hazard.instruction = source;
  hazard.other = instruction.source;
  hazard.here = wrapped;
  unsigned lane = std::countr_zero(wrapped);
  hazard.thread = uint64_t(warp) * warpSize + lane;
  hazard.left = asSignedWord(value.lane[lane]);
  hazards_.push_back(hazard);
}

/// A warp that went round a barrier differs from one that ended before: it did in its last interval what the
/// other did in its own last one.
void Watcher::endBlock() {
  if (ordersOtherwise_ || llvm::any_of(warps_, [](const WarpTrace &trace) { return trace.onData; }))
    return;
  auto most = llvm::max_element(
      warps_, [](const WarpTrace &left, const WarpTrace &right) { return left.total < right.total; });
  uint64_t start = interval_ - most->total;
  auto lastOf = [&](const WarpTrace &trace) { return start + trace.total; };
  for (const WarpTrace &trace : warps_) {
    if (trace.total == most->total)
      continue;
    bool goesOn = llvm::any_of(trace.lastAccess, [&](const auto &entry) {
      return entry.second == lastOf(trace) && most->lastAccess.lookup(entry.first) == lastOf(*most);
    });
    for (const auto &[barrier, times] : most->barriers) {
      auto own = trace.barriers.find(barrier);
      uint64_t count = own == trace.barriers.end() ? 0 : own->second;
      if (!goesOn || count >= times || !isNew(Hazard::Kind::UnequalBarriers, barrier))
        continue;
      Hazard hazard;
      hazard.kind = Hazard::Kind::UnequalBarriers;
      hazard.instruction = barrier;
      hazard.thread = uint64_t(most - warps_.begin()) * warpSize;
      hazard.otherThread = uint64_t(&trace - warps_.data()) * warpSize;
      hazard.left = static_cast<int64_t>(times);
      hazard.right = static_cast<int64_t>(count);
      hazards_.push_back(hazard);
    }
  }
}

std::vector<Hazard> Watcher::take() {
  llvm::sort(hazards_, [&](const Hazard &left, const Hazard &right) {
    return std::pair(orderOf(left.instruction), left.kind) <
           std::pair(orderOf(right.instruction), right.kind);
  });
  return std::move(hazards_);
}

} // namespace warpwright::simt
