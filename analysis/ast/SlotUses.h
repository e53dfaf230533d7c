#pragma once

#include "analysis/ast/BlockFolds.h"

namespace warpwright {

/// What a function does with folded slots outside the pieces that fold them.
struct SlotUses {
  /// What a shuffled fold would change: a read of a slot other than the result's that may come after, or a
  /// use that is not followed. Null where there is none.
  const clang::Stmt *obstacle = nullptr;
  std::string whyNot; ///< says what the obstacle is
  /// Threads may read their slots before the piece begins, without a barrier in between.
  bool readBefore = false;
  bool stored = false;         ///< something else stores to them
  bool onlyFirstThread = true; ///< the result is read by thread 0 alone
  bool usedAgain = false;      ///< stored to after the piece, or by a next turn of a loop around it
};

/// The statements of a fold, to be told from the rest of the function.
std::vector<const clang::Stmt *> statementsOf(const BlockFold &fold);

/// The innermost loop of the body around the statement; null where there is none.
const clang::Stmt *loopAround(const clang::Stmt &body, const clang::Stmt *statement);

/// `all` are the folds of the function whose statements will go, `fold` among them.
SlotUses findSlotUses(const clang::FunctionDecl &function, const BlockFolds &folds,
                      llvm::ArrayRef<const BlockFold *> all, const BlockFold &fold, const FoldedSlots &slots);

/// How the function uses a variable outside and after a fold.
struct ValueUses {
  bool after = false;        ///< read or changed after it, or by a next turn of a loop around it
  bool byFirstThread = true; ///< and by thread 0 alone
};
ValueUses findValueUses(const clang::FunctionDecl &function, const BlockFolds &folds, const BlockFold &fold,
                        const clang::VarDecl *variable);

} // namespace warpwright
