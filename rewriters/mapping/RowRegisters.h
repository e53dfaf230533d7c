#pragma once

#include "rewriters/Rewriter.h"
#include "rewriters/mapping/RowCode.h"

#include <clang/AST/Type.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace clang {
class ArraySubscriptExpr;
class Expr;
class ForStmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// An element of the row that several loops read at the place of their counter, out of memory that the kernel
/// does not write.
struct RowElement {
  const clang::VarDecl *base = nullptr; ///< what the element is counted from
  clang::QualType type;
  std::vector<const clang::Expr *> reads; ///< everywhere, that of the first loop first
  /// From this loop on nothing but one expression of the element is used, so that its value takes the
  /// element's place there; null where there is none.
  const clang::ForStmt *derivedIn = nullptr;
  /// The expression around each of `reads` from that loop on; else the read itself.
  std::vector<const clang::Expr *> uses;
};

/// What lanes of a row may keep in registers between the loops that walk it.
struct RowRegisters {
  /// Loops that walk the same row: up by one, from a known place, to the same end. Another starts at 0.
  std::vector<const clang::ForStmt *> loops;
  std::vector<int64_t> starts; ///< of each
  const clang::Expr *end = nullptr;
  std::vector<RowElement> elements;

  /// Whether `count` elements are worth keeping.
  bool fits(int64_t count) const;
  /// Where the loop starts; nothing where it does not take part.
  std::optional<int64_t> startOf(const clang::ForStmt *loop) const;
};

RowRegisters findRowRegisters(const RewriteContext &context, const RowCode &code);

} // namespace warpwright
