#pragma once

#include "feedback/agents/AgentPolicy.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace warpwright::agents {

// What a submitted source may change is decided on its AST and its tokens, beside the original's, before
// anything of it runs: the kernel, device functions that it alone uses, and new device functions. Everything
// else of the file has to stay, token by token. In what changed, nothing may reach the harness, time or state
// beyond the launch, or tell one compiler from another: the net would then judge other code than is built.

/// Why a source is not admitted.
struct Refusal {
  std::string code; ///< one word of docs/agents.md; some can be allowed by policy
  std::string reason;
  unsigned line = 0; ///< of the candidate's file; 0: of no line
};

/// One side: a file, parsed, and the kernel in it.
struct AdmissionSide {
  clang::ASTContext *ast = nullptr;
  const clang::FunctionDecl *kernel = nullptr;
};

/// The first thing that is not admitted, or nothing. `launchChanges`: the kernel goes into a copy and the
/// original stays for other launches, so that device functions it uses must stay, too.
std::optional<Refusal> findRefusal(const AdmissionSide &original, const AdmissionSide &candidate,
                                   const AgentPolicy &policy, bool launchChanges);

} // namespace warpwright::agents
