#include "clang_plugin/FileVersions.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

namespace warpwright {

std::vector<const KernelAnalysis *> FileVersions::of(llvm::StringRef key) const {
  std::vector<const KernelAnalysis *> versions;
  for (const FileAnalysis &file : files)
    for (const KernelAnalysis &kernel : file.kernels)
      if (kernel.kernel.key == key)
        versions.push_back(&kernel);
  return versions;
}

llvm::StringRef FileVersions::text() const {
  const clang::SourceManager &sources = files.front().unit->ast().getSourceManager();
  return sources.getBufferData(sources.getMainFileID());
}

llvm::Expected<FileVersions> openVersions(const FileJob &job) {
  FileVersions versions;
  for (const NvccTarget &target : analysisTargets(job.invocation)) {
    FileRequest request;
    request.file = job.file;
    request.invocation = job.invocation;
    request.target = target;
    request.toolkit = job.toolkit;
    request.cacheDirectory = job.cacheDirectory;
    request.temporaryDirectory = job.temporaryDirectory;
    request.annotateEverything = job.annotateEverything;
    request.wantResources = !job.chooseAny;
    llvm::Expected<FileAnalysis> file = openFile(request);
    if (!file)
      return file.takeError();
    versions.requests.push_back(std::move(request));
    versions.files.push_back(std::move(*file));
  }
  return versions;
}

} // namespace warpwright
