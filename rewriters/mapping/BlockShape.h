#pragma once

#include "analysis/ast/IntegerReader.h"
#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/Rewriter.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class BinaryOperator;
} // namespace clang

namespace warpwright {

/// One axis of a launch: as many threads as there are things to do, in blocks of a constant size.
struct LaunchAxis {
  int64_t block = 1;
  std::string things; ///< an annotation's expression: of `ceil_div(n, 16)` it is `n`; empty where not known
};

/// The axes of the annotated launch. Nothing where the annotation has no grid and block, or a block that is
/// no constant.
std::optional<std::array<LaunchAxis, 3>> annotatedAxes(const KernelAnalysis &analysis);

/// How many things the threads of an axis do whose blocks the grid counts along `gridAxis`, as an
/// annotation's expression; empty where that is not known.
std::string thingsAlong(const KernelAnalysis &analysis, unsigned axis, unsigned gridAxis);

/// Whether a kernel can tell how large its block is. It cannot along an axis on which all that it asks for is
/// its thread's place in the whole grid, `blockIdx.x * blockDim.x + threadIdx.x`, and threads beyond the
/// things to do do nothing.
class BlockShape {
public:
  explicit BlockShape(const RewriteContext &context);

  /// Why another number of threads along the axis would show; empty where it would not.
  std::string whyFixed(unsigned axis) { return whyFixed(axis, axis); }
  /// The same where the kernel counts the blocks of that axis of threads along another axis of the grid, as
  /// after an exchange of thread axes. `mayBeNumber`: whoever asks copes with code that spells the block's
  /// extent as a number.
  std::string whyFixed(unsigned axis, unsigned gridAxis, bool mayBeNumber = false);
  /// The axis of the grid that some sum counts the threads of the axis along; nothing where none does.
  std::optional<unsigned> gridAxisOf(unsigned axis);
  /// The smallest sums of the axis that are the thread's place in the grid, each with what the place is
  /// multiplied by and what is added to it. Together they hold every use of the axis once whyFixed() is
  /// empty.
  struct PlaceSum {
    const clang::BinaryOperator *sum = nullptr;
    Expression factor, rest;
    bool isNumber = false; ///< it spells the block's extent as a number
  };
  std::vector<PlaceSum> placeSums(unsigned axis, unsigned gridAxis);
  const RegisterUses &uses() const { return uses_; }

private:
  std::string whyCounted(unsigned axis, unsigned gridAxis);
  std::string whyUnguarded(unsigned axis, unsigned gridAxis);
  std::optional<PlaceSum> readPlace(const clang::BinaryOperator &sum, unsigned axis, unsigned gridAxis);
  bool isCovered(clang::SourceRange use, llvm::ArrayRef<PlaceSum> sums, unsigned depth = 0) const;
  void readGuards();
  void assume(const clang::Expr &condition, bool holds);

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  SymbolTable table_;
  IntegerReader reader_;
  RegisterUses uses_;
  std::optional<std::array<LaunchAxis, 3>> axes_;
  /// Integers below zero in every thread that does anything.
  std::vector<Expression> negative_;
};

} // namespace warpwright
