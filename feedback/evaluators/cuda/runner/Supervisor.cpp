#include "feedback/evaluators/cuda/runner/Supervisor.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpwright::runner {
namespace {

using Clock = std::chrono::steady_clock;

/// How often the evaluating process's memory is looked at.
constexpr int pollMilliseconds = 200;
/// The driver takes long to give a hung device back: until then the process cannot be reaped.
constexpr double secondsToDie = 60;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

uint64_t residentBytes(pid_t process) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/statm");
  uint64_t pages = 0, resident = 0;
  stream >> pages >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Everything the evaluating process has said, and what that amounts to.
class Watch {
public:
  explicit Watch(const Job &job) : job_(job), start_(Clock::now()), stepStart_(start_) {
    result_ = {{"schema", "warpwright/result/1"}, {"name", job.name}, {"job_sha256", job.sha256}};
    result_["original_sha256"] = job.original.sha256;
    if (job.candidate)
      result_["candidate_sha256"] = job.candidate->sha256;
    result_["verdict"] = "undecided";
    result_["reason"] = "";
    result_["environment"] = Json::object();
    result_["shapes"] = Json::array();
    result_["notes"] = Json::array();
  }

  void take(const std::string &line);
  /// The limit that is passed, if one is.
  std::optional<FaultKind> passedLimit(pid_t process) const;
  void endByLimit(FaultKind kind);
  void endByDeath(int status);
  void note(const std::string &text) { result_["notes"].push_back(text); }
  bool decided() const { return decided_; }
  /// What became of the job, with the seconds that its steps took.
  Outcome outcome();

private:
  void takeProfile(const Json &profile);
  void endStep();
  void decide(const std::string &verdict, const std::string &reason, int exitCode);
  void decideFault(std::string_view kind, bool ofOriginal, const std::string &shape,
                   const std::string &detail);

