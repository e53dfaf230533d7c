#include "analysis/simt/LoopSteps.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright::simt {
namespace {

using Predicate = llvm::CmpInst::Predicate;

uint64_t maskOf(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

int64_t signExtend(uint64_t value, unsigned bits) {
  unsigned unused = bits >= 64 ? 0 : 64 - bits;
  return static_cast<int64_t>(value << unused) >> unused;
}

bool holds(Predicate predicate, __int128 a, __int128 b) {
  switch (predicate) {
  case Predicate::ICMP_EQ:
    return a == b;
  case Predicate::ICMP_NE:
    return a != b;
  case Predicate::ICMP_UGT:
  case Predicate::ICMP_SGT:
    return a > b;
  case Predicate::ICMP_UGE:
  case Predicate::ICMP_SGE:
    return a >= b;
  case Predicate::ICMP_ULT:
  case Predicate::ICMP_SLT:
    return a < b;
  default:
    return a <= b;
  }
}

bool inRange(__int128 value, unsigned bits, bool isSigned) {
  auto limit = static_cast<__int128>(isSigned ? maskOf(bits) >> 1 : maskOf(bits));
  return value <= limit && value >= (isSigned ? -limit - 1 : 0);
}

const Slot &slotOf(Operand operand, const Slot *registers, const std::vector<Slot> &constants) {
  return operand >= 0 ? registers[operand] : constants[~operand];
}

/// By how much addresses may move together without changing what a request costs.
int64_t unitOf(const MemoryForm &memory) {
  constexpr int64_t sectorBytes = 32, wordBytes = 4;
  switch (memory.addressSpace) {
  case SharedSpace:
    return wordBytes;
  case ConstantSpace:
  case LocalSpace:
    return 1;
  default:
    return sectorBytes;
  }
}

/// Nothing in the loop needs what memory holds to be followed from one iteration to the next.
bool fits(const FunctionCode &code, const LoopForm &loop) {
  for (const LoopForm::Member &member : loop.blocks)
    for (uint32_t i = code.blocks[member.block].first; i <= code.blocks[member.block].last; ++i)
      switch (const Instruction &instruction = code.instructions[i]; instruction.op) {
      case Op::Store:
      case Op::AtomicRmw:
        if (!code.memory[instruction.extra].scalars.empty())
          return false;
        break;
      case Op::Alloca:
      case Op::Call:
      case Op::CompareExchange:
      case Op::CopyMemory:
      case Op::SetMemory:
      case Op::Switch:
        return false;
      default:
        if (instruction.bits > 64 || instruction.fromBits > 64)
          return false;
      }
  return true;
}

} // namespace

__int128 comparedNumber(uint64_t raw, unsigned bits, Predicate predicate) {
  if (llvm::CmpInst::isSigned(predicate))
    return signExtend(raw, bits);
  return raw & maskOf(bits);
}

bool MovingComparison::staysAt(int64_t steps) const {
  __int128 lastA = a + stepA * steps;
  __int128 lastB = b + stepB * steps;
  bool isSigned = llvm::CmpInst::isSigned(predicate);
  if (!inRange(lastA, bits, isSigned) || !inRange(lastB, bits, isSigned))
    return false;
  // A straight line that is on the same side at both ends was there all the time; being equal must last.
  if (llvm::CmpInst::isEquality(predicate))
    return a == b ? stepA == stepB : (a > b) == (lastA > lastB) && lastA != lastB;
  return holds(predicate, a, b) == holds(predicate, lastA, lastB);
}

uint64_t MovingComparison::stepsUnchanged(uint64_t most) const {
  if (stepA == 0 && stepB == 0)
    return most;
  uint64_t low = 0;
  uint64_t high = most;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (staysAt(static_cast<int64_t>(middle)))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

void describeLoops(Program &program) {
  for (auto &[function, code] : program.functions) {
    for (const Edge &edge : code->edges)
      if (edge.goesBack && code->loops[edge.loop].phis.empty())
        for (uint32_t i = 0; i < edge.copies; ++i) {
          Operand phi = code->copies[edge.firstCopy + i].dest;
          code->loops[edge.loop].phis.push_back({phi, code->bitsOf[phi]});
        }
    for (LoopForm &loop : code->loops) {
      loop.fits = fits(*code, loop);
      for (const LoopForm::Member &member : loop.blocks)
        for (uint32_t i = code->blocks[member.block].first; i <= code->blocks[member.block].last; ++i)
          loop.hasBarrier |= code->instructions[i].op == Op::Barrier;
    }
  }
}

std::optional<LoopSteps> LoopSteps::derive(const FunctionCode &code, const LoopForm &loop,
                                           const Values &values) {
  LoopSteps steps(code, loop, values.mask);
  if (!steps.readPhis(values) || !steps.visitBlocks(values))
    return std::nullopt;
  return steps;
}

const LoopSteps::Step *LoopSteps::stepOf(Operand operand) const {
  if (operand < 0 || stepOf_[operand] < 0)
    return nullptr;
  return &steps_[stepOf_[operand]];
}

/// Any part of the value that the operand belongs to moves.
bool LoopSteps::valueMoves(Operand operand) const {
  bool moves = false;
  if (operand >= 0)
    for (size_t slot = code_->valueOf[operand];
         slot < code_->slots && code_->valueOf[slot] == code_->valueOf[operand]; ++slot)
      moves |= stepOf_[slot] >= 0;
  return moves;
}

/// The whole result is the same in each iteration.
void LoopSteps::stand(const Instruction &instruction) {
  if (instruction.count == 0)
    return;
  for (size_t slot = instruction.dest;
       slot < code_->slots && code_->valueOf[slot] == code_->valueOf[instruction.dest]; ++slot)
    stepOf_[slot] = still;
}

/// Set outside the loop.
bool LoopSteps::isInvariant(Operand operand) const {
  return operand < 0 || stepOf_[operand] == unset;
}

void LoopSteps::set(Operand dest, const Step &step, unsigned bits) {
  Step reduced{};
  bool moves = false;
  forEachLane(mask_, [&](unsigned lane) {
    reduced[lane] = signExtend(static_cast<uint64_t>(step[lane]), bits);
    moves |= reduced[lane] != 0;
  });
  stepOf_[dest] = moves ? static_cast<int32_t>(steps_.size()) : still;
  if (moves)
    steps_.push_back(reduced);
}

bool LoopSteps::same(const Step *a, const Step *b) const {
  bool equal = true;
  forEachLane(mask_, [&](unsigned lane) { equal &= (a ? (*a)[lane] : 0) == (b ? (*b)[lane] : 0); });
  return equal;
}

bool LoopSteps::readPhis(const Values &values) {
  for (size_t i = 0; i < loop_->phis.size(); ++i) {
    const LoopForm::Phi &phi = loop_->phis[i];
    const Slot &now = values.registers[phi.slot];
    const Slot &before = values.before[i];
    if ((now.taint | before.taint) & mask_)
      return false;
    Step step{};
    forEachLane(
        mask_, [&](unsigned lane) { step[lane] = static_cast<int64_t>(now.lane[lane] - before.lane[lane]); });
    set(phi.slot, step, phi.bits);
  }
  return true;
}

bool LoopSteps::visitBlocks(const Values &values) {
  for (const LoopForm::Member &member : loop_->blocks) {
    const Block &block = code_->blocks[member.block];
    for (uint32_t i = block.first; i < block.last; ++i)
      if (!visit(code_->instructions[i], values, member.everyIteration))
        return false;
    const Instruction &terminator = code_->instructions[block.last];
    if (terminator.op == Op::ConditionalBranch && stepOf(code_->operands[terminator.firstOperand]))
      return false;
    if (!visitEdges(terminator))
      return false;
  }
  return true;
}

bool LoopSteps::visit(const Instruction &instruction, const Values &values, bool everyIteration) {
  switch (instruction.op) {
  case Op::Nothing:
  case Op::Barrier:
    return true;
  case Op::Load:
  case Op::Store:
  case Op::AtomicRmw:
    return visitAccess(instruction);
  case Op::Gep:
    return visitAddress(instruction);
  case Op::ICmp:
    return visitCompare(instruction, everyIteration);
  default:
    break;
  }
  bool moves = false;
  for (unsigned i = 0; i < instruction.operandCount; ++i)
    moves |= valueMoves(code_->operands[instruction.firstOperand + i]);
  if (!moves) {
    stand(instruction);
    return true;
  }
  if (instruction.count != 1)
    return false;
  switch (instruction.op) {
  case Op::Mul:
  case Op::Shl:
    return visitProduct(instruction, values);
  default:
    return visitSum(instruction);
  }
}

bool LoopSteps::visitSum(const Instruction &instruction) {
  Operand first = code_->operands[instruction.firstOperand];
  const Step *a = stepOf(first);
  Step step{};
  switch (instruction.op) {
  case Op::Add:
  case Op::Sub: {
    const Step *b = stepOf(code_->operands[instruction.firstOperand + 1]);
    int64_t sign = instruction.op == Op::Add ? 1 : -1;
    forEachLane(mask_,
                [&](unsigned lane) { step[lane] = (a ? (*a)[lane] : 0) + sign * (b ? (*b)[lane] : 0); });
    break;
  }
  case Op::SExt:
  case Op::ZExt:
    watched_.push_back({nullptr, first, 0, *a, {}, instruction.fromBits, instruction.op == Op::SExt});
    step = *a;
    break;
  case Op::Trunc:
  case Op::Copy:
  case Op::SpaceCast:
    step = *a;
    break;
  default:
    return false;
  }
  set(instruction.dest, step, instruction.bits ? instruction.bits : 64);
  return true;
}

bool LoopSteps::visitProduct(const Instruction &instruction, const Values &values) {
  Operand left = code_->operands[instruction.firstOperand];
  Operand right = code_->operands[instruction.firstOperand + 1];
  bool isShift = instruction.op == Op::Shl;
  if (!isShift && !stepOf(left))
    std::swap(left, right);
  if (!stepOf(left) || !isInvariant(right))
    return false;
  const Slot &factor = slotOf(right, values.registers, values.constants);
  if (factor.taint & mask_)
    return false;
  Step step = *stepOf(left);
  bool shifts = true;
  forEachLane(mask_, [&](unsigned lane) {
    uint64_t by = factor.lane[lane];
    shifts &= !isShift || by < instruction.bits;
    step[lane] = static_cast<int64_t>(isShift ? static_cast<uint64_t>(step[lane]) << (by & 63)
                                              : static_cast<uint64_t>(step[lane]) * by);
  });
  set(instruction.dest, step, instruction.bits);
  return shifts;
}

bool LoopSteps::visitAddress(const Instruction &instruction) {
  Step sum{};
  if (const Step *base = stepOf(code_->operands[instruction.firstOperand]))
    sum = *base;
  for (const AddressForm::Term &term : code_->addresses[instruction.extra].terms) {
    const Step *index = stepOf(term.index);
    if (!index)
      continue;
    if (term.bits < 64)
      watched_.push_back({nullptr, term.index, 0, *index, {}, term.bits, true});
    forEachLane(mask_, [&](unsigned lane) { sum[lane] += (*index)[lane] * term.scale; });
  }
  set(instruction.dest, sum, 64);
  return true;
}

bool LoopSteps::visitAccess(const Instruction &instruction) {
  stand(instruction);
  const Step *step = stepOf(code_->operands[instruction.firstOperand]);
  if (!step)
    return true;
  // The value is needed and comes from elsewhere each time.
  if (instruction.count != 0)
    return false;
  int64_t first = (*step)[std::countr_zero(mask_)];
  bool together = true;
  forEachLane(mask_, [&](unsigned lane) { together &= (*step)[lane] == first; });
  if (!together)
    return false;
  int64_t unit = unitOf(code_->memory[instruction.extra]);
  while (first * static_cast<int64_t>(period_) % unit != 0)
    period_ *= 2;
  return true;
}

bool LoopSteps::visitCompare(const Instruction &instruction, bool everyIteration) {
  Operand a = code_->operands[instruction.firstOperand];
  Operand b = code_->operands[instruction.firstOperand + 1];
  const Step *stepA = stepOf(a);
  const Step *stepB = stepOf(b);
  if (instruction.count != 1 && (stepA || stepB))
    return false;
  stand(instruction); // watched: it keeps its outcome
  if (!stepA && !stepB)
    return true;
  // In an inner loop it is made several times an iteration, and only the last is at hand.
  if (!everyIteration)
    return false;
  watched_.push_back(
      {&instruction, a, b, stepA ? *stepA : Step{}, stepB ? *stepB : Step{}, instruction.fromBits, false});
  return true;
}

bool LoopSteps::hand(const EdgeCopy &copy, bool toHeader) {
  const Step *step = stepOf(copy.source);
  if (toHeader || stepOf_[copy.dest] != unset)
    return same(step, stepOf(copy.dest));
  if (step)
    set(copy.dest, Step(*step), 64);
  else
    stepOf_[copy.dest] = still;
  return true;
}

bool LoopSteps::visitEdges(const Instruction &terminator) {
  if (terminator.op != Op::Branch && terminator.op != Op::ConditionalBranch)
    return true; // it leaves the loop
  for (int i = 0; i <= (terminator.op == Op::ConditionalBranch); ++i) {
    const Edge &edge = code_->edges[terminator.extra + i];
    bool inside = llvm::any_of(loop_->blocks,
                               [&](const LoopForm::Member &member) { return member.block == edge.target; });
    for (uint32_t k = 0; inside && k < edge.copies; ++k)
      if (!hand(code_->copies[edge.firstCopy + k], edge.target == loop_->header))
        return false;
  }
  return true;
}

bool LoopSteps::outOfRange(const Watched &watched, const Slot *registers, const std::vector<Slot> &constants,
                           uint64_t &periods) const {
  const Slot &a = slotOf(watched.a, registers, constants);
  const Slot &b = slotOf(watched.b, registers, constants);
  bool compares = watched.compare;
  if ((a.taint | (compares ? b.taint : 0)) & mask_)
    return true;
  MovingComparison moving;
  moving.bits = watched.bits;
  // A number alone is compared with the end of its range that it is farthest from: only the range counts.
  moving.predicate = compares           ? static_cast<Predicate>(watched.compare->detail)
                     : watched.isSigned ? Predicate::ICMP_SGE
                                        : Predicate::ICMP_UGE;
  bool changed = false;
  forEachLane(mask_, [&](unsigned lane) {
    moving.a = comparedNumber(a.lane[lane], watched.bits, moving.predicate);
    moving.b = compares           ? comparedNumber(b.lane[lane], watched.bits, moving.predicate)
               : watched.isSigned ? -static_cast<__int128>(maskOf(watched.bits) >> 1) - 1
                                  : 0;
    moving.stepA = watched.stepA[lane];
    moving.stepB = watched.stepB[lane];
    changed |= !moving.staysAt(1 - static_cast<int64_t>(period_));
    if (moving.staysAt(static_cast<int64_t>(periods * period_)))
      return;
    periods = std::min(periods, moving.stepsUnchanged(periods * period_) / period_);
  });
  return changed;
}

uint64_t LoopSteps::periodsUnchanged(const Slot *registers, const std::vector<Slot> &constants) const {
  constexpr uint64_t most = uint64_t(1) << 40;
  uint64_t periods = most;
  for (const Watched &watched : watched_)
    if (outOfRange(watched, registers, constants, periods) || periods == 0)
      return 0;
  // A loop that nothing ends is not understood.
  return periods == most ? 0 : periods;
}

void LoopSteps::advance(Slot *registers, uint64_t periods) const {
  for (const LoopForm::Phi &phi : loop_->phis)
    if (const Step *step = stepOf(phi.slot)) {
      Slot &slot = registers[phi.slot];
      forEachLane(mask_, [&](unsigned lane) {
        slot.lane[lane] =
            (slot.lane[lane] + static_cast<uint64_t>((*step)[lane]) * period_ * periods) & maskOf(phi.bits);
      });
    }
}

} // namespace warpwright::simt
