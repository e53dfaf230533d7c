#pragma once

#include "analysis/frontend/NvccOptions.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace warpwright {

/// What nvcc reads from outside its command line.
struct NvccEnvironment {
  std::string prependFlags; ///< NVCC_PREPEND_FLAGS
  std::string appendFlags;  ///< NVCC_APPEND_FLAGS
  /// What `-arch=native` stands for, e.g. {"90"}. Empty where no GPU is there: nvcc then takes its default.
  std::vector<std::string> nativeArchitectures;

  /// The two variables of this process; no GPU is asked for.
  static NvccEnvironment ofProcess();
};

enum class NvccArgumentKind {
  Option,          ///< one of nvcc's own
  Input,           ///< a file
  ForHostCompiler, ///< an option that nvcc does not know and was told to forward
  ForHostLinker    ///< the same, where only the linker gets it
};

/// One option or input, as it came.
struct NvccArgument {
  NvccArgumentKind kind = NvccArgumentKind::Input;
  const NvccOption *option = nullptr; ///< of an option
  std::vector<std::string> words;     ///< as written, one or two
  std::vector<std::string>
      values; ///< a list's items; a value, or an input's path, as one item; a flag has none
  std::optional<size_t>
      position; ///< of the first word in the given arguments; none: from a file or the environment

  bool is(NvccOptionId id) const { return option && option->id == id; }
  std::string spelled() const;
};

/// Splits a command line without the compiler's name into arguments, the environment's flags first and last,
/// options files in their place (relative names are looked up in `directory`). Errors, which name the word:
/// an unknown option, a missing or superfluous argument, a value outside the option's domain, an options file
/// that is unreadable or includes itself.
llvm::Expected<std::vector<NvccArgument>> parseNvccCommandLine(llvm::ArrayRef<std::string> nvccArguments,
                                                               llvm::StringRef directory,
                                                               const NvccEnvironment &environment);

} // namespace warpwright
