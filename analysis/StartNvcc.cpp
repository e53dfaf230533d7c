#include "analysis/StartNvcc.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

/// Puts the text into a folder of its own under the file's own name: names of internal symbols depend on it.
llvm::Expected<std::string> writeScratch(const FileRequest &request,
                                         std::optional<TemporaryFolder> &scratch) {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create(request.temporaryDirectory);
  if (!folder)
    return folder.takeError();
  llvm::SmallString<128> path(folder->path());
  scratch.emplace(std::move(*folder));
  llvm::sys::path::append(path, llvm::sys::path::filename(request.file));
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::errorCodeToError(code);
  stream << *request.text;
  stream.close();
  if (stream.has_error())
    return llvm::errorCodeToError(stream.error());
  return std::string(path);
}

/// `_Z1kv` for the static `_ZL1kv`, and no hash of the file in the name of the anonymous namespace.
std::string withoutLinkage(llvm::StringRef symbol) {
  constexpr llvm::StringLiteral anonymous = "_GLOBAL__N_";
  std::string result = symbol.str();
  if (symbol.starts_with("_ZL"))
    result.erase(2, 1);
  size_t name = result.find(anonymous);
  if (name == std::string::npos)
    return result;
  size_t digits = name;
  while (digits > 0 && llvm::isDigit(result[digits - 1]))
    --digits;
  unsigned length = 0;
  if (llvm::StringRef(result).slice(digits, name).getAsInteger(10, length) || length > result.size() - name)
    return result;
  return result.replace(digits, name - digits + length, anonymous.str());
}

} // namespace

llvm::Expected<ResourceCompile> startNvcc(const FileRequest &request, std::optional<TemporaryFolder> &scratch,
                                          llvm::StringRef cubin) {
  ResourceRequest compile;
  compile.nvcc = request.toolkit.nvcc;
  compile.file = request.file;
  compile.directory = request.invocation.directory;
  compile.architecture = "sm_" + request.target.architecture;
  compile.virtualArchitecture = "compute_" + request.target.virtualArchitecture;
  compile.arguments = request.invocation.deviceArguments;
  compile.temporaryDirectory = request.temporaryDirectory;
  compile.cubin = cubin.str();
  if (request.text) {
    llvm::Expected<std::string> written = writeScratch(request, scratch);
    if (!written)
      return written.takeError();
    compile.file = *written;
    // Quoted includes are looked up beside the original.
    llvm::SmallString<256> folder(llvm::sys::path::parent_path(request.file));
    llvm::sys::path::make_absolute(request.invocation.directory, folder);
    compile.arguments.insert(compile.arguments.end(), {"-Xcompiler", "-iquote," + std::string(folder)});
  }
  return ResourceCompile::start(compile);
}

const KernelResources *findCompiled(const PtxasReport &report, llvm::StringRef symbol,
                                    llvm::StringRef architecture) {
  if (const KernelResources *found = report.find(symbol, architecture))
    return found;
  const KernelResources *match = nullptr;
  for (const KernelResources &kernel : report.kernels) {
    if (kernel.architecture != architecture || withoutLinkage(kernel.symbol) != withoutLinkage(symbol))
      continue;
    if (match)
      return nullptr;
    match = &kernel;
  }
  return match;
}

} // namespace warpwright
