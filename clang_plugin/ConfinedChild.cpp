#include "clang_plugin/ConfinedChild.h"

#include "clang_plugin/Confinement.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace warpwright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t keptOutput = 32 << 10; // at either end
constexpr int pollMilliseconds = 100;

/// What compilers and the runner need. Keys and tokens are not among them.
constexpr llvm::StringLiteral keptVariables[] = {
    "CUDA_HOME",       "CUDA_PATH",         "CUDA_VISIBLE_DEVICES", "HOME", "LANG",   "LC_ALL",
    "LD_LIBRARY_PATH", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS",   "PATH", "TMPDIR", "XDG_CACHE_HOME"};

std::vector<std::string> childEnvironment(const ChildLimits &limits) {
  std::vector<std::string> kept = {"CUDA_CACHE_DISABLE=1"};
  for (char **entry = environ; *entry; ++entry) {
    llvm::StringRef name = llvm::StringRef(*entry).split('=').first;
    bool isOurs = llvm::is_contained(keptVariables, name) || name.starts_with("WARPWRIGHT_STUB_") ||
                  name.starts_with("STUB_");
    if (isOurs && (name != "TMPDIR" || limits.writable.empty()))
      kept.push_back(*entry);
  }
  if (!limits.writable.empty())
    kept.push_back("TMPDIR=" + limits.writable.front());
  return kept;
}

std::vector<char *> pointersTo(const std::vector<std::string> &texts) {
  std::vector<char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(const_cast<char *>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void limit(int resource, rlim_t value) {
  rlimit both = {value, value};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

/// What the parent reads before the program starts.
struct StartReport {
  int error = 0;
  bool network = false; ///< could not be denied
  bool writes = false;
};

struct Start {
  char *const *arguments;
  char *const *environment;
  const ChildLimits &limits;
  int output;
  int report;
  pid_t parent;
};

[[noreturn]] void become(const Start &start) {
  StartReport report;
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(start.output, 1);
  ::dup2(start.output, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, rlim_t(start.limits.fileMiB) << 20);
  // More than it can take before the watch ends it: for what is left where nobody watches any more.
  long cores = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  limit(RLIMIT_CPU, rlim_t(start.limits.seconds) * rlim_t(cores) + 1);
  report.network = !denyNetwork();
  report.writes = !start.limits.writable.empty() && !denyWrites(start.limits.writable);
  [[maybe_unused]] ssize_t told = ::write(start.report, &report, sizeof(report));
  if (::getppid() == start.parent)
    ::execve(start.arguments[0], start.arguments, start.environment);
  report.error = errno;
  told = ::write(start.report, &report, sizeof(report));
  ::_exit(127);
}

struct ProcessInfo {
  pid_t id = 0;
  pid_t session = 0;
  uint64_t residentBytes = 0;
};

/// "4711 (name) S ppid pgrp session ..."; the name may hold anything.
std::optional<ProcessInfo> readProcess(llvm::StringRef id) {
  ProcessInfo info;
  if (id.getAsInteger(10, info.id))
    return std::nullopt;
  auto stat = llvm::MemoryBuffer::getFileAsStream("/proc/" + id + "/stat");
  if (!stat)
    return std::nullopt;
  llvm::StringRef text = (*stat)->getBuffer();
  llvm::SmallVector<llvm::StringRef> words;
  text.drop_front(std::min(text.size(), text.rfind(')') + 1)).split(words, ' ', -1, /*KeepEmpty=*/false);
  uint64_t pages = 0;
  if (words.size() < 22 || words[3].getAsInteger(10, info.session) || words[21].getAsInteger(10, pages))
    return std::nullopt;
  info.residentBytes = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return info;
}

/// Every process of the session, whatever group it is in.
std::vector<ProcessInfo> processesOf(pid_t session) {
  std::vector<ProcessInfo> found;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry("/proc", code), end; entry != end && !code;
       entry.increment(code))
    if (std::optional<ProcessInfo> info = readProcess(llvm::sys::path::filename(entry->path())))
      if (info->session == session)
        found.push_back(*info);
  return found;
}

/// Until none is left: one may be starting another.
void endSession(pid_t session) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::vector<ProcessInfo> left = processesOf(session);
    llvm::erase_if(left, [&](const ProcessInfo &one) { return one.id == session && attempt > 0; });
    if (left.empty())
      return;
    for (const ProcessInfo &process : left)
      ::kill(process.id, SIGKILL);
    ::usleep(5000);
  }
}

class Watch {
public:
  Watch(pid_t child, int output, const ChildLimits &limits, const std::function<bool()> &isCancelled)
      : child_(child), output_(output), limits_(limits), isCancelled_(isCancelled),
        deadline_(Clock::now() + std::chrono::seconds(limits.seconds)) {}

  ChildOutcome run() {
    int status = 0;
    for (bool isOver = false; !isOver;) {
      readOutput(pollMilliseconds);
      isOver = ::waitpid(child_, &status, WNOHANG) == child_;
      if (!isOver && mustEnd()) {
        endSession(child_);
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR)
          ;
        isOver = true;
      }
    }
    // What it left running is not wanted any more.
    endSession(child_);
    readOutput(0);
    outcome_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    outcome_.output = first_;
    if (left_ != 0)
      outcome_.output += "\n... " + std::to_string(left_) + " bytes left out ...\n";
    outcome_.output += last_;
    return std::move(outcome_);
  }

private:
  bool mustEnd() {
    if (isCancelled_ && isCancelled_())
      outcome_.end = ChildOutcome::End::Cancelled;
    else if (Clock::now() >= deadline_)
      outcome_.end = ChildOutcome::End::OutOfTime;
    else if (residentMiB() > limits_.memoryMiB)
      outcome_.end = ChildOutcome::End::OutOfMemory;
    return outcome_.end != ChildOutcome::End::Exited;
  }

  uint64_t residentMiB() const {
    uint64_t bytes = 0;
    for (const ProcessInfo &process : processesOf(child_))
      bytes += process.residentBytes;
    return bytes >> 20;
  }

  void readOutput(int milliseconds) {
    if (output_ < 0) {
      ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
      return;
    }
    pollfd waiting = {output_, POLLIN, 0};
    char buffer[4096];
    // Who never stops talking does not keep us from looking at the clock.
    for (unsigned reads = 0; reads < 64 && ::poll(&waiting, 1, milliseconds) > 0; ++reads) {
      ssize_t got = ::read(output_, buffer, sizeof(buffer));
      if (got <= 0) {
        output_ = -1;
        return;
      }
      keep(llvm::StringRef(buffer, static_cast<size_t>(got)));
      milliseconds = 0;
    }
  }

  void keep(llvm::StringRef text) {
    size_t room = keptOutput - std::min(keptOutput, first_.size());
    first_ += text.take_front(room);
    last_ += text.drop_front(std::min(room, text.size()));
    if (last_.size() > 2 * keptOutput) {
      left_ += last_.size() - keptOutput;
      last_.erase(0, last_.size() - keptOutput);
    }
  }

  pid_t child_;
  int output_;
  const ChildLimits &limits_;
  const std::function<bool()> &isCancelled_;
  Clock::time_point deadline_;
  ChildOutcome outcome_;
  std::string first_, last_;
  size_t left_ = 0;
};

