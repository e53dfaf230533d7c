#pragma once

#include <llvm/Support/Error.h>

#include <string>

namespace warpwright {

/// A folder of our own in the system's folder for temporary files. It goes with everything in it when this
/// object goes.
///
/// Removing a tree is the one thing this tool does that cannot be undone, so it looks again before it does:
/// the folder must carry our name and lie in the temporary folder, directly or in another such folder.
/// Anything else is left where it is.
class TemporaryFolder {
public:
  /// In `parent`, a temporary folder itself; in the system's where it is empty.
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef parent = {});

  TemporaryFolder(TemporaryFolder &&other) noexcept;
  TemporaryFolder &operator=(TemporaryFolder &&other) noexcept;
  ~TemporaryFolder();

  const std::string &path() const { return path_; }

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  void remove();

  std::string path_; ///< empty after a move
};

/// Whether a path is one that TemporaryFolder::create() could have made.
bool isTemporaryFolder(llvm::StringRef path);

/// Removes the folder with everything in it, if it is one of ours and still there.
void removeTemporaryFolder(llvm::StringRef path);

} // namespace warpwright
