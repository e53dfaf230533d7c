#include "analysis/frontend/Toolkit.h"

#include "analysis/Capture.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/Program.h>

namespace warpwright {
namespace {

std::string nvccBelow(llvm::StringRef root) {
  llvm::SmallString<256> path(root);
  llvm::sys::path::append(path, "bin", "nvcc");
  return llvm::sys::fs::can_execute(path) ? std::string(path) : std::string();
}

std::string lookUp(llvm::StringRef nvcc) {
  if (!nvcc.empty()) {
    if (nvcc.contains('/'))
      return llvm::sys::fs::can_execute(nvcc) ? nvcc.str() : std::string();
    llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(nvcc);
    return found ? *found : std::string();
  }
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("nvcc"))
    return *found;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (std::optional<std::string> root = llvm::sys::Process::GetEnv(variable))
      if (std::string found = nvccBelow(*root); !found.empty())
        return found;
  return nvccBelow("/usr/local/cuda");
}

/// The nearest folder above the real nvcc that holds the headers; distributions link to it from elsewhere.
std::string rootOf(llvm::StringRef nvcc) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(nvcc, real))
    real = nvcc;
  for (llvm::StringRef folder = llvm::sys::path::parent_path(real); !folder.empty();
       folder = llvm::sys::path::parent_path(folder)) {
    llvm::SmallString<256> header(folder);
    llvm::sys::path::append(header, "include", "cuda.h");
    if (llvm::sys::fs::exists(header))
      return folder.str();
  }
  return {};
}

/// The numbers in a text, each once.
std::vector<std::string> numbersIn(llvm::StringRef text) {
  std::vector<std::string> numbers;
  while (!(text = text.drop_until(llvm::isDigit)).empty()) {
    llvm::StringRef number = text.take_while(llvm::isDigit);
    if (!llvm::is_contained(numbers, number))
      numbers.push_back(number.str());
    text = text.drop_front(number.size());
  }
  return numbers;
}

} // namespace

std::string toolkitVersion(const Toolkit &toolkit) {
  llvm::Expected<Captured> said = capture({toolkit.nvcc, "--version"});
  if (!said) {
    llvm::consumeError(said.takeError());
    return {};
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  llvm::StringRef version = llvm::StringRef(said->output).rsplit(", V").second;
  return version.take_while([](char c) { return llvm::isDigit(c) || c == '.'; }).str();
}

std::vector<std::string> nativeArchitectures(const Toolkit &toolkit) {
  llvm::SmallString<256> program(toolkit.nvcc);
  if (llvm::sys::fs::real_path(toolkit.nvcc, program))
    return {};
  llvm::sys::path::remove_filename(program);
  llvm::sys::path::append(program, "__nvcc_device_query");
  llvm::SmallString<128> output;
  if (!llvm::sys::fs::can_execute(program) ||
      llvm::sys::fs::createTemporaryFile("warpwright-devices", "txt", output))
    return {};
  llvm::FileRemover remover(output);
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(), llvm::StringRef(output),
                                                      llvm::StringRef()};
  if (llvm::sys::ExecuteAndWait(program, {program}, std::nullopt, redirects, /*SecondsToWait=*/10) != 0)
    return {};
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(output);
  return text ? numbersIn((*text)->getBuffer()) : std::vector<std::string>();
}

llvm::Expected<Toolkit> findToolkit(llvm::StringRef nvcc) {
  std::string path = lookUp(nvcc);
  if (path.empty())
    return llvm::createStringError(
        nvcc.empty() ? "nvcc was not found in PATH, below CUDA_PATH or CUDA_HOME, nor below /usr/local/cuda"
                     : ("nvcc was not found at '" + nvcc + "'").str());
  std::string root = rootOf(path);
  if (root.empty())
    return llvm::createStringError("no folder above '" + path + "' holds include/cuda.h");
  return Toolkit{path, root};
}

} // namespace warpwright
