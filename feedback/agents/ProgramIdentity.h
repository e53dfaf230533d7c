#pragma once

#include <string>

namespace llvm {
class Function;
}
namespace warpwright {
struct KernelAnalysis;
}

namespace warpwright::agents {

/// What a kernel is known by, whatever it is called and however it is laid out.
struct ProgramIdentity {
  std::string source; ///< checksum of its tokens, the launch's clauses included
  /// Checksum of its device code and of all that it calls, without the names of values, without lines, and of
  /// its launch: two texts that compile to the same instructions are one program.
  std::string code;

  bool operator==(const ProgramIdentity &) const = default;
};

ProgramIdentity identityOf(const KernelAnalysis &kernel);

/// The function's code and that of all it calls, as text in which only what it does is left.
std::string namelessCode(const llvm::Function &function);

} // namespace warpwright::agents
