#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <vector>

namespace warpwright {

class TranslationUnit;
struct KernelAnalysis;

/// What a rewriter may look at: the kernel's AST and everything the analyses found. It reads facts; it finds
/// none itself.
struct RewriteContext {
  TranslationUnit &unit;
  const KernelAnalysis &analysis;
  /// The kernel's analysis for each architecture; the first is `analysis`. What is legal must be so in all of
  /// them.
  llvm::ArrayRef<const KernelAnalysis *> versions;
  bool launchMayChange = false; ///< the annotation or the policy admits it
  /// The kernel is a copy that an earlier step of a sequence made: every launch of it is one that was
  /// redirected, and a change of its launch is made in place.
  bool relaunched = false;
};

/// What one rewriter makes of one kernel. Neither candidates nor declines: the kernel holds nothing it is
/// about.
struct Proposals {
  std::vector<Candidate> candidates;
  std::vector<Decline> declines;
};

/// A row of Rewriters.def.
struct RewriterInfo {
  llvm::StringLiteral id;
  llvm::StringLiteral summary;
  llvm::Expected<Proposals> (*propose)(const RewriteContext &);
};

/// Every rewriter, sorted by id.
llvm::ArrayRef<RewriterInfo> rewriters();

/// The rewriter of that id, or null.
const RewriterInfo *findRewriter(llvm::StringRef id);

} // namespace warpwright
