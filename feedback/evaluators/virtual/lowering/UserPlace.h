#pragma once

#include "analysis/Place.h"

namespace llvm {
class Instruction;
}

namespace warpwright::vdevice {

/// Where the user wrote what the instruction came from: out of the functions of the toolkit's headers that
/// were inlined there. Unknown without line tables.
Place userPlaceOf(const llvm::Instruction &instruction);

} // namespace warpwright::vdevice
