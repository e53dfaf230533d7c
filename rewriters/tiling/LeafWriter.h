#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/tiling/NestReader.h"
#include "rewriters/tiling/TileFrame.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// Writes statements of the nest as they are done for each of a thread's outputs: in loops over these, with
/// reads taken out of tiles, accumulators made arrays, and the declarations that they need.
class LeafWriter {
public:
  LeafWriter(const RewriteContext &context, const Nest &nest, const NestReader &reader,
             const TileFrame &frame);

  /// From now on the expression is written as that text.
  void replace(const clang::Expr &expression, std::string text) { replaced_[&expression] = std::move(text); }
  /// What is written before and behind an expression that stays.
  void wrap(const clang::Expr &expression, std::string before, std::string behind) {
    wrapped_[&expression] = {std::move(before), std::move(behind)};
  }
  /// The guard is left out: what is under it comes to nothing where it fails.
  void absorb(const clang::Expr &condition, bool isAbsorbed = true) {
    if (isAbsorbed)
      absorbed_.insert(&condition);
    else
      absorbed_.erase(&condition);
  }
  /// How the counter of the strip-mined loop is declared where somebody asks for it.
  void declareCounter(const clang::VarDecl &counter, std::string declaration) {
    counters_[&counter] = std::move(declaration);
  }

  /// The items in loops over the thread's outputs, under the guards around them, and under those of the
  /// kernel where `isGuarded` says so.
  void write(llvm::ArrayRef<const NestItem *> items, llvm::ArrayRef<const NestItem *> around, bool isGuarded,
             CodeLines &code);
  /// The epilogue, under the kernel's guards.
  void writeEpilogue(CodeLines &code);
  /// The accumulators as arrays with their first values.
  void writeAccumulators(CodeLines &code);
  /// Whether some text could not be had.
  bool failed() const { return failed_; }

private:
  void collect(const clang::Stmt *statement);
  void collect(const NestItem &item);
  void need(const clang::VarDecl &variable);
  void writeNeeded(CodeLines &code, bool isOutside);
  void writeItem(const NestItem &item, CodeLines &code);
  void writeStatement(const clang::Stmt &statement, CodeLines &code);
  std::string plainTextOf(const clang::Stmt &statement);
  std::string textOf(const clang::Stmt &statement);
  std::string typeOf(const clang::VarDecl &variable) const;
  std::string conditionOf(const clang::Expr &condition, bool isNegated);
  void collectGuards();
  std::string guards();

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  const Nest &nest_;
  const NestReader &reader_;
  const TileFrame &frame_;
  llvm::DenseMap<const clang::Expr *, std::string> replaced_;
  llvm::DenseMap<const clang::Expr *, std::pair<std::string, std::string>> wrapped_;
  llvm::DenseSet<const clang::Expr *> absorbed_;
  std::map<const clang::VarDecl *, std::string> counters_;
  llvm::DenseSet<const clang::VarDecl *> inner_; ///< declared in the nest
  llvm::MapVector<const clang::VarDecl *, bool> needed_;
  llvm::DenseSet<const clang::VarDecl *> declared_; ///< outside of the nest, for all that follows
  bool failed_ = false;
};

} // namespace warpwright
