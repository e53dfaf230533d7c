#include "analysis/simt/LoopSkip.h"

#include "analysis/simt/Integers.h"
#include "analysis/simt/MovingComparison.h"
#include "analysis/simt/Warp.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstrTypes.h>

#include <algorithm>

namespace warpwright::simt {
namespace {

using Predicate = llvm::CmpInst::Predicate;

/// Operations under which sums stay sums, and those whose integers are data.
bool staysAffine(const Instruction &instruction) {
  switch (instruction.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Shl:
  case Op::Gep:
  case Op::SExt:
  case Op::ZExt:
  case Op::Trunc:
  case Op::ICmp:
    return instruction.bits <= 64 && instruction.fromBits <= 64 && instruction.count == 1;
  case Op::FAdd:
  case Op::FSub:
  case Op::FMul:
  case Op::FDiv:
  case Op::FNeg:
  case Op::FpConvert:
  case Op::Load:
  case Op::Store:
  case Op::ConditionalBranch:
  case Op::Nothing:
    return true;
  case Op::AtomicRmw: // one whose values nobody needs
    return instruction.count == 0;
  case Op::Math:
    return instruction.scalar != ScalarKind::Integer;
  default:
    return false;
  }
}

bool isInteger(const Instruction &instruction) {
  return instruction.op <= Op::Xor || instruction.op == Op::Gep || instruction.op == Op::SExt ||
         instruction.op == Op::ZExt || instruction.op == Op::Trunc;
}

} // namespace

void LoopSkip::watch(const FunctionCode &code, int32_t block, LaneMask mask) {
  code_ = &code;
  block_ = block;
  mask_ = mask;
  iterations_ = 0;
  fits_ = true;
  watched_.clear();
  bits_.clear();
  others_.clear();
  phis_.clear();
  const Block &body = code.blocks[block];
  for (uint32_t i = body.first; i <= body.last && fits_; ++i) {
    const Instruction &instruction = code.instructions[i];
    fits_ = staysAffine(instruction);
    if (isInteger(instruction)) {
      watched_.push_back(instruction.dest);
      bits_.push_back(instruction.bits);
    } else if (instruction.op != Op::Nothing) {
      for (unsigned k = 0; k < instruction.count; ++k)
        others_.push_back(slotAt(instruction.dest, k));
    }
  }
  const Instruction &branch = code.instructions[body.last];
  const Edge &back = code.edges[branch.extra + (code.edges[branch.extra].target != block)];
  for (uint32_t i = 0; i < back.copies; ++i)
    phis_.push_back(code.copies[back.firstCopy + i]);
  // A value handed from one phi node to another lags behind; such loops are rare.
  for (const EdgeCopy &phi : phis_)
    for (const EdgeCopy &other : phis_)
      fits_ &= phi.source != other.dest;
}

LoopSkip::Snapshot LoopSkip::take(const Slot *registers, const Tally &tally) const {
  Snapshot snapshot;
  for (Operand operand : watched_)
    snapshot.slots.push_back(registers[operand]);
  for (const EdgeCopy &phi : phis_)
    snapshot.slots.push_back(registers[phi.dest]);
  snapshot.sites = tally.sites;
  snapshot.branches = tally.branches;
  snapshot.instructions = tally.instructions;
  return snapshot;
}

/// Data may do what it likes; everything else must be on a straight line.
bool LoopSkip::movesEvenly() const {
  for (size_t i = 0; i < snapshots_[0].slots.size(); ++i) {
    const Slot &a = snapshots_[0].slots[i];
    const Slot &b = snapshots_[1].slots[i];
    const Slot &c = snapshots_[2].slots[i];
    uint64_t limit = i < bits_.size() ? maskOf(bits_[i]) : ~uint64_t(0);
    LaneMask known = mask_ & ~(a.taint | b.taint | c.taint);
    bool even = true;
    forEachLane(known, [&](unsigned lane) {
      even &= ((b.lane[lane] - a.lane[lane]) & limit) == ((c.lane[lane] - b.lane[lane]) & limit);
    });
    if (!even)
      return false;
  }
  return true;
}

/// Integers that the block loads must be unknown ones: known ones come from a table, which need not go on as
/// it began.
bool LoopSkip::loadsData(const Slot *registers) const {
  const Block &body = code_->blocks[block_];
  for (uint32_t i = body.first; i < body.last; ++i) {
    const Instruction &instruction = code_->instructions[i];
    if (instruction.op != Op::Load || instruction.scalar != ScalarKind::Integer)
      continue;
    for (unsigned k = 0; k < instruction.count; ++k)
      if (mask_ & ~registers[slotAt(instruction.dest, k)].taint)
        return false;
  }
  return true;
}

bool LoopSkip::countsEvenly() const {
  const auto &[a, b, c] = snapshots_;
  for (size_t i = 0; i < a.sites.size(); ++i)
    if (!(b.sites[i] - a.sites[i] == c.sites[i] - b.sites[i]))
      return false;
  return true;
}

/// Value of an operand as a number, and what a window adds to it. False where it depends on data.
bool LoopSkip::valueAndStep(Operand operand, const Slot *registers, const std::vector<Slot> &constants,
                            unsigned lane, unsigned bits, bool isSigned, __int128 &value,
                            __int128 &step) const {
  auto number = [&](uint64_t raw) {
    if (!isSigned)
      return static_cast<__int128>(raw);
    return static_cast<__int128>(static_cast<int64_t>(raw << (64 - bits)) >> (64 - bits));
  };
  step = 0;
  if (operand < 0) {
    value = number(constants[~operand].lane[lane]);
    return !(constants[~operand].taint >> lane & 1);
  }
  auto found = std::find(watched_.begin(), watched_.end(), operand);
  size_t index = found - watched_.begin();
  if (found == watched_.end()) {
    auto phi =
        std::find_if(phis_.begin(), phis_.end(), [&](const EdgeCopy &copy) { return copy.dest == operand; });
    if (phi == phis_.end()) { // the loop leaves it alone, or it is data
      value = number(registers[operand].lane[lane]);
      return !(registers[operand].taint >> lane & 1) && !llvm::is_contained(others_, operand);
    }
    index = watched_.size() + (phi - phis_.begin());
  }
  const Slot &before = snapshots_[1].slots[index];
  const Slot &now = snapshots_[2].slots[index];
  value = number(now.lane[lane]);
  step = value - number(before.lane[lane]);
  return !((before.taint | now.taint) >> lane & 1);
}

uint64_t LoopSkip::windowsOf(const Instruction &compare, const Slot *registers,
                             const std::vector<Slot> &constants, unsigned lane) const {
  auto predicate = static_cast<Predicate>(compare.detail);
  bool isSigned = llvm::CmpInst::isSigned(predicate);
  unsigned bits = compare.fromBits;
  __int128 a = 0, b = 0, stepA = 0, stepB = 0;
  if (!valueAndStep(code_->operands[compare.firstOperand], registers, constants, lane, bits, isSigned, a,
                    stepA) ||
      !valueAndStep(code_->operands[compare.firstOperand + 1], registers, constants, lane, bits, isSigned, b,
                    stepB))
    return 0;
  constexpr uint64_t most = uint64_t(1) << 40;
  return MovingComparison{predicate, bits, a, b, stepA, stepB}.stepsUnchanged(most);
}

uint64_t LoopSkip::windowsUntilChange(const Slot *registers, const std::vector<Slot> &constants) const {
  const Block &body = code_->blocks[block_];
  uint64_t windows = uint64_t(1) << 40;
  for (uint32_t i = body.first; i <= body.last; ++i) {
    const Instruction &instruction = code_->instructions[i];
    if (instruction.op == Op::ICmp)
      forEachLane(mask_, [&](unsigned lane) {
        windows = std::min(windows, windowsOf(instruction, registers, constants, lane));
      });
  }
  return windows;
}

void LoopSkip::apply(uint64_t windows, Slot *registers, Tally &tally) const {
  const Snapshot &before = snapshots_[1];
  const Snapshot &now = snapshots_[2];
  for (size_t i = 0; i < tally.sites.size(); ++i)
    tally.sites[i] += (now.sites[i] - before.sites[i]) * windows;
  for (size_t i = 0; i < tally.branches.size(); ++i)
    tally.branches[i] += (now.branches[i] - before.branches[i]) * windows;
  for (unsigned i = 0; i < instructionClasses; ++i) {
    tally.instructions.warp[i] += (now.instructions.warp[i] - before.instructions.warp[i]) * windows;
    tally.instructions.thread[i] += (now.instructions.thread[i] - before.instructions.thread[i]) * windows;
  }
  for (size_t i = 0; i < phis_.size(); ++i) {
    const Slot &was = before.slots[watched_.size() + i];
    const Slot &is = now.slots[watched_.size() + i];
    Slot &slot = registers[phis_[i].dest];
    auto source = std::find(watched_.begin(), watched_.end(), phis_[i].source);
    if (source == watched_.end())
      continue; // data, or carried unchanged
    uint64_t limit = maskOf(bits_[source - watched_.begin()]);
    forEachLane(mask_ & ~(was.taint | is.taint), [&](unsigned lane) {
      slot.lane[lane] = (slot.lane[lane] + (is.lane[lane] - was.lane[lane]) * windows) & limit;
    });
  }
}

uint64_t LoopSkip::goAround(const FunctionCode &code, int32_t block, LaneMask mask, Slot *registers,
                            const std::vector<Slot> &constants, Tally &tally) {
  if (&code != code_ || block != block_ || mask != mask_)
    watch(code, block, mask);
  ++iterations_;
  // Shorter loops than a few windows are not worth it, and stay exact.
  constexpr uint64_t first = 8 * window;
  if (!fits_ || iterations_ < first || iterations_ % window != 0 || iterations_ > first + 2 * window)
    return 0;
  snapshots_[(iterations_ - first) / window] = take(registers, tally);
  if (iterations_ != first + 2 * window || !loadsData(registers) || !movesEvenly() || !countsEvenly())
    return 0;
  uint64_t windows = windowsUntilChange(registers, constants);
  // The last windows run as they are.
  if (windows < 2 || windows >= uint64_t(1) << 40)
    return 0;
  apply(windows - 1, registers, tally);
  return (windows - 1) * window;
}

} // namespace warpwright::simt
