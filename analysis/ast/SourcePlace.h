#pragma once

#include "analysis/Place.h"

#include <clang/Basic/SourceManager.h>

namespace warpwright {

/// Where a person finds the location: the place of expansion for code out of a macro, `#line` honoured.
Place placeOf(clang::SourceLocation location, const clang::SourceManager &sources);

} // namespace warpwright
