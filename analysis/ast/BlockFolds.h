#pragma once

#include "analysis/ast/BlockInterpreter.h"

#include <clang/AST/Type.h>

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompoundStmt;
class DeclRefExpr;
} // namespace clang

namespace warpwright {

/// An array of shared slots, one a thread, of which a piece of code makes the fold of all.
struct FoldedSlots {
  const clang::VarDecl *array = nullptr; ///< the shared variable
  int64_t base = 0;                      ///< byte of slot 0 in it; the fold ends there, or in `result`
  clang::QualType element;               ///< without qualifiers
  FoldOperation operation = FoldOperation::Sum;
  bool byComparison = false;
  const clang::Expr *spelling = nullptr; ///< an expression that combines two
  /// `slots[thread] = value`, run once by every thread at the start of the piece; null where the slots are
  /// filled before it.
  const clang::Expr *store = nullptr;
  const clang::DeclRefExpr *reference =
      nullptr; ///< how the code names the place of slot 0: an array or pointer
  /// The variable of thread 0 that ends with what it held and all slots; null where slot 0 does.
  const clang::VarDecl *result = nullptr;
  /// Where one thread folds alone, among statements that do other things: the piece ends before them, and
  /// this loop is the rest of it.
  const clang::Stmt *serialLoop = nullptr;
  bool resultHeldSlot = false; ///< what it held was slot 0, and not a value to be combined with all slots
};

/// A piece of code that all threads of a block run, and that does nothing but fold shared slots.
struct BlockFold {
  const clang::CompoundStmt *scope = nullptr;
  size_t first = 0, last = 0;            ///< positions of its statements in the scope, both included
  std::vector<FoldedSlots> slots;        ///< what it folds
  std::vector<const clang::Stmt *> kept; ///< stores at its start to shared variables that it does not fold
  unsigned threads = 0;                  ///< of the block, one slot each
  unsigned barriers = 0;                 ///< that a thread waits at while it runs the piece
  /// A barrier lies between the result and the piece's end: all threads may read it there.
  bool settled = false;
  /// Lanes of a warp hand each other values through volatile memory without a barrier.
  bool warpSynchronous = false;

  /// One thread folds alone, in loops behind the piece.
  bool isSerial() const { return !slots.empty() && slots.front().serialLoop; }
  const clang::Stmt *statement(size_t position) const;
};

/// One function of a kernel, and what is known of its parameters there.
struct FoldSite {
  const clang::FunctionDecl *function = nullptr;
  std::vector<std::pair<const clang::VarDecl *, std::vector<LaneValue>>> parameters;
};

/// The pieces of the function's body that fold shared slots, in source order. The block must be known.
class BlockFolds {
public:
  BlockFolds(const clang::ASTContext &ast, KnownBlock block, const FoldSite &site);

  const std::vector<BlockFold> &all() const { return folds_; }
  /// Shared arrays that loops with barriers combine in a way that is not known to be a fold, and why.
  struct Other {
    const clang::Stmt *statement = nullptr;
    std::string why;
  };
  const std::vector<Other> &others() const { return others_; }

  const KnownBlock &block() const { return block_; }
  /// An interpreter that knows the function's parameters and constants, for questions about single
  /// expressions.
  BlockInterpreter interpreter() const;

private:
  struct Search;
  void search(const clang::CompoundStmt &scope);

  const clang::ASTContext &ast_;
  KnownBlock block_;
  FoldSite site_;
  VariableChanges changes_;
  std::unique_ptr<FoldNodes> nodes_;
  std::vector<BlockFold> folds_;
  std::vector<Other> others_;
};

} // namespace warpwright
