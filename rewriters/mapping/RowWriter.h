#pragma once

#include "rewriters/Rewriter.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/mapping/BlockShape.h"
#include "rewriters/mapping/RowCode.h"
#include "rewriters/mapping/RowRegisters.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Lanes that share a row, rows of a block, and the elements of a row that each lane keeps; 0: none.
struct RowGroup {
  unsigned lanes;
  unsigned rows;
  unsigned registers;
};

/// Writes the kernel for a group of lanes a row. The lanes lie along x, the rows along y.
class RowWriter {
public:
  /// All are borrowed.
  RowWriter(const RewriteContext &context, const RowCode &code, const RowRegisters &kept, RowGroup group);

  /// `registers` are where the kernel asks for its thread; `places` those of its places in the grid that
  /// spell the block's extent as a number. Nothing where some text comes out of a macro.
  std::optional<std::vector<Edit>> write(const RegisterUses &registers,
                                         llvm::ArrayRef<const clang::BinaryOperator *> places);

private:
  std::string number(unsigned value) const { return std::to_string(value); }
  void keep(std::optional<Edit> edit);
  std::optional<std::string> indentOf(clang::SourceLocation location) const;
  void declareMask();
  void shareOut(const RowCode::SharedLoop &loop);
  std::string fromRegisters(const RowCode::SharedLoop &loop, const std::string &indent);
  void loadRow(const RowCode::SharedLoop &loop, const std::string &end, CodeLines &code);
  std::optional<std::string> keptBody(const RowCode::SharedLoop &loop, CodeLines &derived);
  void openKept(const RowCode::SharedLoop &loop, CodeLines &code) const;
  std::optional<std::string> textOf(clang::SourceRange range, llvm::ArrayRef<const clang::Expr *> reads = {},
                                    llvm::ArrayRef<std::string> texts = {}) const;
  void insertBehind(const clang::Stmt &statement, const std::string &text);
  bool isBraceOrSemicolon(clang::SourceLocation location) const;
  std::string startOf(const RowCode::SharedLoop &loop) const;
  std::string combineAll(const RowCode::SharedLoop &loop, const std::string &indent);
  std::string typeOf(const clang::VarDecl *variable) const;
  std::string identityOf(const RowReduction &reduction) const;
  bool isTemplate() const;
  std::string shuffle(const clang::VarDecl *variable, const std::string &mask) const;
  std::string exchange(const RowReduction &reduction, const std::string &mask,
                       const std::string &indent) const;
  std::string take(const RowReduction &reduction, const std::string &other, const std::string &otherAt,
                   const std::string &indent) const;
  std::string takePair(const RowReduction &reduction, const std::string &other,
                       const std::string &otherLargest, const std::string &indent) const;
  std::string acrossWarps(const RowCode::SharedLoop &loop, const std::string &indent);
  void leaveToOne(const clang::Stmt &statement, bool needsBraces);

  clang::ASTContext &ast_;
  EditBuilder edits_;
  const KernelAnalysis &analysis_;
  const RowCode &code_;
  const RowRegisters &kept_;
  RowGroup group_;
  const RegisterUses *uses_ = nullptr;
  std::string mask_; ///< its name, of groups smaller than a warp
  FreshNames names_;
  std::string offset_, warp_, k_;                    ///< the counters of new loops
  std::vector<std::string> arrays_;                  ///< of kept_.elements: what holds them
  std::map<const clang::VarDecl *, unsigned> slots_; ///< of each variable, so far
  bool failed_ = false;
  std::vector<Edit> result_;
};

} // namespace warpwright
