#pragma once

#include "analysis/frontend/FrontEnd.h"

#include <string>
#include <vector>

namespace warpwright {

/// The files that a parse read, as absolute names: the file itself and all that it includes, in no order of
/// meaning. What a precompiled preamble stands for, the toolkit's own headers, may be missing.
std::vector<std::string> dependenciesOf(TranslationUnit &unit);

/// The same without a parse, by the preprocessor alone. Fails with ParseFailure where that fails.
llvm::Expected<std::vector<std::string>> scanDependencies(const ParseRequest &request);

} // namespace warpwright
