#pragma once

#include "analysis/ast/LoopReductions.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// A loop written anew so that several iterations run side by side, each with sums of its own. Everything is
/// borrowed.
class UnrolledLoop {
public:
  UnrolledLoop(const RewriteContext &context, const clang::FunctionDecl &kernel, const CanonicalLoop &loop,
               std::vector<LoopReduction> reductions);

  /// The edit with `factor` iterations side by side. `position` is that of the loop among those of the
  /// kernel. Nothing where a macro, a header or a pragma is in the way.
  std::optional<Edit> edit(unsigned factor, unsigned position);

private:
  CodeLines body(unsigned factor, const std::string &first, const std::string &k);
  std::string counterType() const;
  std::string stepText(const std::string &times) const;
  std::string neutral(const LoopReduction &reduction, unsigned factor) const;
  std::optional<std::string> textOf(const clang::Stmt *statement) const;

  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  const CanonicalLoop &loop_;
  std::vector<LoopReduction> reductions_;
  std::vector<std::string> arrays_; ///< as reductions_
  EditBuilder builder_;
};

} // namespace warpwright
