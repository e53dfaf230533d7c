#pragma once

#include "analysis/FileAnalysis.h"

namespace warpwright {

/// A file that was parsed elsewhere, with its kernels listed; facts are still to be collected, and nvcc is
/// not asked.
FileAnalysis adoptUnit(std::unique_ptr<TranslationUnit> unit, const FileRequest &request);

} // namespace warpwright
