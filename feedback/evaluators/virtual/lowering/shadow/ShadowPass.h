#pragma once

#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <tuple>

namespace warpwright::vdevice {

/// The shadows of one function, which calls no other function of the user. A number of any floating type has
/// a double, a vector of numbers a vector of doubles.
class ShadowPass {
public:
  ShadowPass(LoweringState &state, llvm::Function &function) : state_(state), function_(function) {}
  void run();

private:
  using Builder = llvm::IRBuilder<>;

  // Shadow.cpp: values.
  void visit(llvm::Instruction &instruction);
  llvm::Value *build(llvm::Instruction &instruction);
  llvm::Value *buildOperation(Builder &builder, llvm::Instruction &instruction);
  llvm::Value *buildExtract(Builder &builder, llvm::ExtractValueInst &extract);
  llvm::Value *remainder(Builder &builder, llvm::Value &result, llvm::Value &dividend, llvm::Value &divisor);
  llvm::Value *lesser(Builder &builder, llvm::Value &result, llvm::Value &first, llvm::Value &second);
  void finishPhis();
  llvm::Value *of(llvm::Value *number);
  llvm::Value *ofConstant(llvm::Constant *constant);
  /// The number's own value as a double.
  llvm::Value *widened(Builder &builder, llvm::Value *number);
  /// The shadow, or the number's own value where the shadow is no number and that is one.
  llvm::Value *orOriginal(Builder &builder, llvm::Value *shadow, llvm::Value *number);
  llvm::Type *wideType(llvm::Type *type);
  static Builder after(llvm::Instruction &instruction);

  // ShadowCalls.cpp
  llvm::Value *buildCall(llvm::CallInst &call);
  llvm::Value *buildIntrinsic(Builder &builder, llvm::IntrinsicInst &call);
  llvm::Value *buildRuntimeCall(Builder &builder, llvm::CallInst &call, llvm::StringRef name);
  llvm::Value *buildLibraryCall(Builder &builder, llvm::CallInst &call, llvm::StringRef name);
  llvm::Value *buildOperationCall(Builder &builder, llvm::StringRef operation,
                                  llvm::ArrayRef<llvm::Value *> operands);
  void visitSinCos(llvm::CallInst &call, llvm::StringRef sibling);

  // ShadowAccesses.cpp
  void visitLoad(llvm::LoadInst &load);
  void visitStore(llvm::StoreInst &store);
  void storeIntegers(llvm::StoreInst &store);
  void visitAtomic(llvm::AtomicRMWInst &atomic);
  void visitNumberAtomic(llvm::AtomicRMWInst &atomic);
  void visitExchange(llvm::AtomicCmpXchgInst &exchange);
  void visitMemory(llvm::Instruction &instruction);
  llvm::Value *loadShadow(Builder &builder, llvm::Value *pointer, uint64_t offset, unsigned bytes,
                          llvm::Value *bits, llvm::Value *fallback);
  void storeShadow(Builder &builder, llvm::Value *pointer, uint64_t offset, unsigned bytes, llvm::Value *bits,
                   llvm::Value *shadow);
  void storeNumber(Builder &builder, llvm::Value *pointer, llvm::Value *number, llvm::Value *shadow);
  void forget(Builder &builder, llvm::Value *pointer, llvm::Value *bytes);
  /// `width` bits of an integer or a vector from bit `at` on, as 64 bits.
  llvm::Value *bitsOf(Builder &builder, llvm::Value *value, unsigned at, unsigned width);

  // IntegerShadows.cpp: numbers inside integers.
  /// The shadow of the number of `width` bits that begins at bit `at` of an integer or a vector of integers,
  /// or ShadowMemory's unknown value, as a double. Null where the integer's bits were computed. `partial`:
  /// the number may reach beyond the integer, or lack bits in it.
  llvm::Value *integer(llvm::Value *value, unsigned width, int at, bool partial = false);
  llvm::Value *buildInteger(llvm::Instruction &instruction, unsigned width, int at, bool partial);
  llvm::Value *buildOr(llvm::Instruction &instruction, unsigned width, int at, bool partial);
  llvm::Value *buildVectorMove(llvm::Instruction &instruction, unsigned width, int at, bool partial);
  llvm::Value *buildIntegerCall(llvm::CallInst &call, unsigned width, int at, bool partial);
  llvm::Value *buildShuffle(llvm::CallInst &call, unsigned width, int at, bool partial);
  llvm::Value *ofShort(Builder &builder, llvm::Value *bits, bool isHalf);
  /// As integer(); where it is null, what the bits come from is checked, and they are unknown.
  llvm::Value *integerOrUnknown(llvm::Value *value, unsigned width, int at, llvm::Instruction &use);
  /// The shadow of a number of which `bits` are the bits.
  llvm::Value *ofBits(llvm::Instruction &number, llvm::Value *bits);
  llvm::Value *known(Builder &builder, llvm::Value *shadow, llvm::Value *fallback);
  llvm::Constant *unknown();
  void checkBits(llvm::Instruction &use, llvm::Value &bits);
  void lose(llvm::Instruction &where, llvm::StringRef reason);
  llvm::Value *text(Builder &builder, llvm::StringRef reason);

  struct IntegerPhi {
    llvm::PHINode *phi;
    llvm::PHINode *shadow;
    unsigned width;
    int at;
  };

  LoweringState &state_;
  llvm::Function &function_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> shadows_;
  std::map<std::tuple<llvm::Value *, unsigned, int, bool>, llvm::Value *> integers_;
  llvm::SmallVector<IntegerPhi> integerPhis_;        ///< whose incoming values are still missing
  llvm::DenseMap<llvm::CallInst *, unsigned> slots_; ///< taken of those of a shuffle
  llvm::SmallPtrSet<llvm::Instruction *, 16> probed_;
  std::map<std::string, llvm::Value *> texts_;
};

} // namespace warpwright::vdevice
