#include "analysis/ptxas/ResourceCompile.h"

#include "analysis/ptxas/Cubin.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <cassert>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace warpwright {

char ResourceError::ID = 0;

namespace {

using Kind = ResourceError::Kind;

llvm::Error failure(Kind kind, std::string text) {
  return llvm::make_error<ResourceError>(kind, std::move(text));
}

const char *toString(Kind kind) {
  switch (kind) {
  case Kind::NotFound:
    return "nvcc not found";
  case Kind::Failed:
    return "nvcc failed";
  case Kind::TimedOut:
    return "nvcc timed out";
  case Kind::Killed:
    return "nvcc was killed";
  case Kind::NotUnderstood:
    return "nvcc's output was not understood";
  case Kind::System:
    break;
  }
  return "nvcc could not be started";
}

std::string inFolder(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

std::string readAll(const std::string &path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// This process' environment, but for where temporary files go.
std::vector<std::string> environmentWith(const std::string &temporary) {
  std::vector<std::string> result;
  for (char **entry = environ; *entry; ++entry)
    if (!llvm::StringRef(*entry).starts_with("TMPDIR="))
      result.emplace_back(*entry);
  result.push_back("TMPDIR=" + temporary);
  return result;
}

/// "compute_90a" for "sm_90a".
std::string virtualOf(const ResourceRequest &request) {
  if (!request.virtualArchitecture.empty())
    return request.virtualArchitecture;
  llvm::StringRef number = request.architecture;
  number.consume_front("sm_");
  return ("compute_" + number).str();
}

/// -dc and -dw are -c or -w with -rdc=true; only the latter goes together with -cubin.
bool namesSeparatePhase(llvm::StringRef argument) {
  return argument == "-dc" || argument == "--device-c" || argument == "-dw" || argument == "--device-w";
}

/// nvcc takes the path of its working folder from the process, and another one can be had only through a
/// shell: paths that the user gave relative are therefore left alone and the shell changes folder first.
std::vector<std::string> commandLine(const ResourceRequest &request, const std::string &nvcc,
                                     const std::string &cubin) {
  std::vector<std::string> command;
  if (!request.directory.empty())
    command = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", request.directory};
  command.push_back(nvcc);
  for (const std::string &argument : request.arguments)
    command.push_back(namesSeparatePhase(argument) ? "-rdc=true" : argument);
  command.insert(command.end(),
                 {"-cubin", "-gencode=arch=" + virtualOf(request) + ",code=" + request.architecture,
                  "-Xptxas=-v", "-o", cubin, request.file});
  return command;
}

} // namespace

void ResourceError::log(llvm::raw_ostream &stream) const {
  stream << toString(kind) << ": " << text;
}

std::string excerpt(llvm::StringRef text, size_t first, size_t last) {
  llvm::SmallVector<llvm::StringRef, 64> lines;
  text.rtrim('\n').split(lines, '\n');
  if (lines.size() <= first + last)
    return llvm::join(lines, "\n");
  const llvm::ArrayRef<llvm::StringRef> all(lines);
  return llvm::join(all.take_front(first), "\n") + "\n... " + std::to_string(all.size() - first - last) +
         " lines left out ...\n" + llvm::join(all.take_back(last), "\n");
}

bool compilesSeparately(llvm::ArrayRef<std::string> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (namesSeparatePhase(argument))
      return true;
    if (!argument.consume_front("-rdc") && !argument.consume_front("--relocatable-device-code"))
      continue;
    if (argument.consume_front("="))
      return argument == "true";
    if (argument.empty() && i + 1 < arguments.size())
      return arguments[i + 1] == "true";
  }
  return false;
}

llvm::Expected<ResourceCompile> ResourceCompile::start(const ResourceRequest &request) {
  llvm::ErrorOr<std::string> nvcc = llvm::sys::findProgramByName(request.nvcc);
  if (!nvcc)
    return failure(Kind::NotFound, "'" + request.nvcc + "' is no program; " + nvcc.getError().message());

  ResourceCompile job;
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create(request.temporaryDirectory);
  if (!folder)
    return failure(Kind::System, llvm::toString(folder.takeError()));
  job.folder_.emplace(std::move(*folder));
  job.architecture_ = request.architecture;
  job.cubin_ = request.cubin;
  job.beforeLinking_ = compilesSeparately(request.arguments);
  job.limit_ = request.limit;
  job.started_ = std::chrono::steady_clock::now();

  const std::vector<std::string> command =
      commandLine(request, *nvcc, inFolder(job.folder_->path(), "out.cubin"));
  const std::vector<llvm::StringRef> arguments(command.begin(), command.end());
  const std::vector<std::string> environment = environmentWith(job.folder_->path());
  const std::vector<llvm::StringRef> variables(environment.begin(), environment.end());
  const std::string output = inFolder(job.folder_->path(), "out.txt");
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output),
                                                      llvm::StringRef(output)};
  std::string message;
  bool executionFailed = false;
  job.process_ =
      llvm::sys::ExecuteNoWait(arguments.front(), arguments, llvm::ArrayRef(variables), redirects,
                               /*MemoryLimit=*/0, &message, &executionFailed, /*AffinityMask=*/nullptr,
                               /*DetachProcess=*/true);
  if (executionFailed || job.process_.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return failure(Kind::System, message);
  return job;
}

