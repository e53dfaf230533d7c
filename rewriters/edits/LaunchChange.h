#pragma once

#include "analysis/annotation/AnnotationSource.h"
#include "analysis/ast/IntegerReader.h"
#include "analysis/ast/LaunchSites.h"
#include "rewriters/Rewriter.h"
#include "rewriters/edits/EditBuilder.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What is launched in the place of what the annotation says: expressions of annotations.
struct NewLaunch {
  std::vector<std::string> grid;            ///< by axis; empty: as annotated
  std::vector<std::string> block;           ///< likewise
  std::optional<std::string> dynamicShared; ///< bytes; likewise
};

/// Changes the launch of one kernel: a copy of the kernel behind it, and the launches of this file that are
/// proved to be the annotated one. docs/architecture/rewriting.md says what is proved and what declines.
class LaunchChange {
public:
  explicit LaunchChange(const RewriteContext &context);

  /// Why the launch may not change; empty where it may.
  const std::string &whyNot() const { return whyNot_; }

  /// Gives the candidate its copy, its redirected launches and its plan. An error is an expression that does
  /// not parse: a fault of the rewriter.
  llvm::Error apply(const NewLaunch &launch, Candidate &candidate) const;

private:
  /// A launch that is the annotated one.
  struct Site {
    const LaunchSite *site;
    const clang::FunctionDecl *function;          ///< that holds it
    std::map<std::string, std::string> arguments; ///< their text, by parameter
  };

  std::string findText();
  std::string findSites();
  std::string matchSite(const LaunchSite &site);
  std::optional<Edit> editClause(const std::optional<TextRange> &range, const char *name,
                                 const std::string &text, const std::string &reason) const;
  llvm::Error editAnnotation(const NewLaunch &launch, std::vector<Edit> &edits) const;
  llvm::Error redirect(const Site &site, const NewLaunch &launch, std::vector<Edit> &edits) const;
  llvm::Error request(const Site &site, const std::string &bytes, std::vector<Edit> &edits) const;
  const clang::Expr *initialiserToEdit(const Site &site, const clang::Expr &extent) const;
  const clang::FunctionDecl &pattern() const;

  const RewriteContext &context_;
  const clang::ASTContext &ast_;
  EditBuilder edits_;
  std::optional<AnnotationSource> source_;
  std::optional<Edit> name_; ///< of the definition's name; its text is the suffix
  unsigned begin_ = 0;
  unsigned end_ = 0;
  unsigned at_ = 0;
  std::vector<Site> sites_;
  std::string whyNot_;
};

/// An annotation's expression as host code, in 64-bit integers. `names` has the text of what its names stand
/// for.
std::string toHostCode(const ScalarExpression &expression, const std::map<std::string, std::string> &names);

/// What stands right before a launch that needs more shared memory than a block gets unasked, and asks the
/// driver for it: `(cudaFuncSetAttribute(...), `; the bracket is closed behind the launch. `kernel` is its
/// name as host code. Empty where so many bytes need not be asked for, or their number depends on arguments.
std::string requestForShared(const std::string &kernel, const ScalarExpression &bytes);

} // namespace warpwright
