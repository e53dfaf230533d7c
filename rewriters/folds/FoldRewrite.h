#pragma once

#include "analysis/ast/BlockFolds.h"
#include "analysis/ast/SlotUses.h"
#include "rewriters/Candidate.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/folds/FoldCode.h"

#include <optional>
#include <string>

namespace warpwright {

/// Writes one fold of a function anew with shuffles.
class FoldRewrite {
public:
  /// `all` are the folds of the function that are written anew, this one among them.
  FoldRewrite(const RewriteContext &context, const FoldSite &site, const BlockFolds &folds,
              llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold, FreshNames &names);

  /// Why it cannot be; empty when edits() are ready.
  std::string build();

  std::vector<Edit> edits() const { return edits_; }
  /// Barriers that a thread waited at in the fold, and that it waits at now.
  unsigned barriersBefore() const { return fold_.barriers; }
  unsigned barriersAfter() const { return barriersAfter_; }

private:
  std::string whyNotLegal();
  std::string whyNotAssociative(const FoldedSlots &slots) const;
  std::string readValues();
  std::string readValue(const FoldedSlots &slots);
  std::string nameThread();
  std::string write();
  std::string writeSerialLoop(const clang::Stmt &loop);
  CodeLines lines() const;
  void shrinkArrays();
  void removeDeadVariables();
  std::string typeText(const FoldedSlots &slots) const;
  bool isReusable(const clang::VarDecl *variable, const FoldedSlots &slots) const;
  std::string reasonText() const;
  std::optional<std::string> textOf(const clang::Stmt *statement) const;

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  const FoldSite &site_;
  const BlockFolds &folds_;
  llvm::ArrayRef<const BlockFold *> all_;
  const BlockFold &fold_;
  FreshNames &names_;
  EditBuilder builder_;

  FoldCode code_;
  std::vector<SlotUses> uses_; ///< as fold_.slots
  std::vector<bool> direct_;   ///< the value goes to the shuffle without passing through its slot; likewise
  std::string threadDeclaration_;
  llvm::SmallPtrSet<const clang::VarDecl *, 4> usedVariables_; ///< by the new code
  bool endBarrier_ = false;
  unsigned barriersAfter_ = 0;
  std::vector<Edit> edits_;
};

} // namespace warpwright
