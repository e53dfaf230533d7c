#pragma once

#include "analysis/FileAnalysis.h"

namespace warpwright {

/// Starts nvcc on the file where the request wants resources. It runs beside whatever this process does until
/// collectResources(). A failure to start is noted in the file.
void startResources(FileAnalysis &file, const FileRequest &request);

/// Waits for nvcc, if it was started, and gives every kernel its registers, spills and code size, and the
/// occupancy of its main launch, which must have been counted before.
void collectResources(FileAnalysis &file, const FileRequest &request);

} // namespace warpwright
