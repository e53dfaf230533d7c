#pragma once

#include "analysis/Place.h"

namespace warpwright {

/// Whether both places are in the same file, however its path is spelled: the AST has it as the command does,
/// the device code's debug information in full.
bool inSameFile(const Place &left, const Place &right);

} // namespace warpwright
