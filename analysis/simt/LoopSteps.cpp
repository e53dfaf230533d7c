#include "analysis/simt/LoopSteps.h"

#include "analysis/simt/Integers.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace warpwright::simt {
namespace {

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

} // namespace

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
    reduced[lane] = asSigned(static_cast<uint64_t>(step[lane]), bits);
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
      if (!visit(code_->instructions[i], values, member))
        return false;
    const Instruction &terminator = code_->instructions[block.last];
    if (terminator.op == Op::ConditionalBranch && stepOf(code_->operands[terminator.firstOperand]))
      return false;
    if (!visitEdges(terminator))
      return false;
  }
  return true;
}

bool LoopSteps::visit(const Instruction &instruction, const Values &values, const LoopForm::Member &member) {
  switch (instruction.op) {
  case Op::Nothing:
  case Op::Barrier:
    return true;
  case Op::Load:
  case Op::Store:
  case Op::AtomicRmw:
    return visitAccess(instruction);
  case Op::Gep:
    return visitAddress(instruction, member);
  case Op::ICmp:
    return visitCompare(instruction, member);
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
    return visitSum(instruction, member);
  }
}

void LoopSteps::keepInRange(Operand number, const Step &step, unsigned bits, bool isSigned,
                            const LoopForm::Member &member) {
  if (member.everyIteration)
    limits_.keepInRange(number, step, bits, isSigned);
  else
    limits_.keepInRange(number, step, bits, isSigned, member.block);
}

bool LoopSteps::visitSum(const Instruction &instruction, const LoopForm::Member &member) {
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
    keepInRange(first, *a, instruction.fromBits, instruction.op == Op::SExt, member);
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

bool LoopSteps::visitAddress(const Instruction &instruction, const LoopForm::Member &member) {
  Step sum{};
  if (const Step *base = stepOf(code_->operands[instruction.firstOperand]))
    sum = *base;
  for (const AddressForm::Term &term : code_->addresses[instruction.extra].terms) {
    const Step *index = stepOf(term.index);
    if (!index)
      continue;
    if (term.bits < 64)
      keepInRange(term.index, *index, term.bits, true, member);
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

bool LoopSteps::visitCompare(const Instruction &instruction, const LoopForm::Member &member) {
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
  if (!member.everyIteration)
    return false;
  limits_.keepOutcome(instruction, a, stepA ? *stepA : Step{}, b, stepB ? *stepB : Step{});
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
