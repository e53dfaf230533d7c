#include "analysis/frontend/Compatibility.h"

#include "analysis/frontend/Compiler.h"

#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>

namespace warpwright {
namespace {

/// The folder of gcc's own headers, read off the libstdc++ that Clang's driver chose: both belong to one
/// installation.
std::string gccHeaders(const clang::HeaderSearchOptions &search) {
  for (const clang::HeaderSearchOptions::Entry &entry : search.UserEntries) {
    auto [installation, rest] = llvm::StringRef(entry.Path).split("/../../../../include/c++");
    if (!rest.empty() && installation.contains("/gcc/"))
      return (installation + "/include").str();
  }
  return {};
}

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
createFileSystem(const clang::CompilerInvocation &invocation) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  std::string folder = invocation.getHeaderSearchOpts().ResourceDir + "/include/";
  memory->addFile(folder + compatibilityHeader, 0, llvm::MemoryBuffer::getMemBuffer(compatibilityText));
  memory->addFile(folder + nvccMacroHeader, 0, llvm::MemoryBuffer::getMemBuffer("#define __NVCC__ 1\n"));
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::createPhysicalFileSystem());
  files->pushOverlay(std::move(memory));
  return files;
}

void addCompatibility(clang::CompilerInvocation &invocation) {
  std::vector<std::string> &includes = invocation.getPreprocessorOpts().Includes;
  auto wrapper = llvm::find(includes, cudaWrapperHeader);
  if (wrapper != includes.end())
    includes.insert(std::next(wrapper), compatibilityHeader);

  clang::HeaderSearchOptions &search = invocation.getHeaderSearchOpts();
  if (std::string folder = gccHeaders(search); !folder.empty())
    search.AddPath(folder, clang::frontend::After, /*IsFramework=*/false, /*IgnoreSysRoot=*/true);
  invocation.getDiagnosticOpts().Warnings = {"no-everything"};
}

} // namespace warpwright