llvm::Error systemError(const std::string &what) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), what);
}

} // namespace

llvm::Expected<ChildOutcome> runConfined(const std::vector<std::string> &command, const ChildLimits &limits,
                                         const std::function<bool()> &isCancelled) {
  assert(!command.empty() && "a command has a program");
  const std::vector<std::string> variables = childEnvironment(limits);
  const std::vector<char *> arguments = pointersTo(command), environment = pointersTo(variables);
  int output[2], report[2];
  if (::pipe2(output, O_CLOEXEC) != 0)
    return systemError("cannot make a pipe");
  if (::pipe2(report, O_CLOEXEC) != 0) {
    llvm::Error error = systemError("cannot make a pipe");
    ::close(output[0]);
    ::close(output[1]);
    return std::move(error);
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0)
    become({arguments.data(), environment.data(), limits, output[1], report[1], parent});
  const int forkError = errno;
  ::close(output[1]);
  ::close(report[1]);
  StartReport confined, failed;
  const bool isTold = child > 0 && ::read(report[0], &confined, sizeof(confined)) == sizeof(confined);
  const bool hasFailed = isTold && ::read(report[0], &failed, sizeof(failed)) == sizeof(failed);
  ::close(report[0]);
  if (child < 0 || hasFailed) {
    if (child > 0)
      ::waitpid(child, nullptr, 0);
    ::close(output[0]);
    errno = child < 0 ? forkError : failed.error;
    return systemError("cannot run '" + command.front() + "'");
  }
  ChildOutcome outcome = Watch(child, output[0], limits, isCancelled).run();
  ::close(output[0]);
  if (!isTold || confined.network)
    outcome.missing.push_back("this kernel does not deny network to a process (seccomp)");
  if (!isTold || confined.writes)
    outcome.missing.push_back("this kernel does not confine where a process writes (Landlock)");
  return outcome;
}

} // namespace warpwright
