#pragma once

#include "analysis/ConstantBlock.h"
#include "analysis/ast/CanonicalLoops.h"

#include <clang/AST/Stmt.h>
#include <llvm/ADT/ArrayRef.h>

#include <optional>
#include <vector>

namespace warpwright {

struct RewriteContext;

/// `if (threadIdx.x == 0) { declarations; loop; rest }` in a block of statements: one thread of the block
/// runs the loop. Everything is borrowed.
struct LoneSection {
  const clang::CompoundStmt *scope = nullptr;
  bool outermost = false; ///< the scope is the kernel's own body
  size_t position = 0;    ///< of the branch in the scope
  const clang::IfStmt *branch = nullptr;
  std::vector<const clang::DeclStmt *> declarations;
  const CanonicalLoop *loop = nullptr;
  std::vector<const clang::Stmt *> rest;
  unsigned thread = 0; ///< who runs it, where the block is known

  const clang::Stmt *before() const { return position == 0 ? nullptr : scope->body_begin()[position - 1]; }
  const clang::Stmt *after() const {
    return position + 1 == scope->size() ? nullptr : scope->body_begin()[position + 1];
  }
};

/// The sections of the kernel whose loop is worth sharing, in source order. Where `block` is not known, the
/// facts say what one thread runs.
std::vector<LoneSection> findLoneSections(const RewriteContext &context, llvm::ArrayRef<CanonicalLoop> loops,
                                          const std::optional<Dim3> &block);

} // namespace warpwright
