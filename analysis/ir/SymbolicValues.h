#pragma once

#include "analysis/ir/Expression.h"
#include "analysis/ir/KernelView.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <map>
#include <memory>

namespace warpwright {

/// How the bits of a value narrower than 64 are read as an integer.
enum class Reading : uint8_t { Signed, Unsigned };

/// An integer value as a polynomial, with what it supposes.
struct SymbolicInteger {
  Expression value;
  unsigned suppositions = 0; ///< bits of Supposition

  enum Supposition : unsigned {
    NoWrap = 1,      ///< arithmetic of fewer than 64 bits does not wrap
    CounterFits = 2, ///< a loop counter does not wrap
    FitsNarrow = 4,  ///< a value fits the narrower type it is truncated to
    NotNegative = 8  ///< a value extended as unsigned is below half of its range
  };
};

/// `index arithmetic does not wrap, a loop counter does not wrap`; empty for no suppositions.
std::string describeSuppositions(unsigned suppositions);
/// `value` with what both operands suppose.
SymbolicInteger combine(const SymbolicInteger &left, const SymbolicInteger &right, Expression value);
/// The value with the grade its suppositions leave it.
Fact<Expression> gradeOf(SymbolicInteger value);

/// Where a pointer points: an object and a byte offset from its start.
struct SymbolicAddress {
  Fact<MemoryObject> object = Fact<MemoryObject>::unknown("not analysed");
  MemorySpace space = MemorySpace::Generic;
  std::optional<SymbolicInteger> offset; ///< none: reason says why
  std::string reason;
};

/// Reads IR values of one kernel as polynomials over thread and block indices, loop counters and scalars.
/// Machine arithmetic that could wrap is taken as exact and the supposition recorded: an index that wraps
/// between lanes is no program anybody meant, but it is not proved absent.
class SymbolicValues {
public:
  SymbolicValues(const KernelView &view, SymbolTable &table) : view_(view), table_(table) {}

  SymbolicInteger integer(const llvm::Value *value, Reading reading);
  /// The same as seen at `user`: a loop's counter has no meaning behind the loop and becomes an opaque symbol
  /// there.
  SymbolicInteger integerAt(const llvm::Value *value, Reading reading, const llvm::Instruction &user);
  SymbolicAddress address(const llvm::Value *pointer, const llvm::Instruction &user);
  /// The address an integer stands for: a pointer cast to an integer, plus bytes (operands of inline PTX).
  SymbolicAddress addressOfInteger(const llvm::Value *value, const llvm::Instruction &user);

  /// What `value` is computed from: thread and block axes, loaded data. Kind and text are empty.
  Symbol dependences(const llvm::Value *value) const;

  const Symbol *loopCounter(const llvm::Loop *loop);
  const Symbol *threadIndex(unsigned axis);
  const Symbol *blockIndex(unsigned axis);
  const Symbol *blockExtent(unsigned axis);
  const Symbol *gridExtent(unsigned axis);
  /// A symbol for the result of an operation on expressions, `ceil_div(n, 4)`, with the traits of its
  /// operands.
  const Symbol *derived(std::string text, std::initializer_list<Expression> operands, bool mayBeNegative);

  /// A condition as a person would write it: `threadIdx.x % 2 == 0 && i < n`.
  std::string conditionText(const llvm::Value *condition, unsigned depth = 0);
  /// Any value in few words: a constant, an index expression, `in[i]`, or the name the IR has.
  std::string valueText(const llvm::Value *value, Reading reading = Reading::Signed, unsigned depth = 0);

  /// `in[(y + 8 * iter(j)) * n + x]`, the offset in elements of `bytes`.
  std::string indexText(const SymbolicAddress &address, uint64_t bytes);

  SymbolTable &table() { return table_; }
  const KernelView &view() const { return view_; }

private:
  SymbolicInteger compute(const llvm::Value *value, Reading reading);
  SymbolicInteger computeOperator(const llvm::Operator *operation, Reading reading);
  SymbolicInteger computeSum(const llvm::OverflowingBinaryOperator *operation, Reading reading);
  SymbolicInteger computeCast(const llvm::Operator *operation, Reading reading);
  SymbolicInteger computeBits(const llvm::Operator *operation, Reading reading);
  SymbolicInteger computeDivision(const llvm::Operator *operation, Reading reading);
  SymbolicInteger computeIntrinsic(const llvm::IntrinsicInst *call, Reading reading);
  SymbolicInteger computePhi(const llvm::PHINode *phi, Reading reading);
  SymbolicInteger computeLoad(const llvm::LoadInst *load, Reading reading);
  SymbolicInteger pureSymbol(const llvm::Value *value, llvm::Twine text,
                             llvm::ArrayRef<SymbolicInteger> operands, bool mayBeNegative,
                             std::optional<int64_t> maximum = std::nullopt);
  SymbolicInteger opaque(const llvm::Value *value);
  std::optional<SymbolicInteger> fromEvolution(const llvm::SCEV *expression);
  SymbolicAddress base(const llvm::Value *pointer, const llvm::Instruction &user);
  SymbolicAddress pointerPhi(const llvm::PHINode *phi, const llvm::Instruction &user);
  bool isByValueLoad(const llvm::Instruction *instruction) const;
  SymbolicInteger leaveLoops(SymbolicInteger value, const llvm::Instruction &user);
  std::optional<std::pair<unsigned, uint64_t>> byValueMember(const llvm::Value *pointer) const;
  const Symbol *makeOpaque(std::string text, std::string key, const Symbol &traits);

  const KernelView &view_;
  SymbolTable &table_;
  llvm::DenseMap<std::pair<const llvm::Value *, unsigned>, SymbolicInteger> cache_;
  std::map<std::string, const Symbol *> opaqueByKey_;
  llvm::DenseMap<const Symbol *, const llvm::Value *>
      pointerOfSymbol_; ///< pointers that were cast to integers
  llvm::DenseSet<const llvm::PHINode *> pointersBeingRead_;
};

/// True when the value is the same in every lane of a warp, as far as can be
/// seen.
bool isUniform(const KernelView &view, const llvm::Value *value);

} // namespace warpwright
