#pragma once

#include "feedback/gate/GatePolicy.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace warpwright {

/// What a project allows, beyond what annotations say: a `warpwright/policy/1` document.
struct Policy {
  std::vector<std::string> forbiddenRewriters; ///< ids; no kernel is touched by these
  unsigned maxRegisters = 0;                   ///< a thread; 0: any. An annotation's limit goes before it
  bool launchChange = false;                   ///< launches may change where annotations do not speak of it
  bool dispatch = false;                       ///< likewise, variants may be chosen on the host by a condition
  bool strict = false; ///< what cannot be analysed, or is annotated wrongly, fails the build
  GatePolicy gate;     ///< what `warpwright check` lets pass

  bool forbids(llvm::StringRef rewriter) const;
};

/// Reads a policy. Errors name the file and the entry: a key that is not known, a value of the wrong kind, a
/// rewriter that does not exist. Nothing in a policy is passed over.
llvm::Expected<Policy> readPolicy(llvm::StringRef path);

} // namespace warpwright
