#pragma once

#include "feedback/evaluators/virtual/lowering/ptx/Frame.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace warpwright::vdevice::ptx {

/// Arithmetic on registers of PTX: bits to numbers and back, element by element. A bfloat16 is computed with
/// as a float, and rounded where it becomes bits again.
class Numbers {
public:
  Numbers(LoweringState &state, llvm::IRBuilder<> &builder, bool flushes)
      : state_(state), builder_(builder), arithmetic_(state, builder), flushes_(flushes) {}

  static Type element(Type type) { return {type.kind, type.bits, false}; }
  /// The bits of element `index`.
  llvm::Value *part(llvm::Value *bits, unsigned index, Type type);
  llvm::Value *join(llvm::Value *low, llvm::Value *high);

  using Element = llvm::function_ref<llvm::Value *(Type, llvm::ArrayRef<llvm::Value *>)>;
  /// Applies `function` to the bits of each element; it returns bits.
  llvm::Value *perElement(Type type, llvm::ArrayRef<llvm::Value *> operands, Element function);

  /// A number of the host's: half, float (of bf16, too) or double; denormals flushed where that is asked for.
  llvm::Value *unpack(llvm::Value *bits, Type type);
  llvm::Value *pack(llvm::Value *number, Type type);
  llvm::Value *one(Type type);

  /// The number that an instruction computes from elements; null where it is not covered.
  llvm::Value *arithmetic(llvm::StringRef name, Type type, llvm::ArrayRef<llvm::Value *> bits,
                          std::optional<Rounding> rounding, bool approximate, bool keepsNaN);
  /// Negative numbers become 0, NaN the canonical one.
  llvm::Value *rectified(llvm::Value *number);

  llvm::Value *compareIntegers(llvm::StringRef comparison, Type type, llvm::Value *a, llvm::Value *b);
  llvm::Value *compareNumbers(llvm::StringRef comparison, llvm::Value *a, llvm::Value *b);

  llvm::Value *convert(llvm::Value *bits, Type from, Type to, std::optional<Rounding> rounding,
                       bool saturates, bool rectifies);
  llvm::Value *extend(llvm::Value *value, llvm::Type *type, bool isSigned);

private:
  llvm::Value *floatToBFloat(llvm::Value *number, Rounding rounding);
  llvm::Value *convertToInteger(llvm::Value *number, Type to, Rounding rounding);

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  ArithmeticBuilder arithmetic_;
  bool flushes_;
};

} // namespace warpwright::vdevice::ptx
