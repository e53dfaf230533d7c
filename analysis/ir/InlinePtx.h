#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One operand of a PTX instruction as written: a register or literal, `[address + bytes]`, or `{a, b}`.
struct PtxOperand {
  std::string text;
  bool address = false;         ///< in brackets
  std::optional<unsigned> slot; ///< number of the asm operand it names alone, from "$3"
  int64_t bytes = 0;            ///< added to an address
};

/// One instruction of an inline asm text. `opcode` is split at the dots: {"ld", "global", "nc", "v4", "f32"}.
struct PtxInstruction {
  std::string guard; ///< predicate register of `@p` or `@!p`; empty when it always runs
  std::vector<std::string> opcode;
  std::vector<PtxOperand> operands;

  bool has(llvm::StringRef modifier) const;
  std::string name() const; ///< the opcode joined again
};

/// Splits an asm text in LLVM's form ($0, $1 for operands) into instructions; declarations, labels and braces
/// are left out.
std::vector<PtxInstruction> parsePtx(llvm::StringRef text);

/// Bytes that one lane moves: the type at the end of the opcode times the width of its vector (`.v4.f32` is
/// 16); 0 when the opcode names no type.
unsigned ptxBytes(const PtxInstruction &instruction);

/// An instruction that only computes from registers to registers.
bool isPtxArithmetic(const PtxInstruction &instruction);

/// A barrier, fence, shuffle, vote, wait or commit: orders threads or moves registers between lanes, and
/// names no data in memory.
bool isPtxSynchronisation(const PtxInstruction &instruction);

} // namespace warpwright
