#pragma once

#include "rewriters/Rewriter.h"
#include "rewriters/mapping/RowLoop.h"

#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
class Stmt;
} // namespace clang

namespace warpwright {

/// A kernel's body as several lanes would run it for one thread: loops along a row are shared out, everything
/// else is run by all of them alike, and what others may see is done by one.
struct RowCode {
  struct SharedLoop : RowLoop {
    bool standsInBlock = true; ///< among statements of a block, not alone under a condition or a loop
    bool isRepeated = false;   ///< it stands in a loop that all lanes run
    /// Of reductions that are not idempotent: whether the variable is sure to hold nothing when the loop
    /// starts.
    std::vector<bool> startsEmpty; ///< in the order of `reductions`
  };
  std::vector<SharedLoop> loops;
  std::vector<const clang::Stmt *> single; ///< statements for one lane, with braces needed around them or not
  std::vector<bool> needsBraces; ///< of each of `single`: an `else` that follows would be taken for its own
};

/// Reads a kernel whose every thread works on a row of its own. `whyNot` says why it cannot be shared out;
/// both are empty where it walks no row.
RowCode readRowCode(const RewriteContext &context, std::string &whyNot);

} // namespace warpwright
