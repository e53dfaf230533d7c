#include "analysis/FileResources.h"

#include "analysis/StartNvcc.h"
#include "analysis/arch/Occupancy.h"

namespace warpwright {
namespace {

/// What nvcc said, as one line: the first that speaks of an error. Reasons stand in tables.
std::string inOneLine(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  auto [first, rest] = llvm::StringRef(text).split('\n');
  auto speaks = [](llvm::StringRef line) { return line.contains("error") || line.contains("fatal"); };
  while (!speaks(first) && !rest.empty()) {
    auto [line, more] = rest.split('\n');
    if (speaks(line))
      return (first.take_front(first.find(':')) + ": " + line).str();
    rest = more;
  }
  return first.str();
}

void takeResources(FileAnalysis &file, const FileRequest &request) {
  llvm::Expected<ResourceReport> report = file.resources->wait();
  if (!report) {
    file.resourcesNote = inOneLine(report.takeError());
    return;
  }
  if (report->beforeLinking) {
    file.resourcesNote = "resources are unknown until linked";
    return;
  }
  for (KernelAnalysis &kernel : file.kernels)
    if (const KernelResources *found =
            findCompiled(report->ptxas, kernel.kernel.symbol, "sm_" + request.target.architecture))
      kernel.resources = *found;
}

void computeOccupancies(FileAnalysis &file) {
  for (KernelAnalysis &kernel : file.kernels) {
    const Architecture *architecture = findArchitecture(kernel.architecture);
    if (!kernel.resources) {
      kernel.resourcesNote = file.resourcesNote.empty() ? "nvcc made no code of it" : file.resourcesNote;
      continue;
    }
    if (!architecture || kernel.launches.empty())
      continue;
    const Launch &launch = kernel.launches.front().launch;
    kernel.occupancy = computeOccupancy(*architecture, launch.block.count(), kernel.resources->registers,
                                        kernel.resources->staticSharedBytes + launch.dynamicSharedBytes,
                                        kernel.resources->barriers);
  }
}

} // namespace

void startResources(FileAnalysis &file, const FileRequest &request) {
  if (!request.wantResources)
    file.resourcesNote = "registers were not asked for";
  else if (llvm::Expected<ResourceCompile> started = startNvcc(request, file.scratch))
    file.resources.emplace(std::move(*started));
  else
    file.resourcesNote = llvm::toString(started.takeError());
}

void collectResources(FileAnalysis &file, const FileRequest &request) {
  if (file.resources)
    takeResources(file, request);
  computeOccupancies(file);
}

} // namespace warpwright
