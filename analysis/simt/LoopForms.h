#pragma once

#include "analysis/simt/Code.h"

namespace warpwright::simt {

/// Fills in what LoopForm says of the instructions, once the program is decoded and sliced.
void describeLoops(Program &program);

} // namespace warpwright::simt
