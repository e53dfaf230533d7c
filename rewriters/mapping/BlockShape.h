#pragma once

#include "analysis/ast/IntegerReader.h"
#include "analysis/ast/SpecialRegisters.h"
#include "rewriters/Rewriter.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One axis of a launch: as many threads as there are things to do, in blocks of a constant size.
struct LaunchAxis {
  int64_t block = 1;
  std::string things; ///< an annotation's expression: of `ceil_div(n, 16)` it is `n`; empty where not known
};

/// The axes of the annotated launch. Nothing where the annotation has no grid and block, or a block that is
/// no constant.
std::optional<std::array<LaunchAxis, 3>> annotatedAxes(const KernelAnalysis &analysis);

/// Whether a kernel can tell how large its block is. It cannot along an axis on which all that it asks for is
/// its thread's place in the whole grid, `blockIdx.x * blockDim.x + threadIdx.x`, and threads beyond the
/// things to do do nothing.
class BlockShape {
public:
  explicit BlockShape(const RewriteContext &context);

  /// Why another number of threads along the axis would show; empty where it would not.
  std::string whyFixed(unsigned axis);
  const RegisterUses &uses() const { return uses_; }

private:
  std::string whyCounted(unsigned axis);
  std::string whyUnguarded(unsigned axis);
  bool isPlaceInGrid(const clang::Expr &expression, unsigned axis);
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
