#include "feedback/evaluators/cuda/LocalDevice.h"

#include "feedback/Document.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright {

char NoDevice::ID = 0;

namespace {

using Json = nlohmann::ordered_json;

// As warpwright-runner --help lists them.
constexpr int noDriver = 5;
constexpr int noDevice = 6;

/// What a run of the runner left behind.
struct RunnerEnd {
  int code = 0;
  std::string words; ///< on standard error
};

llvm::Expected<RunnerEnd> start(const RunnerChoice &choice, llvm::StringRef folder,
                                std::vector<std::string> arguments) {
  if (!llvm::sys::fs::can_execute(choice.program))
    return llvm::createStringError("'" + choice.program +
                                   "' is no program; --runner names warpwright-runner");
  if (!choice.driver.empty())
    arguments.insert(arguments.end(), {"--driver", choice.driver});
  std::vector<llvm::StringRef> words = {choice.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string errors = (folder + "/runner.txt").str();
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(),
                                                      llvm::StringRef(errors)};
  std::string message;
  // The runner keeps the limits of the job itself; how long it waits for the device is not ours to bound.
  int code = llvm::sys::ExecuteAndWait(choice.program, words, std::nullopt, redirects, /*SecondsToWait=*/0,
                                       /*MemoryLimit=*/0, &message);
  if (code < 0)
    return llvm::createStringError("'" + choice.program + "' cannot be run: " + message);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(errors);
  return RunnerEnd{code, buffer ? (*buffer)->getBuffer().rtrim().str() : std::string()};
}

llvm::Error writeJobText(const std::string &path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (!code) {
    stream << text;
    stream.close();
    code = stream.error();
  }
  return code ? llvm::createStringError("'" + path + "' cannot be written: " + code.message())
              : llvm::Error::success();
}

/// The sanitizer's words that say what is wrong: lines that begin with "=========", a few of them.
std::string firstComplaints(llvm::StringRef log) {
  constexpr unsigned mostLines = 6;
  llvm::SmallVector<llvm::StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string words;
  unsigned taken = 0;
  for (llvm::StringRef line : lines) {
    llvm::StringRef text = line.trim("= \t\r");
    if (text.empty() || text.starts_with("COMPUTE-SANITIZER") || taken == mostLines)
      continue;
    words += (words.empty() ? "" : "; ") + text.str();
    ++taken;
  }
  return words;
}

} // namespace

llvm::Expected<LocalDevice> LocalDevice::find(const RunnerChoice &choice) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create(choice.temporaryDirectory);
  if (!folder)
    return folder.takeError();
  std::string path = folder->path() + "/device.json";
  llvm::Expected<RunnerEnd> end = start(choice, folder->path(), {"--device", "--output", path});
  if (!end)
    return end.takeError();
  if (end->code == noDriver || end->code == noDevice)
    return llvm::make_error<NoDevice>(end->words);
  if (end->code != 0)
    return llvm::createStringError("the runner failed: " + end->words);
  llvm::Expected<Json> description = readDocument(path, "warpwright/device/1");
  if (!description)
    return description.takeError();
  return LocalDevice(choice, std::move(*folder), std::move(*description));
}

llvm::Error LocalDevice::measure() {
  std::string path = folder_.path() + "/measured.json";
  llvm::Expected<RunnerEnd> end = start(choice_, folder_.path(), {"--device", "--measure", "--output", path});
  if (!end)
    return end.takeError();
  if (end->code != 0)
    return llvm::createStringError("the runner failed: " + end->words);
  llvm::Expected<Json> description = readDocument(path, "warpwright/device/1");
  if (!description)
    return description.takeError();
  description_ = std::move(*description);
  return llvm::Error::success();
}

std::string LocalDevice::architecture() const {
  return description_.value("architecture", std::string());
}

llvm::Expected<std::optional<Json>> LocalDevice::take(const Json &job) {
  std::string path = folder_.path() + "/job" + std::to_string(++jobs_) + ".json";
  std::string output = folder_.path() + "/result" + std::to_string(jobs_) + ".json";
  if (llvm::Error error = writeJobText(path, job.dump(1) + "\n"))
    return std::move(error);
  llvm::Expected<RunnerEnd> end = start(choice_, folder_.path(), {path, "--output", output});
  if (!end)
    return end.takeError();
  if (!llvm::sys::fs::exists(output))
    return llvm::createStringError("the runner made no result (exit code " + std::to_string(end->code) +
                                   "): " + end->words);
  llvm::Expected<Json> result = readDocument(output, "warpwright/result/1");
  if (!result)
    return result.takeError();
  return std::optional(std::move(*result));
}

llvm::Expected<SanitizerReport> LocalDevice::sanitize(const Json &job) {
  if (choice_.sanitizer.empty())
    return SanitizerReport{SanitizerReport::NotRun, "not asked for"};
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(choice_.sanitizer);
  if (!program || !llvm::sys::fs::can_execute(*program))
    return SanitizerReport{SanitizerReport::NotRun, "there is no program '" + choice_.sanitizer + "'"};
  constexpr int foundErrors = 86; // that no exit code of the runner is
  std::string path = folder_.path() + "/job" + std::to_string(++jobs_) + ".json";
  std::string output = folder_.path() + "/result" + std::to_string(jobs_) + ".json";
  std::string log = folder_.path() + "/sanitizer" + std::to_string(jobs_) + ".txt";
  if (llvm::Error error = writeJobText(path, job.dump(1) + "\n"))
    return std::move(error);
  for (const char *tool : {"memcheck", "racecheck"}) {
    std::vector<std::string> words = {*program,
                                      "--tool",
                                      tool,
                                      "--report-api-errors",
                                      "no",
                                      "--target-processes",
                                      "all",
                                      "--error-exitcode",
                                      std::to_string(foundErrors),
                                      "--log-file",
                                      log,
                                      choice_.program,
                                      path,
                                      "--output",
                                      output};
    if (!choice_.driver.empty())
      words.insert(words.end(), {"--driver", choice_.driver});
    std::vector<llvm::StringRef> references(words.begin(), words.end());
    std::string message;
    int code = llvm::sys::ExecuteAndWait(*program, references, std::nullopt, {}, /*SecondsToWait=*/600,
                                         /*MemoryLimit=*/0, &message);
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(log);
    std::string complaints = firstComplaints(buffer ? (*buffer)->getBuffer() : llvm::StringRef());
    if (code == foundErrors)
      return SanitizerReport{SanitizerReport::Errors, std::string(tool) + ": " + complaints};
    if (code != 0)
      return SanitizerReport{SanitizerReport::NotRun, std::string(tool) + " ended with code " +
                                                          std::to_string(code) + ": " + message + complaints};
  }
  return SanitizerReport{SanitizerReport::Clean, "memcheck, racecheck"};
}

std::string findRunner(llvm::StringRef program) {
  llvm::SmallString<256> folder(llvm::sys::path::parent_path(program));
  for (llvm::StringRef place : {"", "../feedback/evaluators/cuda/runner"}) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, place, "warpwright-runner");
    if (llvm::sys::fs::can_execute(path))
      return std::string(path);
  }
  llvm::sys::path::append(folder, "warpwright-runner");
  return std::string(folder);
}

} // namespace warpwright
