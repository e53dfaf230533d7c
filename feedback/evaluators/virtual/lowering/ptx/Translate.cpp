#include "feedback/evaluators/virtual/lowering/ptx/Translate.h"

#include "feedback/evaluators/virtual/lowering/ptx/Arithmetic.h"
#include "feedback/evaluators/virtual/lowering/ptx/Matrices.h"
#include "feedback/evaluators/virtual/lowering/ptx/Memory.h"
#include "feedback/evaluators/virtual/lowering/ptx/Synchronisation.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace warpwright::vdevice {
namespace {

/// Whether a scope of the text declares a register that one around it declares, too: registers are known by
/// their names alone here. Names in the text are short, and so are texts.
bool hidesRegisters(llvm::StringRef text) {
  llvm::SmallVector<llvm::SmallVector<llvm::StringRef, 8>, 4> scopes(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{')
      scopes.emplace_back();
    if (text[i] == '}' && scopes.size() > 1)
      scopes.pop_back();
    if (!text.substr(i).starts_with(".reg"))
      continue;
    llvm::StringRef declaration = text.substr(i).take_until([](char c) { return c == ';'; });
    i += declaration.size();
    llvm::SmallVector<llvm::StringRef, 8> names;
    llvm::SplitString(declaration, names, " \t\n\r,");
    for (llvm::StringRef name : llvm::drop_begin(names, std::min<size_t>(2, names.size()))) {
      if (name.contains('<'))
        return true;
      for (const auto &scope : llvm::drop_end(scopes))
        if (llvm::is_contained(scope, name))
          return true;
      scopes.back().push_back(name);
    }
  }
  return false;
}

class Translator {
public:
  Translator(LoweringState &state, llvm::CallInst &call)
      : state_(state), call_(call), builder_(&call), site_(state.siteOf(call).value_or(0)) {}

  void run() {
    const auto *assembly = llvm::cast<llvm::InlineAsm>(call_.getCalledOperand());
    llvm::StringRef text = assembly->getAsmString();
    ptx::Frame frame(state_, call_, builder_);
    bool branches = text.contains("bra ") || text.contains("bra.") || text.contains("call ");
    if (branches || hidesRegisters(text))
      return refuse(text);
    std::vector<PtxInstruction> instructions = parsePtx(text);
    if (call_.use_empty() && llvm::all_of(instructions, readsRegister)) {
      call_.eraseFromParent();
      return;
    }
    for (const PtxInstruction &instruction : instructions)
      if (!translate(instruction, frame))
        return refuse(nameOf(instruction));
    llvm::Value *result = frame.result();
    if (!result)
      return refuse(text);
    if (!call_.getType()->isVoidTy())
      call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
  }

private:
  /// Whether all it does is to read a special register, which may be any where nobody looks at what it holds.
  static bool readsRegister(const PtxInstruction &instruction) {
    return instruction.opcode.front() == "mov" && instruction.operands.size() == 2 &&
           llvm::StringRef(instruction.operands[1].text).starts_with("%");
  }

  /// With the special registers that it reads, which mostly are what is not known.
  static std::string nameOf(const PtxInstruction &instruction) {
    std::string name = instruction.name();
    for (const PtxOperand &operand : instruction.operands)
      if (llvm::StringRef(operand.text).starts_with("%"))
        name += " of " + llvm::StringRef(operand.text).str();
    return name;
  }

  void refuse(llvm::StringRef what) {
    std::string line;
    for (char c : what.take_front(120))
      line += llvm::isSpace(c) ? ' ' : c;
    state_.notCovered("inline PTX " + llvm::StringRef(line).trim());
  }

  bool translate(const PtxInstruction &instruction, ptx::Frame &frame) {
    llvm::StringRef name = instruction.opcode.front();
    if (name.starts_with("."))
      return false;
    llvm::Value *guard = nullptr;
    if (!instruction.guard.empty()) {
      guard = frame.readPredicate(instruction.guard);
      if (!guard)
        return false;
    }
    if (isPtxArithmetic(instruction) && name != "isspacep")
      return ptx::buildArithmetic(state_, builder_, instruction, frame, guard);
    // The device library computes, and nothing else.
    if (!state_.functions.contains(call_.getFunction()))
      return false;
    return guard ? translateGuarded(instruction, frame, guard) : translateEffect(instruction, frame);
  }

  /// In a block of its own; registers keep what they held where the guard is false.
  bool translateGuarded(const PtxInstruction &instruction, ptx::Frame &frame, llvm::Value *guard) {
    llvm::BasicBlock *before = call_.getParent();
    llvm::Instruction *end =
        llvm::SplitBlockAndInsertIfThen(guard, call_.getIterator(), /*Unreachable=*/false);
    ptx::Frame::Registers registers = frame.registers();
    builder_.SetInsertPoint(end);
    bool known = translateEffect(instruction, frame);
    llvm::BasicBlock *inside = end->getParent();
    builder_.SetInsertPoint(call_.getParent(), call_.getParent()->begin());
    frame.merge(registers, before, inside);
    builder_.SetInsertPoint(&call_);
    return known;
  }

  /// What does more than compute.
  bool translateEffect(const PtxInstruction &instruction, ptx::Frame &frame) {
    llvm::StringRef name = instruction.opcode.front();
    if (name == "prefetch" || name == "prefetchu" || name == "applypriority" || name == "discard" ||
        name == "griddepcontrol" || name == "setmaxnreg")
      return true;
    // A policy of caches is a number that nothing here looks at.
    if (name == "createpolicy")
      return frame.write(instruction.operands.front().text, builder_.getInt64(0), nullptr);
    if (name == "ldmatrix" || name == "stmatrix" || name == "movmatrix" || name == "mma")
      return builder_.GetInsertPoint() == call_.getIterator() &&
             ptx::buildMatrices(state_, builder_, call_, instruction, frame, site_);
    if (name == "ld" || name == "ldu" || name == "st" || name == "atom" || name == "red" || name == "cp")
      return ptx::buildMemory(state_, builder_, instruction, frame, site_);
    return ptx::buildSynchronisation(state_, builder_, call_, instruction, frame);
  }

  LoweringState &state_;
  llvm::CallInst &call_;
  llvm::IRBuilder<> builder_;
  uint32_t site_;
};

} // namespace

void translateInlineAsm(LoweringState &state) {
  // Listed first: blocks are split on the way.
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : state.module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && call->isInlineAsm())
        calls.push_back(call);
    }
  for (llvm::CallInst *call : calls)
    if (state.uncovered.empty())
      Translator(state, *call).run();
}

} // namespace warpwright::vdevice
