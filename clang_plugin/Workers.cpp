#include "clang_plugin/Workers.h"

#include <llvm/Support/raw_ostream.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright {
namespace {

struct Worker {
  size_t task = 0;
  pid_t process = 0;
  int pipe = -1;
};

/// The life of a worker: works, hands the result over, and goes without running anything that belongs to the
/// parent.
[[noreturn]] void live(int pipe, pid_t parent, size_t task, llvm::function_ref<std::string(size_t)> work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(1);
  std::string output = work(task);
  llvm::errs().flush();
  llvm::StringRef rest = output;
  while (!rest.empty()) {
    ssize_t written = ::write(pipe, rest.data(), rest.size());
    if (written < 0 && errno != EINTR)
      ::_exit(1);
    if (written > 0)
      rest = rest.drop_front(written);
  }
  ::_exit(0);
}

class Pool {
public:
  Pool(size_t tasks, unsigned atOnce, llvm::function_ref<std::string(size_t)> work)
      : results_(tasks), atOnce_(std::max(atOnce, 1u)), work_(work) {}

  std::vector<TaskResult> run() {
    size_t next = 0;
    while (next < results_.size() || !workers_.empty()) {
      while (next < results_.size() && workers_.size() < atOnce_)
        start(next++);
      if (!workers_.empty())
        collect();
    }
    return std::move(results_);
  }

private:
  void start(size_t task) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      results_[task].failure = std::string("no pipe: ") + std::strerror(errno);
      return;
    }
    llvm::outs().flush();
    llvm::errs().flush();
    pid_t parent = ::getpid();
    pid_t process = ::fork();
    if (process == 0)
      live(ends[1], parent, task, work_);
    int error = errno;
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      results_[task].failure = std::string("no process: ") + std::strerror(error);
      return;
    }
    workers_.push_back({task, process, ends[0]});
  }

  void collect() {
    std::vector<pollfd> waiting;
    for (const Worker &worker : workers_)
      waiting.push_back({worker.pipe, POLLIN, 0});
    if (::poll(waiting.data(), waiting.size(), -1) < 0)
      return;
    for (size_t i = waiting.size(); i-- > 0;)
      if (waiting[i].revents != 0 && !readSome(workers_[i])) {
        end(workers_[i]);
        workers_.erase(workers_.begin() + i);
      }
  }

  /// False at the end.
  bool readSome(const Worker &worker) {
    char buffer[1 << 16];
    ssize_t count = ::read(worker.pipe, buffer, sizeof(buffer));
    if (count > 0)
      results_[worker.task].output.append(buffer, count);
    return count > 0 || (count < 0 && errno == EINTR);
  }

  void end(const Worker &worker) {
    ::close(worker.pipe);
    int status = 0;
    while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR)
      ;
    TaskResult &result = results_[worker.task];
    if (WIFSIGNALED(status))
      result.failure = std::string("ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
                       ::strsignal(WTERMSIG(status)) + ")";
    else if (WEXITSTATUS(status) != 0)
      result.failure = "exited with " + std::to_string(WEXITSTATUS(status));
  }

  std::vector<TaskResult> results_;
  std::vector<Worker> workers_;
  unsigned atOnce_;
  llvm::function_ref<std::string(size_t)> work_;
};

} // namespace

std::vector<TaskResult> runInProcesses(size_t tasks, unsigned atOnce,
                                       llvm::function_ref<std::string(size_t)> work) {
  return Pool(tasks, atOnce, work).run();
}

} // namespace warpwright
