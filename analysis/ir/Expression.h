#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpwright {

/// What a symbol of an Expression stands for.
enum class SymbolKind : uint8_t {
  ThreadIndex, ///< threadIdx.{x,y,z}; index is the axis
  BlockIndex,  ///< blockIdx.{x,y,z}
  BlockExtent, ///< blockDim.{x,y,z}
  GridExtent,  ///< gridDim.{x,y,z}
  LoopCounter, ///< how often the loop has gone round, from 0; index is the loop's id
  Parameter,   ///< a scalar kernel parameter, or a member of one passed by value; index is its position
  Opaque       ///< any other integer, known only by its text: `threadIdx.x / 2`, a loaded value
};

/// One unknown. Symbols live in a SymbolTable: equal symbols are the same object.
struct Symbol {
  SymbolKind kind = SymbolKind::Opaque;
  unsigned index = 0;         ///< axis 0..2, loop id, parameter position, or a running number
  unsigned order = 0;         ///< in which the table met it; makes printing deterministic
  std::string text;           ///< as a person would write it
  bool threadAxes[3] = {};    ///< its value may change with threadIdx.{x,y,z}
  bool blockAxes[3] = {};     ///< its value may change with blockIdx.{x,y,z}
  bool dataDependent = false; ///< it comes out of a load, an atomic, a shuffle or an unknown call
  bool mayBeNegative = true;
  std::optional<int64_t> maximum; ///< its largest possible value, where a mask or a remainder gives one
  bool compound = false; ///< its text is an operation, which needs parentheses within a sum or product
  llvm::SmallVector<unsigned, 2> loops; ///< ids of the loops whose iterations may change it

  bool variesByThread() const { return threadAxes[0] || threadAxes[1] || threadAxes[2]; }
};

/// Owns symbols. Expressions point into it and must not outlive it; KernelFacts shares its ownership.
class SymbolTable {
public:
  /// The symbol of this kind, index and text, made from `like` when it is new. Not for opaque symbols: two of
  /// them may read the same and differ, as a value loaded twice does.
  const Symbol *intern(Symbol like);
  /// A new symbol, different from all others.
  const Symbol *make(Symbol like);
  const Symbol *find(SymbolKind kind, unsigned index) const;

private:
  std::deque<Symbol> symbols_;
};

/// A polynomial with 64-bit integer coefficients over symbols, in exact integer arithmetic: what an index
/// means as long as its machine arithmetic does not wrap. Whoever makes one says with a Grade whether that is
/// proved.
class Expression {
public:
  using Monomial = llvm::SmallVector<const Symbol *, 3>; ///< sorted by order; empty for the constant part

  Expression() = default;
  Expression(int64_t constant);
  Expression(const Symbol *symbol);

  Expression operator+(const Expression &other) const;
  Expression operator-(const Expression &other) const;
  Expression operator*(const Expression &other) const;
  bool operator==(const Expression &other) const { return terms_ == other.terms_; }

  /// False when a coefficient left the 64-bit range; such an expression says nothing.
  bool valid() const { return valid_; }
  bool isZero() const { return valid_ && terms_.empty(); }
  /// The value, when no symbol is left.
  std::optional<int64_t> asConstant() const;
  int64_t constantPart() const;

  /// The factor of `symbol` where the expression is linear in it (zero where it is absent); none when it is
  /// of a higher degree.
  std::optional<Expression> coefficient(const Symbol *symbol) const;
  /// The expression without the monomials that hold `symbol`.
  Expression without(const Symbol *symbol) const;
  Expression substitute(const Symbol *symbol, const Expression &value) const;
  /// The exact quotient, when every coefficient is a multiple.
  std::optional<Expression> dividedBy(int64_t divisor) const;
  bool mentions(llvm::function_ref<bool(const Symbol &)> predicate) const;
  void forEachSymbol(llvm::function_ref<void(const Symbol *)> visit) const;

  /// The value when every symbol is given one.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(const Symbol &)> valueOf) const;

  /// `blockIdx.x * blockDim.x + threadIdx.x + 4`; "0" when empty.
  std::string text() const;
  /// text(), in parentheses when it is a sum or a compound symbol.
  std::string factorText() const;

  const std::vector<std::pair<Monomial, int64_t>> &terms() const { return terms_; }

private:
  void add(const Monomial &monomial, int64_t coefficient);

  std::vector<std::pair<Monomial, int64_t>> terms_; ///< sorted by monomial, no zero coefficients
  bool valid_ = true;
};

} // namespace warpwright
