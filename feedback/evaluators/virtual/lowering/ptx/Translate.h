#pragma once

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

namespace warpwright::vdevice {

/// Spells every inline asm out in LLVM's instructions. An instruction whose form is
/// not known, and text with branches, is not covered.
void translateInlineAsm(LoweringState &state);

} // namespace warpwright::vdevice
