#include "analysis/simt/Decoder.h"
#include "analysis/simt/InlineAsm.h"
#include "analysis/simt/Math.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Intrinsics.h>

#include <optional>

namespace warpwright::simt {
namespace {

std::optional<SpecialRegister> findRegister(llvm::StringRef name) {
  using R = SpecialRegister;
  if (!name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return std::nullopt;
  if (std::optional<R> known = findSpecialRegister(name))
    return known;
  // Launches of these forms have no clusters: every block is one.
  return llvm::StringSwitch<R>(name)
      .Case("clusterid.x", R::CtaIdX)
      .Case("clusterid.y", R::CtaIdY)
      .Case("clusterid.z", R::CtaIdZ)
      .Case("nclusterid.x", R::NCtaIdX)
      .Case("nclusterid.y", R::NCtaIdY)
      .Case("nclusterid.z", R::NCtaIdZ)
      .Cases({"cluster.ctaid.x", "cluster.ctaid.y", "cluster.ctaid.z", "cluster.ctarank"}, R::Zero)
      .Cases({"cluster.nctaid.x", "cluster.nctaid.y", "cluster.nctaid.z", "cluster.nctarank"}, R::One)
      .Default(R::Unpredictable);
}

std::optional<LaneExchange> findExchange(llvm::StringRef name) {
  return name.consume_front("llvm.nvvm.") ? consumeLaneExchange(name) : std::nullopt;
}

/// Calls that cost nothing worth counting and return nothing.
bool isIgnored(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"llvm.assume",
                                 "llvm.dbg.",
                                 "llvm.donothing",
                                 "llvm.experimental.noalias",
                                 "llvm.invariant.",
                                 "llvm.lifetime.",
                                 "llvm.nvvm.bar.warp",
                                 "llvm.nvvm.barrier.cluster.arrive",
                                 "llvm.nvvm.cp.async.commit",
                                 "llvm.nvvm.cp.async.wait",
                                 "llvm.nvvm.fence",
                                 "llvm.nvvm.membar",
                                 "llvm.nvvm.prefetch",
                                 "llvm.nvvm.nanosleep",
                                 "llvm.prefetch",
                                 "llvm.pseudoprobe",
                                 "llvm.sideeffect",
                                 "llvm.trap",
                                 "llvm.debugtrap",
                                 "llvm.ubsantrap"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// Calls whose result is their first operand.
bool isIdentity(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"llvm.annotation", "llvm.expect", "llvm.launder.invariant",
                                 "llvm.ptr.annotation", "llvm.ssa.copy", "llvm.strip.invariant"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

/// Library functions that leave every counted access alone.
bool isTolerated(llvm::StringRef name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
         name.starts_with("__nv_");
}

} // namespace

void Decoder::decodeCall(const llvm::CallBase &call) {
  if (call.isInlineAsm())
    return decodeInlineAsm(call);
  const llvm::Function *callee = call.getCalledFunction();
  if (!callee)
    return decodeOpaque(call, "a call through a pointer");
  if (callee->isIntrinsic() || callee->isDeclaration()) {
    if (!decodeIntrinsic(call, callee->getName()))
      decodeOpaque(call, !isTolerated(callee->getName()) && call.mayReadOrWriteMemory() &&
                                 !call.onlyAccessesInaccessibleMemory()
                             ? "a call of " + callee->getName().str()
                             : "");
    return;
  }
  Instruction instruction = start(call, Op::Call, InstructionClass::Control);
  Scalars scalars;
  flatten(call.getType(), scalars);
  instruction.count = static_cast<uint16_t>(slotsOf(scalars));
  llvm::SmallVector<Operand, 8> slots;
  for (const llvm::Value *argument : call.args()) {
    Scalars shape;
    flatten(argument->getType(), shape);
    for (unsigned i = 0, count = slotsOf(shape); i < count; ++i)
      slots.push_back(slotAt(operand(argument), i));
  }
  instruction.extra = static_cast<int32_t>(code_.callees.size());
  code_.callees.push_back(codeOf(program_, *callee));
  finish(instruction, slots);
}

bool Decoder::decodeMath(const llvm::CallBase &call, llvm::StringRef name) {
  std::optional<MathEntry> entry = findMathFunction(name);
  if (!entry || call.arg_empty() || call.getType()->isVoidTy())
    return false;
  Instruction instruction = start(call, Op::Math, entry->kind);
  Scalars first;
  flatten(call.getArgOperand(0)->getType(), first);
  instruction.detail = static_cast<uint8_t>(entry->function);
  instruction.fromScalar = first.front().kind;
  instruction.fromBits = first.front().bits;
  bool overflows = call.getType()->isStructTy();
  if (instruction.bits > 64 || instruction.fromBits > 64 || (overflows && instruction.count != 2))
    return false;
  if (instruction.kind == InstructionClass::Float32 && instruction.scalar == ScalarKind::Double)
    instruction.kind = InstructionClass::Float64;
  if (instruction.kind == InstructionClass::Integer && instruction.scalar != ScalarKind::Integer &&
      instruction.fromScalar != ScalarKind::Integer)
    instruction.kind = InstructionClass::Float32;
  instruction.extra = 0; // one bit for each operand that is a vector
  llvm::SmallVector<Operand, 3> operands;
  for (const llvm::Value *argument : call.args()) {
    if (argument->getType()->isVectorTy())
      instruction.extra |= 1 << operands.size();
    operands.push_back(operand(argument));
  }
  if (operands.size() > 3)
    return false;
  finish(instruction, operands);
  return true;
}

bool Decoder::decodeAsyncCopy(const llvm::CallBase &call, llvm::StringRef name) {
  // llvm.nvvm.cp.async.{ca,cg}.shared.global.<bytes>[.s]; .s has the number of source bytes as a third
  // operand.
  name.consume_back(".s");
  auto [prefix, number] = name.rsplit('.');
  unsigned bytes = 0;
  if (!prefix.starts_with("llvm.nvvm.cp.async.c") || number.getAsInteger(10, bytes) || bytes > 16)
    return false;
  decodeAsmAccess(call, AccessKind::AsyncCopy, GlobalSpace, bytes, allLanes, operand(call.getArgOperand(1)),
                  0);
  decodeAsmAccess(call, AccessKind::AsyncCopy, SharedSpace, bytes, allLanes, operand(call.getArgOperand(0)),
                  0);
  return true;
}

bool Decoder::decodeIntrinsic(const llvm::CallBase &call, llvm::StringRef name) {
  if (isIgnored(name))
    return true;
  if (decodeBlockMemory(call))
    return true;
  if (std::optional<SpecialRegister> reg = findRegister(name)) {
    Instruction instruction = start(call, Op::SpecialRegister, InstructionClass::Integer);
    instruction.detail = static_cast<uint8_t>(*reg);
    finish(instruction, {});
    return true;
  }
  if (std::optional<LaneExchange> exchange = findExchange(name)) {
    Instruction instruction = start(call, Op::LaneExchange, InstructionClass::Shuffle);
    instruction.detail = static_cast<uint8_t>(*exchange);
    llvm::SmallVector<Operand, 4> operands;
    for (const llvm::Value *argument : call.args())
      operands.push_back(operand(argument));
    Scalars value;
    for (const llvm::Value *argument : call.args())
      flatten(argument->getType(), value);
    instruction.fromBits = value.empty() ? 0 : value.back().bits;
    finish(instruction, operands);
    return true;
  }
  if (name == "llvm.nvvm.exit") {
    Instruction instruction = start(call, Op::Exit, InstructionClass::Control);
    finish(instruction, {});
    return true;
  }
  if (name.starts_with("llvm.nvvm.barrier")) {
    decodeOpaque(call); // reductions over a block are not followed
    Instruction instruction = start(call, Op::Barrier, InstructionClass::Barrier);
    finish(instruction, {});
    return true;
  }
  if (name.starts_with("llvm.nvvm.ldg.") || name.starts_with("llvm.nvvm.ldu.")) {
    const auto *alignment = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    decodeAccess(call, Op::Load, AccessKind::Load, call.getType(),
                 llvm::Align(alignment ? std::max<uint64_t>(1, alignment->getZExtValue()) : 1),
                 call.getArgOperand(0), {});
    return true;
  }
  if (isIdentity(name)) {
    decodeRepack(call, call.getArgOperand(0));
    return true;
  }
  return decodeAsyncCopy(call, name) || decodeMath(call, name);
}

void Decoder::decodeInlineAsm(const llvm::CallBase &call) {
  const auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  AsmEffects effects = readInlineAsm(assembly->getAsmString());
  unsigned outputs = 0;
  for (const llvm::InlineAsm::ConstraintInfo &constraint : assembly->ParseConstraints())
    outputs += constraint.Type == llvm::InlineAsm::isOutput && !constraint.isIndirect;
  for (const AsmAccess &access : effects.accesses) {
    if (access.operand < outputs || access.operand - outputs >= call.arg_size()) {
      effects.unknown = "inline PTX whose address is no input";
      continue;
    }
    LaneMask lanes = access.addressLanes == warpSize ? allLanes : (LaneMask(1) << access.addressLanes) - 1;
    decodeAsmAccess(call, access.kind, access.addressSpace, access.bytes, lanes,
                    operand(call.getArgOperand(access.operand - outputs)), access.offset);
  }
  if (effects.castsToShared && call.arg_size() == 1 && effects.accesses.empty() &&
      call.getType()->isIntegerTy()) {
    Instruction instruction = start(call, Op::SpaceCast, InstructionClass::None);
    instruction.fromBits = GenericSpace;
    instruction.detail = SharedSpace;
    return finish(instruction, operand(call.getArgOperand(0)));
  }
  if (effects.isBarrier) {
    Instruction instruction = start(call, Op::Barrier, InstructionClass::Barrier);
    finish(instruction, {});
  }
  decodeOpaque(call, effects.unknown);
  code_.instructions.back().detail = effects.yieldsTrue;
}

} // namespace warpwright::simt
