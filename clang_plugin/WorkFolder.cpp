#include "clang_plugin/WorkFolder.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright {
namespace {

llvm::Error systemError(const char *what) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), what);
}

/// Whether the environment of a process sends its temporary files into the folder.
bool worksIn(llvm::StringRef process, llvm::StringRef folder) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> environment =
      llvm::MemoryBuffer::getFileAsStream("/proc/" + process + "/environ");
  return environment && (*environment)->getBuffer().contains(("TMPDIR=" + folder + "/").str());
}

void endCompilers(llvm::StringRef folder) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry("/proc", code), end; entry != end && !code;
       entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    pid_t process = 0;
    if (!name.getAsInteger(10, process) && process != ::getpid() && worksIn(name, folder))
      ::kill(process, SIGKILL);
  }
}

/// The life of the second process: waits until the pipe's other end is gone, and tidies up. It holds nothing
/// open that somebody may wait for.
[[noreturn]] void sweep(int alive, const std::string &folder) {
  ::setsid();
  int nothing = ::open("/dev/null", O_RDWR);
  for (int standard : {0, 1, 2})
    ::dup2(nothing, standard);
  ::dup2(alive, 3);
  ::close_range(4, ~0U, 0);
  char byte = 0;
  while (::read(3, &byte, 1) < 0 && errno == EINTR)
    ;
  // A compiler may make a file while its folder is removed.
  for (int attempt = 0; attempt < 10 && llvm::sys::fs::exists(folder); ++attempt) {
    endCompilers(folder);
    removeTemporaryFolder(folder);
  }
  ::_exit(0);
}

} // namespace

llvm::Expected<std::unique_ptr<WorkFolder>> WorkFolder::create() {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return systemError("cannot make a pipe");
  pid_t sweeper = ::fork();
  if (sweeper < 0)
    return systemError("cannot start a process");
  if (sweeper == 0) {
    ::close(ends[1]);
    sweep(ends[0], folder->path());
  }
  ::close(ends[0]);
  return std::unique_ptr<WorkFolder>(new WorkFolder(std::move(*folder), ends[1], sweeper));
}

WorkFolder::~WorkFolder() {
  removeTemporaryFolder(path());
  ::close(alive_);
  while (::waitpid(sweeper_, nullptr, 0) < 0 && errno == EINTR)
    ;
}

} // namespace warpwright
