#include "analysis/frontend/Dependencies.h"

#include "analysis/frontend/Compatibility.h"
#include "analysis/frontend/Compiler.h"
#include "analysis/frontend/ParseErrors.h"
#include "analysis/frontend/Preamble.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

std::vector<std::string> filesOf(clang::CompilerInstance &compiler) {
  std::vector<std::string> files;
  clang::SourceManager &sources = compiler.getSourceManager();
  for (auto entry = sources.fileinfo_begin(); entry != sources.fileinfo_end(); ++entry) {
    llvm::SmallString<256> path(entry->first.getName());
    compiler.getFileManager().makeAbsolutePath(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::exists(path)) // ours lie in memory
      files.emplace_back(path);
  }
  llvm::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

} // namespace

std::vector<std::string> dependenciesOf(TranslationUnit &unit) {
  return filesOf(unit.compiler());
}

llvm::Expected<std::vector<std::string>> scanDependencies(const ParseRequest &request) {
  llvm::Expected<std::shared_ptr<clang::CompilerInvocation>> invocation = createInvocation(request);
  if (!invocation)
    return invocation.takeError();
  attachPreamble(**invocation, request);
  (*invocation)->getFrontendOpts().ProgramAction = clang::frontend::RunPreprocessorOnly;
  clang::CompilerInstance compiler(*invocation);
  ErrorCollector errors;
  compiler.createVirtualFileSystem(createFileSystem(**invocation));
  compiler.createDiagnostics(&errors, /*ShouldOwnClient=*/false);
  // The sources go with the action's end, so that they are listed before.
  struct ListingAction : clang::PreprocessOnlyAction {
    std::vector<std::string> files;
    void EndSourceFileAction() override {
      files = filesOf(getCompilerInstance());
      clang::PreprocessOnlyAction::EndSourceFileAction();
    }
  } action;
  if (!compiler.ExecuteAction(action) || compiler.getDiagnostics().hasErrorOccurred())
    return llvm::make_error<ParseFailure>(errors.errors().place, errors.errors().message);
  return std::move(action.files);
}

} // namespace warpwright
