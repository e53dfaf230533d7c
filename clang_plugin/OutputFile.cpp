#include "clang_plugin/OutputFile.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace warpwright {
namespace {

constexpr llvm::StringLiteral mark = ".temporary-";

llvm::Error failure(llvm::StringRef path, int number) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + std::error_code(number, std::generic_category()).message());
}

/// 0, or the number of the error. A write that takes less than it was given is continued.
int writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      text = text.drop_front(written);
  }
  return 0;
}

/// The same, and closed: some file systems tell of a full disk only then.
int writeInto(const std::string &path, int flags, llvm::StringRef text) {
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (file < 0)
    return errno;
  int number = writeAll(file, text);
  if (::close(file) != 0 && number == 0)
    number = errno;
  return number;
}

bool isGone(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// What killed processes left of this very file.
void removeStale(llvm::StringRef path) {
  std::string prefix = (llvm::sys::path::filename(path) + mark).str();
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(folder.empty() ? "." : folder, code), end;
       entry != end && !code; entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    pid_t process = 0;
    if (name.consume_front(prefix) && !name.getAsInteger(10, process) && isGone(process))
      llvm::sys::fs::remove(entry->path());
  }
}

} // namespace

llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text) {
  llvm::sys::fs::file_status status;
  bool exists = !llvm::sys::fs::status(path, status);
  if (exists && llvm::sys::fs::is_directory(status))
    return failure(path, EISDIR);
  if (exists && !llvm::sys::fs::is_regular_file(status)) {
    int number = writeInto(path.str(), 0, text);
    return number == 0 ? llvm::Error::success() : failure(path, number);
  }
  removeStale(path);
  std::string temporary = (path + mark + llvm::Twine(::getpid())).str();
  int number = writeInto(temporary, O_CREAT | O_TRUNC, text);
  if (number == 0 && ::rename(temporary.c_str(), path.str().c_str()) != 0)
    number = errno;
  if (number == 0)
    return llvm::Error::success();
  ::unlink(temporary.c_str());
  return failure(path, number);
}

llvm::Error writeToStandardOutput(llvm::StringRef text) {
  int number = writeAll(STDOUT_FILENO, text);
  return number == 0 ? llvm::Error::success() : failure("standard output", number);
}

} // namespace warpwright
