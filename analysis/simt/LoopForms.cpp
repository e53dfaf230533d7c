#include "analysis/simt/LoopForms.h"

namespace warpwright::simt {
namespace {

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

} // namespace warpwright::simt
