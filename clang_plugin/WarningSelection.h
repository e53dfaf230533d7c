#pragma once

#include <llvm/ADT/StringRef.h>

#include <map>
#include <optional>
#include <string>

namespace warpwright {

/// Which findings a compiler says, and which of them are errors: what `-W` options made of it. All are
/// warnings to begin with.
class WarningSelection {
public:
  enum class Level { Off, Warning, Error };

  /// Understands an option without its `-W`: error and no-error of all warnings, and, where `warpwright` is
  /// every finding,
  /// warpwright[-<id>], no-warpwright[-<id>], error=warpwright[-<id>], no-error=warpwright[-<id>]. The first
  /// answer is whether it speaks of us at all; the second what is wrong with it, or nothing.
  std::pair<bool, std::string> apply(llvm::StringRef option);

  Level of(llvm::StringRef id) const;

private:
  struct Choice {
    bool on = true;
    std::optional<bool> error; ///< nothing: as all warnings
  };
  void set(llvm::StringRef id, bool forError, bool value);

  bool everyWarning_ = false; ///< a plain -Werror; what is said of ours by name goes over it
  Choice all_;
  std::map<std::string, Choice> byId_;
};

} // namespace warpwright
