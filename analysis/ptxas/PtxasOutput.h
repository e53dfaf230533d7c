#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What ptxas lays out for one function in local memory, a thread.
struct LocalMemory {
  uint64_t stackBytes = 0; ///< the function's own frame: local arrays, spilled registers, saved registers
  uint64_t spillStoreBytes = 0;
  uint64_t spillLoadBytes = 0;
};

/// A device function that was not inlined. Spills count the places in the code, not how often they run.
struct FunctionResources {
  std::string symbol;
  std::string architecture; ///< "sm_90"; empty where ptxas named none (a file of device functions alone)
  LocalMemory local;
};

/// What one kernel takes on one architecture.
struct KernelResources {
  std::string symbol; ///< mangled
  std::string architecture;
  unsigned registers = 0; ///< a thread; the device may give more, see Occupancy
  unsigned barriers = 0;
  LocalMemory local;
  /// The frames of the deepest call chain. Left out by ptxas where there is none, or where recursion and
  /// indirect calls keep it from knowing.
  std::optional<uint64_t> cumulativeStackBytes;
  uint64_t staticSharedBytes = 0;             ///< a block, without what the system reserves
  uint64_t localBytes = 0;                    ///< "lmem", of old toolkits
  std::map<unsigned, uint64_t> constantBytes; ///< by bank; from sm_90 on parameters are no longer counted
  unsigned textures = 0;
  std::optional<double> compileMilliseconds;
  std::vector<std::string> warnings; ///< those that name this kernel, in ptxas' words

  // From the cubin, where one was read.
  std::optional<uint64_t> codeBytes;    ///< with padding
  std::optional<uint64_t> instructions; ///< in the code, without padding

  bool spills() const { return local.spillStoreBytes != 0 || local.spillLoadBytes != 0; }
};

/// All that one or several runs of ptxas said.
struct PtxasReport {
  std::vector<KernelResources> kernels;     ///< in the order of the text
  std::vector<FunctionResources> functions; ///< in the order of the text
  std::vector<std::string> warnings;        ///< those that name no kernel, in ptxas' words
  std::vector<std::string> remarks;         ///< advice that ptxas gives as information

  size_t warningCount() const;
  /// The kernel of that symbol and architecture; null if there is none.
  const KernelResources *find(llvm::StringRef symbol, llvm::StringRef architecture) const;
};

/// Reads what `-Xptxas -v` or `--resource-usage` print, for any number of architectures one after the other.
/// Lines of other tools between (front-end warnings, say) are passed over.
///
/// Fails with a message that quotes the line when ptxas reports an error, when one of its lines is not
/// understood, and when a kernel has no complete set of lines: a format that changed must not read as "no
/// spills". Texts of several ptxas that ran at once and mingled their lines end there, too.
llvm::Expected<PtxasReport> parsePtxasOutput(llvm::StringRef text);

} // namespace warpwright
