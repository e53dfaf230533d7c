#pragma once

#include "analysis/frontend/NvccInvocation.h"

#include <array>
#include <map>

namespace warpwright {

/// Builds an NvccInvocation from arguments, one after the other, and then what depends on all of them. Only
/// for adjustArguments(), which uses it once and throws it away.
class NvccTranslation {
public:
  NvccTranslation(llvm::StringRef directory, const NvccEnvironment &environment);

  /// An error where the option is refused.
  llvm::Error add(const NvccArgument &argument);
  /// All but the names of derived outputs. An error where options contradict each other, the targets are
  /// wrong, or an input has a suffix that nvcc does not know.
  llvm::Expected<NvccInvocation> finish();

private:
  /// Words for Clang in the order in which nvcc gives them to its preprocessor, so that the same search order
  /// and the same last definition win.
  enum Group { ImpliedMacros, Folders, SystemFolders, Macros, ForcedIncludes, Others, GroupCount };
  static Group groupOf(NvccOptionId id);

  llvm::Error addOption(const NvccArgument &argument);
  void addHostText(llvm::StringRef text);
  void addClangWords(const NvccArgument &argument);
  void noteReplaced(const NvccArgument &earlier, const NvccArgument &later);

  llvm::Error settlePhase();
  llvm::Error settleInputs();
  llvm::Error settleTargets();
  void settleFields();
  llvm::Error settleDependencies();
  void settleClangArguments();
  void appendHostArguments();

  bool given(NvccOptionId id) const { return last_.count(id) != 0; }
  bool isTrue(NvccOptionId id, bool otherwise) const { return given(id) ? value(id) == "true" : otherwise; }
  std::string value(NvccOptionId id) const;

  NvccInvocation invocation_;
  NvccTargetRequest request_;
  std::map<NvccOptionId, NvccArgument> last_; ///< of each option the last that was given
  std::vector<NvccArgument> inputs_;
  std::vector<std::string> hostWords_;
  std::array<std::vector<std::string>, GroupCount> groups_;
};

} // namespace warpwright
