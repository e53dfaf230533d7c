#pragma once

#include "rewriters/Candidate.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// The bytes [begin, end) of one definition in the original file.
struct SourceRegion {
  unsigned begin = 0;
  unsigned end = 0;
};

/// From `offset` on, the original says that its lines come from elsewhere: the line that starts there is line
/// `line` of `file`.
struct LineOrigin {
  unsigned offset = 0;
  unsigned line = 0;
  std::string file;
};

/// A generated source and the names its `#line` directives use.
struct EmitRequest {
  std::string original;                  ///< text of the original file
  std::string originalPath;              ///< as the compiler was given it
  std::vector<LineOrigin> origins;       ///< the original's own `#line` directives, in order of offset
  std::string generatedPath;             ///< where the result will lie
  std::vector<SourceRegion> definitions; ///< of the kernels; an edit lies in one of them or stands alone
  std::vector<Edit> edits;
};

/// The original with the edits made. `#line` maps every untouched line to the original, so that messages and
/// debuggers lead there; a definition that was rewritten keeps the generated file's own lines, so that a
/// profiler does not attribute new code to old lines. Where the original's lines come from elsewhere, the
/// directives say what the original's do. A byte order mark stays in front of everything.
llvm::Expected<std::string> emitSource(const EmitRequest &request);

} // namespace warpwright
