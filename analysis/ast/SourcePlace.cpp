#include "analysis/ast/SourcePlace.h"

namespace warpwright {

Place placeOf(clang::SourceLocation location, const clang::SourceManager &sources) {
  clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(location));
  if (presumed.isInvalid())
    return {};
  return {presumed.getFilename(), presumed.getLine(), presumed.getColumn()};
}

} // namespace warpwright
