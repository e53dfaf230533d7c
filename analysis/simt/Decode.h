#pragma once

#include "analysis/simt/Code.h"
#include "analysis/simt/LaneExchange.h"
#include "analysis/simt/SpecialRegister.h"

namespace warpwright::simt {

/// Lays out the variables that `kernel` and its callees refer to, and decodes all of them. Whatever cannot be
/// decoded becomes an instruction whose result is unknown; if it may touch memory, the program says so in
/// `unknown`. What no count depends on is left out; `forWatch` keeps what a Watcher looks at.
std::unique_ptr<Program> decodeProgram(const llvm::Function &kernel, bool forWatch = false);

} // namespace warpwright::simt
