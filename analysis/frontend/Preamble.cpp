#include "analysis/frontend/Preamble.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Compiler.h"

#include <clang/Basic/Version.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/SHA256.h>

namespace warpwright {
namespace {

/// Whether the argument may name a file or a folder from the working directory. In doubt it does.
bool mayBeRelative(llvm::StringRef argument) {
  for (llvm::StringRef option : {"-isystem", "-iquote", "-idirafter", "-include", "-I", "-L"})
    if (argument.consume_front(option))
      return !argument.empty() && !llvm::sys::path::is_absolute(argument);
  for (llvm::StringRef option :
       {"-D", "-U", "-O", "-W", "-f", "-g", "-m", "-std=", "--std=", "-pthread", "-nocuda"})
    if (argument.starts_with(option)) {
      llvm::StringRef value = argument.split('=').second;
      return value.contains('/') && !llvm::sys::path::is_absolute(value);
    }
  return !llvm::sys::path::is_absolute(argument);
}

/// Everything that decides what the preamble holds. The toolkit's own header stands for all of its headers.
std::string preambleKey(const ParseRequest &request) {
  llvm::SHA256 hash;
  auto add = [&hash](llvm::StringRef text) {
    hash.update(text);
    hash.update(llvm::StringRef("\0", 1));
  };
  add(clang::getClangFullVersion());
  add(compatibilityText);
  add(request.architecture);
  add(request.cudaPath);
  // Targets of one project are compiled in folders of their own, mostly with the same absolute paths.
  if (llvm::any_of(request.clangArguments, mayBeRelative))
    add(request.directory);
  for (const std::string &argument : request.clangArguments)
    add(argument);
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(request.cudaPath + "/include/cuda.h", status))
    add(std::to_string(status.getLastModificationTime().time_since_epoch().count()));
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 24);
}

bool buildPreamble(const clang::CompilerInvocation &parse, llvm::StringRef path) {
  llvm::SmallString<256> temporary(path);
  temporary += ".";
  temporary += std::to_string(llvm::sys::Process::getProcessId());

  auto invocation = std::make_shared<clang::CompilerInvocation>(parse);
  clang::FrontendOptions &frontend = invocation->getFrontendOpts();
  std::unique_ptr<llvm::MemoryBuffer> nothing =
      llvm::MemoryBuffer::getMemBuffer("\n", "warpwright-preamble.h");
  frontend.Inputs = {clang::FrontendInputFile(*nothing, clang::InputKind(clang::Language::CUDA).getHeader())};
  frontend.OutputFile = std::string(temporary);
  frontend.ProgramAction = clang::frontend::GeneratePCH;
  invocation->getPreprocessorOpts().Includes = {cudaWrapperHeader, compatibilityHeader};

  clang::CompilerInstance compiler(invocation);
  clang::IgnoringDiagConsumer silence;
  compiler.createVirtualFileSystem(createFileSystem(*invocation));
  compiler.createDiagnostics(&silence, /*ShouldOwnClient=*/false);
  clang::GeneratePCHAction action;
  bool built = compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
  if (!built || llvm::sys::fs::rename(temporary, path)) {
    llvm::sys::fs::remove(temporary);
    return false;
  }
  return true;
}

/// Old toolkits, old Clangs and flags that nobody uses any more leave preambles of ten megabytes each behind.
/// LLVM prunes by the last access, and only files of its prefix.
constexpr const char *filePrefix = "llvmcache-preamble-";
void pruneOldPreambles(llvm::StringRef directory) {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = uint64_t(1) << 30;
  llvm::pruneCache(directory, policy);
}

} // namespace

std::string attachPreamble(clang::CompilerInvocation &invocation, const ParseRequest &request) {
  std::vector<std::string> &includes = invocation.getPreprocessorOpts().Includes;
  // The wrapper comes first wherever Clang compiles CUDA, and ours behind it; were they elsewhere, a preamble
  // would reorder the headers.
  bool usual = includes.size() > 1 && includes[0] == cudaWrapperHeader && includes[1] == compatibilityHeader;
  if (request.cacheDirectory.empty() || !usual)
    return {};
  if (llvm::sys::fs::create_directories(request.cacheDirectory))
    return {};
  llvm::SmallString<256> path(request.cacheDirectory);
  llvm::sys::path::append(path, filePrefix + preambleKey(request) + ".pch");
  if (!llvm::sys::fs::exists(path)) {
    if (!buildPreamble(invocation, path))
      return {};
    pruneOldPreambles(request.cacheDirectory);
  }
  includes.erase(includes.begin(), includes.begin() + 2);
  invocation.getPreprocessorOpts().ImplicitPCHInclude = std::string(path);
  return std::string(path);
}

} // namespace warpwright
