#pragma once

#include "analysis/frontend/TranslationUnit.h"

#include <llvm/Support/Error.h>

#include <memory>

namespace clang {
class CompilerInvocation;
}

namespace warpwright {

/// Parses once more what another Clang in this process compiles for a device: its own flags, with what the
/// analyses need set. The other's invocation stays as it is. Errors as of parseTranslationUnit().
llvm::Expected<std::unique_ptr<TranslationUnit>> parseBeside(const clang::CompilerInvocation &other);

} // namespace warpwright
