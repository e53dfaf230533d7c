#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <set>
#include <string>

namespace warpwright {

/// What a change touches: the working tree against the point where it parted from a revision. Files that git
/// does not track yet are part of it, those that it ignores are not.
class ChangedFiles {
public:
  /// In the repository that `folder` lies in. Errors: no git, no repository, no such revision.
  static llvm::Expected<ChangedFiles> since(const std::string &revision, const std::string &folder);

  bool empty() const { return present_.empty() && goneNames_.empty(); }
  /// Whether any of these absolute names was changed, or has the name of a file that is gone: another one
  /// may have been included in its place.
  bool touches(llvm::ArrayRef<std::string> files) const;

private:
  std::set<std::string> present_;   ///< absolute
  std::set<std::string> goneNames_; ///< without folder
};

} // namespace warpwright
