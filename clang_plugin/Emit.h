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

/// A generated source and the names its `#line` directives use.
struct EmitRequest {
  std::string original;                  ///< text of the original file
  std::string originalPath;              ///< as the compiler was given it
  std::string generatedPath;             ///< where the result will lie
  std::vector<SourceRegion> definitions; ///< of the kernels; an edit lies in one of them or stands alone
  std::vector<Edit> edits;
};

/// The original with the edits made. `#line` maps every untouched line to the original, so that messages and
/// debuggers lead there; a definition that was rewritten keeps the generated file's own lines, so that a
/// profiler does not attribute new code to old lines.
llvm::Expected<std::string> emitSource(const EmitRequest &request);

} // namespace warpwright
