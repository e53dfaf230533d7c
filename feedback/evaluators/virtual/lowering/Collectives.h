#pragma once

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace warpwright::vdevice {

/// Whether threads wait for each other in it, or one ends in its middle: barriers, warp collectives, `exit`.
bool synchronises(const llvm::Instruction &instruction);
bool synchronises(const llvm::Function &function);

} // namespace warpwright::vdevice
