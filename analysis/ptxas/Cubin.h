#pragma once

#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// One kernel of a cubin.
struct CubinKernel {
  std::string symbol;             ///< mangled
  uint64_t codeBytes = 0;         ///< with the device functions it calls that were not inlined, and padding
  uint64_t instructions = 0;      ///< in that code, without the padding at its end
  uint64_t staticSharedBytes = 0; ///< without what the system reserves
  std::optional<unsigned> registers;
};

/// A cubin: ELF for one architecture.
struct Cubin {
  unsigned capability = 0;          ///< 90 for sm_90 and sm_90a
  std::vector<CubinKernel> kernels; ///< in the order of the symbol table

  /// The kernel of that symbol; null if there is none.
  const CubinKernel *find(llvm::StringRef symbol) const;
};

/// Reads a cubin as nvcc 12 and 13 write it. Fatbins are not taken. Fails on anything else, and on a cubin
/// that contradicts itself. Layout found by comparing what ptxas printed with what it wrote, sm_75 to sm_121:
///  - kernels are the function symbols that have bit 0x10 of st_other; their code is the section
///  `.text.<symbol>`;
///  - an instruction has 16 bytes from sm_70 on; a section is padded with NOP;
///  - `.nv.shared.<symbol>` has the size of static shared memory, and where a section `.nv.shared.reserved.0`
///  exists
///    (sm_90 on) the reserved kilobyte in front of it;
///  - `.nv.info` holds records of format and attribute (a byte each) and size (two bytes); attribute 0x2f is
///  a symbol's
///    index and its registers, four bytes each.
llvm::Expected<Cubin> readCubin(llvm::MemoryBufferRef buffer);

} // namespace warpwright
