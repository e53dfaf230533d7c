#pragma once

#include "analysis/ir/InlinePtx.h"
#include "feedback/evaluators/virtual/lowering/Arithmetic.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <map>
#include <string>

namespace warpwright::vdevice::ptx {

/// Of LLVM's back end for NVPTX.
enum : unsigned { GenericSpace = 0, GlobalSpace = 1, SharedSpace = 3, ConstantSpace = 4, LocalSpace = 5 };

/// A type as opcodes spell it.
struct Type {
  enum class Kind { Unsigned, Signed, Bits, Half, BFloat, Float, Double, Predicate };
  Kind kind = Kind::Bits;
  unsigned bits = 32;  ///< of one element
  bool packed = false; ///< two of them in a word

  bool isFloating() const {
    return kind == Kind::Half || kind == Kind::BFloat || kind == Kind::Float || kind == Kind::Double;
  }
  bool isSigned() const { return kind == Kind::Signed; }
  unsigned width() const { return packed ? 2 * bits : bits; }
  bool operator==(const Type &) const = default;
};

/// "f16x2", "s32", "pred", ...; nothing for what is no type.
std::optional<Type> readType(llvm::StringRef text);
/// Those among the parts of an opcode, in order.
llvm::SmallVector<Type, 4> typesOf(const PtxInstruction &instruction);

/// The registers of one inline asm: its operands and what its text declares. Each is a number of bits; an
/// instruction says what they mean.
class Frame {
public:
  Frame(LoweringState &state, llvm::CallInst &call, llvm::IRBuilder<> &builder);

  /// The bits of an operand in `width`: a register, a special register, a literal, `{a, b}`. Null where it
  /// cannot be read.
  llvm::Value *read(const PtxOperand &operand, unsigned width);
  llvm::Value *read(llvm::StringRef text, unsigned width);
  /// `!p` and `p`.
  llvm::Value *readPredicate(llvm::StringRef text);
  /// Sets a register, or those of `{a, b}` from the low bits on. `_` is nobody. With a guard the register
  /// keeps what it held where that is false.
  bool write(llvm::StringRef text, llvm::Value *bits, llvm::Value *guard);
  /// An address: of an operand in brackets, as a pointer of the address space.
  llvm::Value *address(const PtxOperand &operand, unsigned addressSpace);

  using Registers = std::map<std::string, llvm::Value *>;
  const Registers &registers() const { return registers_; }
  /// Where the builder stands two ways meet: from `before` with what the registers held there, and from
  /// `inside` with what they hold now. A register that only one has is zero in the other.
  void merge(const Registers &held, llvm::BasicBlock *before, llvm::BasicBlock *inside);

  /// What the asm returns, once all of its instructions are done; null where an output was never set.
  llvm::Value *result();

private:
  static std::string nameOf(llvm::StringRef text);
  llvm::Value *literal(llvm::StringRef text, unsigned width);

  LoweringState &state_;
  llvm::CallInst &call_;
  llvm::IRBuilder<> &builder_;
  Registers registers_;
  unsigned outputs_ = 0;
};

/// Parts of "{a, b}"; the text itself where it is none.
llvm::SmallVector<std::string, 4> elementsOf(llvm::StringRef text);

} // namespace warpwright::vdevice::ptx