  const Job &job_;
  Json result_;
  int exitCode_ = 4;
  bool decided_ = false;
  std::string step_ = "start";
  std::string running_ = "runner"; ///< whose code: runner, original or candidate
  bool waiting_ = false;
  double stepSeconds_ = 0;
  double waited_ = 0;
  std::map<std::string, double> spent_; ///< seconds, by kind of step
  Clock::time_point start_;
  Clock::time_point stepStart_;
};

/// Steps are many, and named for people; what an evaluation costs is asked by kind.
std::string kindOf(const std::string &step) {
  if (step.find(": timing ") != std::string::npos)
    return "timing";
  if (step.find(": ") != std::string::npos)
    return "checking";
  return "opening";
}

void Watch::endStep() {
  spent_[waiting_ ? "waiting" : kindOf(step_)] += secondsSince(stepStart_);
  stepStart_ = Clock::now();
}

Outcome Watch::outcome() {
  endStep();
  for (const auto &[kind, seconds] : spent_)
    result_["seconds"][kind] = seconds;
  return {result_, exitCode_};
}

void Watch::decide(const std::string &verdict, const std::string &reason, int exitCode) {
  if (decided_)
    return;
  decided_ = true;
  result_["verdict"] = verdict;
  result_["reason"] = reason;
  exitCode_ = exitCode;
}

void Watch::decideFault(std::string_view kind, bool ofOriginal, const std::string &shape,
                        const std::string &detail) {
  if (decided_)
    return;
  result_["fault"] = {
      {"kind", kind}, {"of", ofOriginal ? "original" : "candidate"}, {"shape", shape}, {"detail", detail}};
  std::string reason = (ofOriginal ? "the original: " : "") + std::string(kind) + ": " + detail;
  decide(ofOriginal ? "undecided" : "declined", reason, ofOriginal ? 2 : 1);
}

void Watch::takeProfile(const Json &profile) {
  for (Json &shape : result_["shapes"])
    if (shape["name"] == profile["shape"])
      shape["profiles"].push_back(profile);
}

void Watch::take(const std::string &line) {
  Json message = Json::parse(line, nullptr, false);
  if (message.is_discarded())
    return;
  if (message.contains("begin") || message.contains("waiting")) {
    if (waiting_)
      waited_ += secondsSince(stepStart_);
    endStep();
    waiting_ = message.contains("waiting");
    step_ = message[waiting_ ? "waiting" : "begin"].get<std::string>();
    running_ = message.value("blame", "runner");
    stepSeconds_ = message.value("seconds", 0.0);
  } else if (message.contains("environment")) {
    result_["environment"] = message["environment"];
  } else if (message.contains("shape")) {
    result_["shapes"].push_back(message["shape"]);
  } else if (message.contains("profile")) {
    takeProfile(message["profile"]);
  } else if (message.contains("note")) {
    note(message["note"]);
  } else if (message.contains("fault")) {
    const Json &fault = message["fault"];
    decideFault(fault["kind"].get<std::string>(), fault["of"] == "original", fault["shape"], fault["detail"]);
  } else if (message.contains("end")) {
    decide("undecided", message["text"], message["end"].get<int>());
  } else if (message.contains("accepted")) {
    decide("accepted",
           job_.candidate ? "results hold, and nothing that was looked for was found" : "measured", 0);
  }
}

std::optional<FaultKind> Watch::passedLimit(pid_t process) const {
  if (waiting_)
    return std::nullopt;
  if (stepSeconds_ > 0 && secondsSince(stepStart_) > stepSeconds_)
    return FaultKind::Hang;
  if (secondsSince(start_) - waited_ > job_.limits.seconds)
    return FaultKind::TimeLimit;
  if (job_.limits.hostBytes && residentBytes(process) > job_.limits.hostBytes)
    return FaultKind::OutOfMemory;
  return std::nullopt;
}

void Watch::endByLimit(FaultKind kind) {
  // Only a run that does not end is somebody's fault; a job that is long or large is the job's.
  if (kind == FaultKind::Hang)
    return decideFault(toString(kind), running_ == "original", "",
                       step_ + " did not end within " + std::to_string(static_cast<int>(stepSeconds_)) +
                           " s");
  decide("undecided", std::string(toString(kind)) + ": " + std::string(meaningOf(kind)) + ", while: " + step_,
         2);
}

void Watch::endByDeath(int status) {
  if (decided_)
    return;
  if (WIFSIGNALED(status) && running_ != "runner")
    return decideFault(toString(FaultKind::Crashed), running_ == "original", "",
                       std::string(strsignal(WTERMSIG(status))) + " during " + step_);
  decide("undecided", "the evaluation ended without a word during " + step_, 4);
}

pid_t startEvaluation(int pipe[2], const std::function<void(const Messages &)> &evaluate) {
  pid_t parent = getpid();
  pid_t process = fork();
  if (process != 0)
    return process;
  // Not to outlive the watching process: a run nobody watches could hold the device forever.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(4);
  rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  close(pipe[0]);
  evaluate(Messages(pipe[1]));
  _exit(0); // without the driver's exit handlers: after a fault they may hang
}

/// Reads lines until the pipe closes; a limit that is passed kills the process.
void follow(Watch &watch, int descriptor, pid_t process) {
  std::string pending;
  char bytes[4096];
  for (;;) {
    pollfd entry = {descriptor, POLLIN, 0};
    int ready = poll(&entry, 1, pollMilliseconds);
    if (ready > 0) {
      ssize_t count = read(descriptor, bytes, sizeof bytes);
      if (count <= 0)
        return;
      pending.append(bytes, static_cast<size_t>(count));
      for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
        watch.take(pending.substr(0, end));
    }
    std::optional<FaultKind> limit = watch.passedLimit(process);
    if (!limit)
      continue;
    watch.endByLimit(*limit);
    kill(process, SIGKILL);
    return;
  }
}

/// Nothing when the process could not be reaped in time.
std::optional<int> reap(pid_t process) {
  auto start = Clock::now();
  int status = 0;
  while (secondsSince(start) < secondsToDie) {
    if (waitpid(process, &status, WNOHANG) == process)
      return status;
    usleep(10000);
  }
  return std::nullopt;
}

} // namespace

Outcome supervise(const Job &job, const std::function<void(const Messages &)> &evaluate) {
  Watch watch(job);
  int pipe[2];
  pid_t process = ::pipe(pipe) == 0 ? startEvaluation(pipe, evaluate) : -1;
  if (process < 0) {
    watch.note("no process could be started");
    return watch.outcome();
  }
  close(pipe[1]);
  follow(watch, pipe[0], process);
  close(pipe[0]);
  if (std::optional<int> status = reap(process))
    watch.endByDeath(*status);
  else
    watch.note("the device did not give the process back after it was killed");
  return watch.outcome();
}

} // namespace warpwright::runner
