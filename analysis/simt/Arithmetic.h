#pragma once

#include "analysis/simt/Code.h"

namespace warpwright::simt {

/// Evaluates one scalar of a binary operation, comparison or conversion for the lanes of `mask`, taint
/// included. Division by zero and shifts by the width or more, undefined in the IR, give zero with taint.
void executeBinary(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
                   LaneMask mask);
void executeCompare(const Instruction &instruction, const Slot &left, const Slot &right, Slot &result,
                    LaneMask mask);
void executeConversion(const Instruction &instruction, const Slot &operand, Slot &result, LaneMask mask);

/// The same for integers of 65 to 128 bits, which lie in two slots, the low word first. `narrow` conversions
/// read or write one slot where the type has no more than 64 bits.
void executeWideBinary(const Instruction &instruction, const Slot *left, const Slot *right, Slot *result,
                       LaneMask mask);
void executeWideCompare(const Instruction &instruction, const Slot *left, const Slot *right, Slot &result,
                        LaneMask mask);
void executeWideConversion(const Instruction &instruction, const Slot *operand, Slot *result, LaneMask mask);

} // namespace warpwright::simt