ResourceCompile::ResourceCompile(ResourceCompile &&other) noexcept
    : folder_(std::exchange(other.folder_, std::nullopt)), architecture_(std::move(other.architecture_)),
      cubin_(std::move(other.cubin_)), beforeLinking_(other.beforeLinking_),
      process_(std::exchange(other.process_, {})), ended_(other.ended_),
      endMessage_(std::move(other.endMessage_)), started_(other.started_), limit_(other.limit_),
      duration_(other.duration_) {}

ResourceCompile::~ResourceCompile() {
  end();
}

/// Ends what runs and removes what lies about; the second time there is nothing to do.
void ResourceCompile::end() {
  if (process_.Pid != llvm::sys::ProcessInfo::InvalidPid) {
    // Detached means a session of its own, so its process id is that of the group: once the new process has
    // come so far. It goes first, therefore, and cannot make others while the group goes.
    ::kill(process_.Pid, SIGKILL);
    ::kill(-process_.Pid, SIGKILL);
    llvm::sys::Wait(process_, std::nullopt);
    process_ = {};
  }
  folder_.reset();
}

/// Waiting with a limit in LLVM raises SIGALRM, which in a process of several threads may reach the wrong
/// one. So it is only ever asked.
bool ResourceCompile::finished() {
  if (process_.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return true;
  const llvm::sys::ProcessInfo state =
      llvm::sys::Wait(process_, /*SecondsToWait=*/0, &endMessage_, /*ProcStat=*/nullptr, /*Polling=*/true);
  if (state.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return false;
  ended_ = state;
  process_ = {};
  duration_ =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_);
  return true;
}

llvm::Expected<ResourceReport> ResourceCompile::wait() {
  assert(folder_ && "the result is given once");
  while (!finished()) {
    if (std::chrono::steady_clock::now() - started_ > limit_) {
      end();
      return failure(Kind::TimedOut, "more than " + std::to_string(limit_.count()) + " ms");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  llvm::Expected<ResourceReport> result = read();
  end();
  return result;
}

llvm::Expected<ResourceReport> ResourceCompile::read() const {
  const std::string output = readAll(inFolder(folder_->path(), "out.txt"));
  if (ended_.ReturnCode == -2)
    return failure(Kind::Killed, endMessage_ + "\n" + excerpt(output));
  if (ended_.ReturnCode != 0)
    return failure(Kind::Failed,
                   output.empty() ? "exit code " + std::to_string(ended_.ReturnCode) : excerpt(output));

  ResourceReport report;
  report.beforeLinking = beforeLinking_;
  report.duration = duration_;
  llvm::Expected<PtxasReport> ptxas = parsePtxasOutput(output);
  if (!ptxas)
    return failure(Kind::NotUnderstood, llvm::toString(ptxas.takeError()));
  report.ptxas = std::move(*ptxas);

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(inFolder(folder_->path(), "out.cubin"));
  if (!buffer)
    return failure(Kind::NotUnderstood, "there is no cubin: " + buffer.getError().message());
  llvm::Expected<Cubin> cubin = readCubin((*buffer)->getMemBufferRef());
  if (!cubin)
    return failure(Kind::NotUnderstood, llvm::toString(cubin.takeError()));
  for (KernelResources &kernel : report.ptxas.kernels) {
    const CubinKernel *code = cubin->find(kernel.symbol);
    if (!code)
      return failure(Kind::NotUnderstood, "the cubin has no kernel '" + kernel.symbol + "'");
    if (code->registers && *code->registers != kernel.registers)
      return failure(Kind::NotUnderstood,
                     "ptxas and the cubin differ in the registers of '" + kernel.symbol + "'");
    kernel.codeBytes = code->codeBytes;
    kernel.instructions = code->instructions;
  }
  if (!cubin_.empty())
    if (std::error_code code = llvm::sys::fs::copy_file(inFolder(folder_->path(), "out.cubin"), cubin_))
      return failure(Kind::System, "the cubin cannot be written to '" + cubin_ + "': " + code.message());
  return report;
}

} // namespace warpwright
