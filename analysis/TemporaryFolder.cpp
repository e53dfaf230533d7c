#include "analysis/TemporaryFolder.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <utility>

namespace warpwright {
namespace {

constexpr llvm::StringLiteral prefix = "warpwright";

llvm::SmallString<128> temporaryRoot() {
  llvm::SmallString<128> root;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, root);
  while (root.size() > 1 && llvm::sys::path::is_separator(root.back()))
    root.pop_back();
  return root;
}

} // namespace

llvm::Expected<TemporaryFolder> TemporaryFolder::create(llvm::StringRef parent) {
  llvm::SmallString<128> model(parent);
  llvm::sys::path::append(model, prefix);
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory(model, folder))
    return llvm::createStringError(error, "no temporary folder: " + error.message());
  return TemporaryFolder(std::string(folder));
}

bool isTemporaryFolder(llvm::StringRef path) {
  llvm::StringRef name = llvm::sys::path::filename(path);
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  return name.starts_with((prefix + "-").str()) && (parent == temporaryRoot() || isTemporaryFolder(parent));
}

void removeTemporaryFolder(llvm::StringRef path) {
  if (isTemporaryFolder(path))
    llvm::sys::fs::remove_directories(path, /*IgnoreErrors=*/true);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder &&other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder &TemporaryFolder::operator=(TemporaryFolder &&other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  remove();
}

void TemporaryFolder::remove() {
  removeTemporaryFolder(path_);
  path_.clear();
}

} // namespace warpwright
