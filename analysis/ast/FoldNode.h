#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>

namespace clang {
class Expr;
class VarDecl;
} // namespace clang

namespace warpwright {

/// An operation for which the order of its operands means nothing, rounding aside.
enum class FoldOperation { Sum, Product, Minimum, Maximum, BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr };

/// How a number came about in a piece of code, as far as the piece itself made it: from the contents that
/// shared slots had before it, from variables and expressions as one thread found them, and from constants.
struct FoldNode {
  enum class Kind { Slot, Variable, Expression, Constant, Combination };
  Kind kind = Kind::Constant;
  const void *origin = nullptr; ///< a slot's shared variable, the variable, the expression
  int64_t index = 0;            ///< a slot's byte in its variable; else the thread
  unsigned bits = 0;            ///< of the widest type among its leaves; 0 for constants

  // Of a combination.
  FoldOperation operation = FoldOperation::Sum;
  bool byComparison = false; ///< a minimum or maximum made of `<` and a choice: NaN is ordered by position
  const clang::Expr *spelling = nullptr; ///< the expression that combines
  const FoldNode *left = nullptr;
  const FoldNode *right = nullptr;
};

/// Owns nodes. Leaves of the same origin and index are the same object.
class FoldNodes {
public:
  const FoldNode *leaf(FoldNode::Kind kind, const void *origin, int64_t index, unsigned bits) {
    const FoldNode *&known = leaves_[std::tuple(static_cast<int>(kind), origin, index)];
    if (!known) {
      FoldNode node;
      node.kind = kind;
      node.origin = origin;
      node.index = index;
      node.bits = bits;
      known = &nodes_.emplace_back(node);
    }
    return known;
  }
  const FoldNode *combine(FoldOperation operation, const FoldNode *left, const FoldNode *right,
                          const clang::Expr *spelling, bool byComparison = false) {
    FoldNode node;
    node.kind = FoldNode::Kind::Combination;
    node.operation = operation;
    node.byComparison = byComparison;
    node.spelling = spelling;
    node.left = left;
    node.right = right;
    node.bits = left->bits > right->bits ? left->bits : right->bits;
    return &nodes_.emplace_back(node);
  }

private:
  std::deque<FoldNode> nodes_;
  llvm::DenseMap<std::tuple<int, const void *, int64_t>, const FoldNode *> leaves_;
};

/// A number that is one operation over leaves.
struct Fold {
  FoldOperation operation = FoldOperation::Sum;
  bool byComparison = false;
  const clang::Expr *spelling = nullptr;      ///< of the outermost combination
  llvm::SmallVector<const FoldNode *> leaves; ///< in the order of the operands
};

/// The leaves of a number that one operation alone has made; nothing where several are mixed, or none took
/// part.
std::optional<Fold> flatten(const FoldNode &root);

/// What a thread holds, as far as it is followed.
struct LaneValue {
  enum class Kind { Unknown, Integer, Number, Comparison, Address };
  Kind kind = Kind::Unknown;
  int64_t integer = 0; ///< of an address: the byte in its variable
  const FoldNode *node = nullptr;
  const FoldNode *other = nullptr; ///< of a comparison: what `node` is compared with
  unsigned comparison = 0;         ///< a clang::BinaryOperatorKind
  const clang::VarDecl *variable = nullptr;

  static LaneValue ofInteger(int64_t integer) {
    LaneValue value;
    value.kind = Kind::Integer;
    value.integer = integer;
    return value;
  }
  static LaneValue ofNumber(const FoldNode *node) {
    LaneValue value;
    value.kind = Kind::Number;
    value.node = node;
    return value;
  }
  static LaneValue ofAddress(const clang::VarDecl *variable, int64_t byte) {
    LaneValue value;
    value.kind = Kind::Address;
    value.variable = variable;
    value.integer = byte;
    return value;
  }
  bool isInteger() const { return kind == Kind::Integer; }
  bool isNumber() const { return kind == Kind::Number; }
  bool isAddress() const { return kind == Kind::Address; }
  bool isUnknown() const { return kind == Kind::Unknown; }
};

} // namespace warpwright
