#include "clang_plugin/HostCommand.h"

#include "analysis/frontend/Compiler.h"

#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

/// The folder above the include folder that holds cuda.h; empty where there is none.
std::string toolkitIn(const clang::HeaderSearchOptions &search) {
  for (const clang::HeaderSearchOptions::Entry &entry : search.UserEntries) {
    llvm::SmallString<256> header(entry.Path);
    llvm::sys::path::append(header, "cuda.h");
    if (llvm::sys::fs::exists(header))
      return llvm::sys::path::parent_path(entry.Path).str();
  }
  return {};
}

/// What the driver adds by itself will be added again, and in its own order.
bool isOfDriver(llvm::StringRef path, const clang::HeaderSearchOptions &search, llvm::StringRef toolkit) {
  for (llvm::StringRef prefix :
       {llvm::StringRef(search.ResourceDir), toolkit, llvm::StringRef("/usr/include"),
        llvm::StringRef("/usr/lib"), llvm::StringRef("/usr/local/include"), llvm::StringRef("/usr/bin")})
    if (!prefix.empty() && path.starts_with(prefix))
      return true;
  return false;
}

std::string standardOf(const clang::LangOptions &language) {
  std::string name = language.GNUMode ? "-std=gnu++" : "-std=c++";
  return name + (language.CPlusPlus23   ? "23"
                 : language.CPlusPlus20 ? "20"
                 : language.CPlusPlus17 ? "17"
                 : language.CPlusPlus14 ? "14"
                                        : "11");
}

} // namespace

llvm::Expected<ParseRequest> deviceRequest(const clang::Preprocessor &preprocessor,
                                           const clang::SourceManager &sources,
                                           const std::string &architecture) {
  const clang::HeaderSearchOptions &search = preprocessor.getHeaderSearchInfo().getHeaderSearchOpts();
  const clang::PreprocessorOptions &options = preprocessor.getPreprocessorOpts();
  ParseRequest request;
  request.architecture = architecture;
  request.cudaPath = toolkitIn(search);
  if (request.cudaPath.empty())
    return llvm::createStringError("the command names no folder with cuda.h");
  clang::OptionalFileEntryRef main = sources.getFileEntryRefForID(sources.getMainFileID());
  if (!main)
    return llvm::createStringError("the source is no file");
  request.file = main->getName().str();
  request.text = sources.getBufferData(sources.getMainFileID()).str();
  request.directory = sources.getFileManager().getFileSystemOpts().WorkingDir;
  std::vector<std::string> &arguments = request.clangArguments;
  arguments.push_back(standardOf(preprocessor.getLangOpts()));
  if (preprocessor.getLangOpts().FastMath)
    arguments.push_back("-ffast-math");
  for (const clang::HeaderSearchOptions::Entry &entry : search.UserEntries) {
    if (isOfDriver(entry.Path, search, request.cudaPath))
      continue;
    const char *flag = entry.Group == clang::frontend::Quoted   ? "-iquote"
                       : entry.Group == clang::frontend::Angled ? "-I"
                       : entry.Group == clang::frontend::After  ? "-idirafter"
                                                                : "-isystem";
    arguments.insert(arguments.end(), {flag, entry.Path});
  }
  for (const auto &[macro, isUndefined] : options.Macros)
    arguments.push_back((isUndefined ? "-U" : "-D") + macro);
  for (const std::string &include : options.Includes)
    if (include != cudaWrapperHeader)
      arguments.insert(arguments.end(), {"-include", include});
  return request;
}

} // namespace warpwright
