#pragma once

#include <llvm/ADT/ArrayRef.h>

#include <string>
#include <vector>

namespace warpwright {

/// An option that does not reach Clang, and why.
struct DroppedOption {
  std::string spelled;
  std::string reason;
};

/// What becomes of the words that nvcc hands to the host compiler.
struct HostOptions {
  std::vector<std::string> clangArguments;
  std::vector<DroppedOption> dropped;
};

/// Translates words of a gcc or Clang command, in order, by HostOptions.def: those that change how the source
/// reads are kept, `-fopenmp` becomes the macro it defines, `-W...` stays where Clang knows the warning, the
/// rest is dropped. A word that Clang would take for an input never gets through.
HostOptions adjustHostOptions(llvm::ArrayRef<std::string> words);

} // namespace warpwright
