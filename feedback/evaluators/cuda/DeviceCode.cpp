#include "feedback/evaluators/cuda/DeviceCode.h"

#include "analysis/StartNvcc.h"
#include "analysis/frontend/NvccCommandLine.h"
#include "feedback/evaluators/Signatures.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

namespace warpwright {
namespace {

/// "90a" is 90; nothing for what is no number.
unsigned numberOf(llvm::StringRef architecture) {
  unsigned number = 0;
  architecture.take_while(llvm::isDigit).getAsInteger(10, number);
  return number;
}

bool isSuffixed(llvm::StringRef architecture) {
  return !architecture.empty() && llvm::isAlpha(architecture.back());
}

/// Whether machine code of the target runs on the device: code of a suffixed architecture on that one alone.
bool runsOn(const NvccTarget &target, unsigned device) {
  unsigned number = numberOf(target.architecture);
  if (isSuffixed(target.architecture))
    return number == device;
  return number / 10 == device / 10 && number <= device;
}

} // namespace

llvm::Expected<NvccTarget> targetFor(const NvccInvocation &invocation, llvm::StringRef architecture) {
  if (invocation.relocatable)
    return notMeasurable("it is compiled separately, and not whole before it is linked");
  unsigned device = numberOf(architecture.drop_until(llvm::isDigit));
  std::optional<NvccTarget> best;
  auto take = [&](const NvccTarget &target) {
    if (!best || numberOf(target.architecture) > numberOf(best->architecture) ||
        (target.architecture.size() > best->architecture.size()))
      best = target;
  };
  for (const NvccTarget &target : invocation.targets)
    if (target.form == NvccTarget::Cubin && runsOn(target, device))
      take(target);
  if (best)
    return *best;
  for (NvccTarget target : invocation.targets)
    if (target.form == NvccTarget::Ptx && !isSuffixed(target.virtualArchitecture) &&
        numberOf(target.virtualArchitecture) <= device)
      take(target);
  if (!best)
    return notMeasurable("the command makes nothing that runs on " + architecture);
  best->form = NvccTarget::Cubin;
  best->architecture = std::to_string(device);
  return *best;
}

std::vector<std::string> deviceFlags(const NvccInvocation &invocation, const NvccTarget &target) {
  std::vector<std::string> flags;
  llvm::Expected<std::vector<NvccArgument>> arguments =
      parseNvccCommandLine(invocation.deviceArguments, invocation.directory, NvccEnvironment());
  if (!arguments) {
    // They were taken from a command that was understood, so this is not met; whole they are no less right.
    llvm::consumeError(arguments.takeError());
    flags = invocation.deviceArguments;
  } else {
    for (const NvccArgument &argument : *arguments) {
      bool isLeft = argument.kind != NvccArgumentKind::Option || argument.is(NvccOptionId::IncludePath) ||
                    argument.is(NvccOptionId::SystemInclude) || argument.is(NvccOptionId::PreInclude) ||
                    argument.is(NvccOptionId::CompilerBindir) || argument.is(NvccOptionId::CompilerOptions);
      if (!isLeft)
        flags.push_back(llvm::join(argument.words, " "));
    }
  }
  flags.push_back("-gencode=" + target.generateCode());
  return flags;
}

llvm::Expected<std::string> toolkitRelease(const Toolkit &toolkit) {
  llvm::SmallString<128> output;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("warpwright-nvcc", "txt", output))
    return llvm::errorCodeToError(code);
  llvm::FileRemover remover(output);
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output),
                                                      llvm::StringRef()};
  std::string message;
  if (llvm::sys::ExecuteAndWait(toolkit.nvcc, {toolkit.nvcc, "--version"}, std::nullopt, redirects,
                                /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message) != 0)
    return llvm::createStringError("'" + toolkit.nvcc + " --version' failed: " + message);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(output);
  llvm::StringRef text = buffer ? (*buffer)->getBuffer() : llvm::StringRef();
  llvm::StringRef release =
      text.split(", V").second.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  if (release.empty())
    return llvm::createStringError("'" + toolkit.nvcc + " --version' names no release");
  return release.str();
}

llvm::Expected<DeviceCompile> DeviceCompile::start(const FileRequest &request, llvm::StringRef folder) {
  llvm::Expected<TemporaryFolder> output = TemporaryFolder::create(request.temporaryDirectory);
  if (!output)
    return output.takeError();
  std::optional<TemporaryFolder> text;
  llvm::Expected<ResourceCompile> compile = startNvcc(request, text, output->path() + "/cubin");
  if (!compile)
    return compile.takeError();
  return DeviceCompile(std::move(*compile), std::move(text), std::move(*output), folder.str(),
                       "sm_" + request.target.architecture);
}

llvm::Expected<MeasuredCode> DeviceCompile::finish(const FileAnalysis &file) {
  llvm::Expected<ResourceReport> report = compile_.wait();
  if (!report)
    return notMeasurable(llvm::toString(report.takeError()));
  std::string made = output_.path() + "/cubin";
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(made);
  if (!buffer)
    return llvm::createStringError("the cubin '" + made + "' cannot be read: " + buffer.getError().message());
  MeasuredCode code;
  code.sha256 = runner::sha256((*buffer)->getBuffer());
  llvm::SmallString<128> path(folder_);
  llvm::sys::path::append(path, code.sha256.substr(0, 16) + ".cubin");
  if (std::error_code error = llvm::sys::fs::copy_file(made, path))
    return llvm::createStringError("the cubin '" + path.str() + "' cannot be written: " + error.message());
  code.cubin = std::string(path);
  code.architecture = architecture_;
  code.report = std::move(report->ptxas);
  code.kernels = file.kernels;
  code.signatures = signaturesOf(file.kernels);
  return code;
}

} // namespace warpwright
