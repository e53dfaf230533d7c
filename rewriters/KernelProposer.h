#pragma once

#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"

#include <clang/Basic/SourceLocation.h>

#include <string>

namespace clang {
class FunctionDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace warpwright {

/// What the proposers of all rewriters have in common: what they look at, and how they say what they found.
class KernelProposer {
protected:
  KernelProposer(const RewriteContext &context, llvm::StringRef id);

  /// Proposes the candidate: names it after the rewriter and the kernel, orders its edits, and says each
  /// assumption once.
  void offer(Candidate candidate);

  /// Leaves the kernel alone, or what stands at the place.
  void decline(std::string why);
  void decline(const Place &place, std::string why);
  void decline(const clang::Stmt &at, std::string why);
  /// Leaves a loop alone: "the loop at line 12: ...".
  void declineLoop(clang::SourceLocation loop, const std::string &why);

  Place placeAt(clang::SourceLocation location) const;
  unsigned lineOf(clang::SourceLocation location) const { return placeAt(location).line; }
  unsigned lineOf(const clang::Stmt &statement) const;
  /// A shared array as the device IR spells it, for claims.
  std::string symbolOf(const clang::VarDecl &array) const;

  const RewriteContext &context_;
  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  const clang::FunctionDecl &kernel_;
  EditBuilder builder_;
  Proposals proposals_;

private:
  std::string id_;
};

} // namespace warpwright
