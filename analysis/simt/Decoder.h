#pragma once

#include "analysis/simt/Decode.h"
#include "analysis/simt/Flatten.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>

namespace warpwright::simt {

using Scalars = llvm::SmallVector<ScalarShape, 4>;

/// Turns one function into FunctionCode. Used by decodeProgram alone.
class Decoder {
public:
  Decoder(Program &program, const llvm::Function &function, FunctionCode &code);
  void run();

private:
  using LlvmInstruction = llvm::Instruction;

  // Decode.cpp: registers, control flow
  void assignRegisters();
  void computeJoins();
  void findLoops();
  Operand constant(const llvm::Constant *value);
  Operand operand(const llvm::Value *value);
  bool flatten(llvm::Type *type, Scalars &scalars) const;
  bool representable(const LlvmInstruction &source) const;
  warpwright::simt::Instruction start(const LlvmInstruction &source, Op op, InstructionClass kind) const;
  void finish(warpwright::simt::Instruction &instruction, llvm::ArrayRef<Operand> operands);
  void addEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to);
  void decodeTerminator(const LlvmInstruction &source);
  void decodeSwitch(const llvm::SwitchInst &source);

  // DecodePredication.cpp
  void markPredicated();
  bool isGuarded(const llvm::BasicBlock &block) const;
  bool fitsPredicate(const Block &block) const;

  // DecodeValues.cpp: everything that computes
  void decode(const LlvmInstruction &source);
  void decodeBinary(const LlvmInstruction &source);
  void decodeCast(const llvm::CastInst &cast);
  void decodeCopy(const LlvmInstruction &source, llvm::ArrayRef<Operand> slots);
  void decodeRepack(const LlvmInstruction &source, const llvm::Value *from);
  void decodeGep(const llvm::GetElementPtrInst &gep);
  void decodeSelect(const llvm::SelectInst &select);
  bool decodeElements(const LlvmInstruction &source);
  void decodeShuffleVector(const llvm::ShuffleVectorInst &shuffle);
  void decodeAggregate(const LlvmInstruction &source);
  void decodeOpaque(const LlvmInstruction &source, std::string unknown = {});

  // DecodeMemory.cpp: loads, stores, atomics, calls
  bool decodeMemory(const LlvmInstruction &source);
  void decodeAccess(const LlvmInstruction &source, Op op, AccessKind access, llvm::Type *type,
                    llvm::Align alignment, const llvm::Value *pointer, llvm::ArrayRef<Operand> values);
  void decodeAlloca(const llvm::AllocaInst &alloca);
  int32_t addMemory(MemoryForm form, const LlvmInstruction &source);
  void decodeCall(const llvm::CallBase &call);
  bool decodeIntrinsic(const llvm::CallBase &call, llvm::StringRef name);
  bool decodeMath(const llvm::CallBase &call, llvm::StringRef name);
  void decodeInlineAsm(const llvm::CallBase &call);
  void decodeAsmAccess(const llvm::CallBase &call, AccessKind kind, unsigned addressSpace, unsigned bytes,
                       LaneMask lanes, Operand base, int64_t offset);
  bool decodeAsyncCopy(const llvm::CallBase &call, llvm::StringRef name);
  bool decodeBlockMemory(const llvm::CallBase &call);

  Program &program_;
  const llvm::Function &function_;
  FunctionCode &code_;
  const llvm::DataLayout &layout_;
  llvm::DenseMap<const llvm::Value *, Operand> registers_;
  llvm::DenseMap<const llvm::Constant *, Operand> constants_;
  llvm::DenseMap<const llvm::BasicBlock *, int32_t> blockNumbers_;
  llvm::LoopInfo loopInfo_;
  llvm::DenseMap<const llvm::BasicBlock *, int32_t> loopNumbers_; ///< by header
};

/// The code of a function of the program, decoded at first use. Null for one without a body.
const FunctionCode *codeOf(Program &program, const llvm::Function &function);

} // namespace warpwright::simt
