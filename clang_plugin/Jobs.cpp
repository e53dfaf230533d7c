#include "clang_plugin/Jobs.h"

#include "analysis/frontend/CompileDatabase.h"
#include "clang_plugin/LockedChoice.h"
#include "clang_plugin/NamedSequence.h"
#include "clang_plugin/OutputFile.h"
#include "feedback/Calibration.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <nlohmann/json.hpp>

namespace warpwright {

std::string cacheDirectory(const Options &options) {
  if (options.cacheDirectory == "none")
    return {};
  if (!options.cacheDirectory.empty())
    return options.cacheDirectory;
  llvm::SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return {};
  llvm::sys::path::append(path, "warpwright");
  return std::string(path);
}

namespace {

/// The smaller of two limits, of which 0 is none.
unsigned smallerLimit(unsigned left, unsigned right) {
  if (left == 0 || right == 0)
    return left + right;
  return std::min(left, right);
}

} // namespace

llvm::Error applyOptions(const Options &options, FileJob &job) {
  job.cacheDirectory = cacheDirectory(options);
  job.annotateEverything = options.annotateEverything;
  job.verify = !options.noVerify && !options.chooseAny;
  job.acceptUndecided = options.acceptUndecided;
  job.chooseAny = options.chooseAny;
  job.wantCandidates = !options.candidatesDirectory.empty();
  for (const std::string &text : options.apply) {
    llvm::Expected<std::vector<RewriteStep>> steps = parseSequence(text);
    if (!steps)
      return steps.takeError();
    job.sequences.push_back(std::move(*steps));
  }
  if (!options.policy.empty()) {
    llvm::Expected<Policy> policy = readPolicy(options.policy);
    if (!policy)
      return policy.takeError();
    job.policy = std::move(*policy);
  }
  if (!options.calibration.empty()) {
    llvm::Expected<Calibration> calibration = Calibration::readOrEmpty(options.calibration);
    if (!calibration)
      return calibration.takeError();
    job.calibration = std::make_shared<Calibration>(std::move(*calibration));
  }
  if (options.most != 0)
    job.mostMeasured = options.most;
  job.policy.maxRegisters = smallerLimit(job.policy.maxRegisters, options.maxRegisters);
  job.policy.strict |= options.strict;
  return llvm::Error::success();
}

void openLock(const Options &options, FileJob &job) {
  const std::string instead = "; the static choice is taken";
  auto note = [&](Remark::Kind kind, std::string message) {
    job.remarks.push_back({kind, "lock", {}, std::move(message)});
  };
  if (options.lock.empty()) {
    if (options.mode == "tune")
      note(Remark::Kind::Analysis, "mode tune without a lock" + instead);
    return;
  }
  llvm::Expected<Lock> lock = Lock::read(options.lock);
  if (!lock)
    return note(Remark::Kind::Missed, "lock not used: " + llvm::toString(lock.takeError()) + instead);
  if (lock->entries().empty())
    return note(Remark::Kind::Analysis, "lock '" + options.lock + "' has no entry" + instead);
  for (const LockEntry &entry : lock->entries())
    if (!entry.isIntact)
      note(Remark::Kind::Analysis, "the lock's entry for '" + entry.title() +
                                       "' is stale: it is not as it was written; its checksum does not fit");
  job.lock = std::make_shared<LockFile>(LockFile{options.lock, std::move(*lock)});
}

llvm::Expected<NvccInvocation> understandCommand(llvm::ArrayRef<std::string> arguments,
                                                 llvm::StringRef directory, const Toolkit &toolkit) {
  NvccEnvironment environment = NvccEnvironment::ofProcess();
  auto isNative = [](llvm::StringRef argument) { return argument.ends_with("native"); };
  if (llvm::any_of(arguments, isNative))
    environment.nativeArchitectures = nativeArchitectures(toolkit);
  return adjustArguments(arguments, directory, environment);
}

llvm::Expected<FileJob> makeJob(const std::string &file, const Options &options) {
  FileJob job;
  job.file = file;
  if (llvm::Error error = applyOptions(options, job))
    return std::move(error);
  llvm::Expected<Toolkit> toolkit = findToolkit();
  if (!toolkit)
    return toolkit.takeError();
  job.toolkit = std::move(*toolkit);

  llvm::SmallString<256> directory;
  if (std::error_code code = llvm::sys::fs::current_path(directory))
    return llvm::errorCodeToError(code);
  std::vector<std::string> arguments = options.compiler;
  if (!options.database.empty()) {
    llvm::Expected<CompileDatabase> database = CompileDatabase::load(options.database);
    if (!database)
      return database.takeError();
    llvm::Expected<std::vector<CompileCommand>> commands = database->commandsFor(file);
    if (!commands)
      return commands.takeError();
    directory = commands->front().directory;
    arguments = commands->front().arguments;
    job.file = commands->front().file;
  }
  llvm::Expected<NvccInvocation> invocation = understandCommand(arguments, directory, job.toolkit);
  if (!invocation)
    return invocation.takeError();
  job.invocation = std::move(*invocation);
  return job;
}

namespace {

llvm::Expected<FileJob> jobOf(const CompileCommand &command, const Options &options) {
  if (command.compiler == CompileCommand::Clang)
    return llvm::createStringError(
        "'" + command.file + "' is compiled by Clang, whose commands are not read yet; the plugin checks it");
  FileJob job;
  job.file = command.file;
  if (llvm::Error error = applyOptions(options, job))
    return std::move(error);
  llvm::Expected<Toolkit> toolkit = findToolkit(command.executable);
  if (!toolkit)
    return toolkit.takeError();
  job.toolkit = std::move(*toolkit);
  llvm::Expected<NvccInvocation> invocation =
      understandCommand(command.arguments, command.directory, job.toolkit);
  if (!invocation)
    return invocation.takeError();
  job.invocation = std::move(*invocation);
  return job;
}

/// What decides the result of a check.
bool sameCompile(const FileJob &left, const FileJob &right) {
  return left.file == right.file && left.toolkit.nvcc == right.toolkit.nvcc &&
         left.invocation.directory == right.invocation.directory &&
         left.invocation.clangArguments == right.invocation.clangArguments &&
         left.invocation.deviceArguments == right.invocation.deviceArguments &&
         left.invocation.targets == right.invocation.targets;
}

} // namespace

llvm::Expected<std::vector<FileJob>> makeJobs(const std::string &file, const Options &options,
                                              const CompileDatabase &database) {
  llvm::Expected<std::vector<CompileCommand>> commands = database.commandsFor(file);
  if (!commands)
    return commands.takeError();
  std::vector<FileJob> jobs;
  for (const CompileCommand &command : *commands) {
    llvm::Expected<FileJob> job = jobOf(command, options);
    if (!job)
      return job.takeError();
    if (llvm::none_of(jobs, [&](const FileJob &known) { return sameCompile(known, *job); }))
      jobs.push_back(std::move(*job));
  }
  return jobs;
}

llvm::Expected<std::vector<Launch>> readLaunches(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  auto document = nlohmann::ordered_json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded())
    return llvm::createStringError("'" + path + "' is not JSON");
  return parseLaunches(document);
}

llvm::Error writeOutput(const Options &options, llvm::StringRef text) {
  if (!options.output.empty())
    return writeFile(options.output, text);
  return writeToStandardOutput(text);
}

} // namespace warpwright
