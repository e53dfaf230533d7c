#include "clang_plugin/Process.h"

#include <llvm/Support/Program.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright {
namespace {

std::string errorText(int number) {
  return std::error_code(number, std::generic_category()).message();
}

/// The new process: becomes the program, or says through the pipe why it did not. A compiler that went on
/// when the launcher is gone would write its object while the next build writes the same one.
[[noreturn]] void become(const char *program, char *const *arguments, pid_t launcher, int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() == launcher)
    ::execv(program, arguments);
  int number = errno;
  [[maybe_unused]] ssize_t written = ::write(failure, &number, sizeof(number));
  ::_exit(127);
}

/// What the program returned; a signal as shells report it, which build tools know.
int waitFor(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace

llvm::Expected<int> runProgram(llvm::ArrayRef<std::string> command) {
  assert(!command.empty() && "a command has a program");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(command.front());
  if (!program)
    return llvm::createStringError("cannot find the program '" + command.front() + "'");
  std::vector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  int failure[2];
  if (::pipe2(failure, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot run '" + command.front() + "': " + errorText(errno));
  pid_t launcher = ::getpid();
  pid_t process = ::fork();
  if (process == 0)
    become(program->c_str(), arguments.data(), launcher, failure[1]);
  int forkError = errno;
  ::close(failure[1]);
  int number = 0;
  bool failed = process > 0 && ::read(failure[0], &number, sizeof(number)) == sizeof(number);
  ::close(failure[0]);
  if (process < 0)
    return llvm::createStringError("cannot run '" + command.front() + "': " + errorText(forkError));
  int code = waitFor(process);
  if (failed)
    return llvm::createStringError("cannot run '" + command.front() + "': " + errorText(number));
  return code;
}

} // namespace warpwright
