#include "clang_plugin/ChangedFiles.h"

#include "analysis/Capture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

/// What git prints, or an error with the first line of what it complains of.
llvm::Expected<std::string> git(const std::string &folder, llvm::ArrayRef<std::string> arguments) {
  std::vector<std::string> command = {"git", "-C", folder};
  command.insert(command.end(), arguments.begin(), arguments.end());
  llvm::Expected<Captured> said = capture(command);
  if (!said)
    return said.takeError();
  if (said->code != 0)
    return llvm::createStringError("git: " + llvm::StringRef(said->errors).split('\n').first);
  return said->output;
}

/// A path is one file whichever links lead to it.
std::string realName(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : std::string(real);
}

} // namespace

llvm::Expected<ChangedFiles> ChangedFiles::since(const std::string &revision, const std::string &folder) {
  llvm::Expected<std::string> top = git(folder, {"rev-parse", "--show-toplevel"});
  if (!top)
    return top.takeError();
  const std::string root = llvm::StringRef(*top).rtrim('\n').str();
  // Not an option, whatever it looks like.
  llvm::Expected<std::string> commit =
      git(folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit) {
    llvm::consumeError(commit.takeError());
    return llvm::createStringError("there is no revision '" + revision + "' in '" + root + "'");
  }
  std::string from = llvm::StringRef(*commit).rtrim('\n').str();
  if (llvm::Expected<std::string> base = git(folder, {"merge-base", from, "HEAD"}))
    from = llvm::StringRef(*base).rtrim('\n').str();
  else
    llvm::consumeError(base.takeError()); // no common past: all that differs
  llvm::Expected<std::string> changed = git(root, {"diff", "--name-only", "--no-renames", "-z", from, "--"});
  if (!changed)
    return changed.takeError();
  llvm::Expected<std::string> fresh = git(root, {"ls-files", "--others", "--exclude-standard", "-z"});
  if (!fresh)
    return fresh.takeError();

  ChangedFiles files;
  std::string all = *changed + *fresh;
  for (llvm::StringRef name : llvm::split(all, '\0')) {
    if (name.empty())
      continue;
    llvm::SmallString<256> path(root);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      files.present_.insert(realName(path));
    else
      files.goneNames_.insert(llvm::sys::path::filename(name).str());
  }
  return files;
}

bool ChangedFiles::touches(llvm::ArrayRef<std::string> files) const {
  return llvm::any_of(files, [&](const std::string &file) {
    return present_.contains(realName(file)) || goneNames_.contains(llvm::sys::path::filename(file).str());
  });
}

} // namespace warpwright
