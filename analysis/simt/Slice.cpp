#include "analysis/simt/Slice.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>

namespace warpwright::simt {
namespace {

/// Memories that hold what a needed load reads, one bit each.
using Contents = uint8_t;
constexpr Contents globalContents = 1, sharedContents = 2, localContents = 4, allContents = 7;

Contents contentsOf(unsigned addressSpace) {
  switch (addressSpace) {
  case GlobalSpace:
    return globalContents;
  case SharedSpace:
    return sharedContents;
  case LocalSpace:
    return localContents;
  case ConstantSpace:
    return 0; // no kernel writes it
  default:
    return allContents;
  }
}

bool accessesMemory(Op op) {
  return op == Op::Load || op == Op::Store || op == Op::AtomicRmw || op == Op::CompareExchange ||
         op == Op::CopyMemory || op == Op::SetMemory;
}

class Slice {
public:
  Slice(Program &program, bool keepWatched) : program_(program), keepWatched_(keepWatched) {
    for (auto &[function, code] : program.functions)
      needed_[code.get()].resize(code->slots);
  }

  void run() {
    do {
      changed_ = false;
      for (auto &[function, code] : program_.functions)
        visit(*code);
    } while (changed_);
    for (auto &[function, code] : program_.functions)
      drop(*code);
  }

private:
  bool isNeeded(const FunctionCode &code, Operand operand) {
    return needed_[&code].test(code.valueOf[operand]);
  }

  void need(const FunctionCode &code, Operand operand) {
    if (operand < 0 || isNeeded(code, operand))
      return;
    needed_[&code].set(code.valueOf[operand]);
    changed_ = true;
  }

  void needOperands(const FunctionCode &code, const Instruction &instruction, unsigned first, unsigned end) {
    for (unsigned i = first; i < end && i < instruction.operandCount; ++i)
      need(code, code.operands[instruction.firstOperand + i]);
  }

  void needContents(unsigned addressSpace) {
    changed_ |= (contents_ | contentsOf(addressSpace)) != contents_;
    contents_ |= contentsOf(addressSpace);
  }

  /// Users of values mostly stand behind them, so the way back settles most in one pass.
  void visit(const FunctionCode &code) {
    for (size_t i = code.instructions.size(); i-- > 0;)
      visit(code, code.instructions[i]);
    for (const EdgeCopy &copy : code.copies)
      if (isNeeded(code, copy.dest))
        need(code, copy.source);
  }

  void visit(const FunctionCode &code, const Instruction &instruction) {
    switch (instruction.op) {
    case Op::ConditionalBranch:
    case Op::Switch:
    case Op::Alloca:
      return needOperands(code, instruction, 0, 1);
    case Op::Call:
      return visitCall(code, instruction);
    case Op::Return:
      if (returnsNeeded_.lookup(&code))
        needOperands(code, instruction, 0, instruction.operandCount);
      return;
    default:
      break;
    }
    if (accessesMemory(instruction.op))
      return visitAccess(code, instruction);
    bool isWatched = keepWatched_ && (instruction.op == Op::LaneExchange || instruction.op == Op::UiToFp);
    if (isWatched && instruction.count != 0)
      need(code, instruction.dest);
    if (instruction.count == 0 || !isNeeded(code, instruction.dest))
      return;
    needOperands(code, instruction, 0, instruction.operandCount);
    if (instruction.op == Op::Gep)
      for (const AddressForm::Term &term : code.addresses[instruction.extra].terms)
        need(code, term.index);
  }

  void visitAccess(const FunctionCode &code, const Instruction &instruction) {
    bool copies = instruction.op == Op::CopyMemory;
    needOperands(code, instruction, 0, copies ? 2 : 1);
    unsigned space = code.memory[instruction.extra].addressSpace;
    if (instruction.count != 0 && isNeeded(code, instruction.dest))
      needContents(space);
    if (!(contentsOf(space) & contents_))
      return;
    needOperands(code, instruction, 1, instruction.operandCount);
    if (copies)
      needContents(code.memory[instruction.extra + 1].addressSpace);
  }

  void visitCall(const FunctionCode &code, const Instruction &instruction) {
    const FunctionCode &callee = *code.callees[instruction.extra];
    for (unsigned i = 0; i < instruction.operandCount && i < callee.parameterSlots; ++i)
      if (isNeeded(callee, static_cast<Operand>(i)))
        needOperands(code, instruction, i, i + 1);
    if (instruction.count == 0 || !isNeeded(code, instruction.dest) || returnsNeeded_.lookup(&callee))
      return;
    returnsNeeded_[&callee] = true;
    changed_ = true;
  }

  void drop(FunctionCode &code) {
    for (Instruction &instruction : code.instructions)
      drop(code, instruction);
    std::vector<EdgeCopy> kept;
    for (Edge &edge : code.edges) {
      uint32_t first = static_cast<uint32_t>(kept.size());
      for (uint32_t i = 0; i < edge.copies; ++i)
        if (const EdgeCopy &copy = code.copies[edge.firstCopy + i]; isNeeded(code, copy.dest))
          kept.push_back(copy);
      edge.firstCopy = first;
      edge.copies = static_cast<uint32_t>(kept.size()) - first;
    }
    code.copies = std::move(kept);
  }

  void drop(FunctionCode &code, Instruction &instruction) {
    switch (instruction.op) {
    case Op::Load:
    case Op::Store:
    case Op::AtomicRmw: {
      MemoryForm &memory = code.memory[instruction.extra];
      bool fills = instruction.op != Op::Load && (contentsOf(memory.addressSpace) & contents_);
      if (fills || (instruction.count != 0 && isNeeded(code, instruction.dest)))
        return;
      memory.scalars.clear();
      instruction.count = 0;
      return;
    }
    case Op::CompareExchange: // what it returns decides a loop, or it is rare
    case Op::CopyMemory:
    case Op::SetMemory:
    case Op::Alloca:
    case Op::Opaque: // says that it was there
    case Op::Barrier:
    case Op::Branch:
    case Op::Call:
    case Op::ConditionalBranch:
    case Op::Exit:
    case Op::Nothing:
    case Op::Return:
    case Op::Switch:
      return;
    default:
      if (instruction.count != 0 && !isNeeded(code, instruction.dest))
        instruction.op = Op::Nothing;
    }
  }

  Program &program_;
  llvm::DenseMap<const FunctionCode *, llvm::BitVector> needed_; ///< by first slot of the value
  llvm::DenseMap<const FunctionCode *, bool> returnsNeeded_;
  bool keepWatched_;
  Contents contents_ = 0;
  bool changed_ = false;
};

} // namespace

void dropUncountedValues(Program &program, bool keepWatched) {
  Slice(program, keepWatched).run();
}

} // namespace warpwright::simt
