#include "clang_plugin/EditedKernel.h"

#include "feedback/evaluators/cuda/MeasuredKernel.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {

llvm::Expected<EditedKernel> openEdited(const FileVersions &versions, size_t version,
                                        const KernelRecord &record, llvm::ArrayRef<Candidate> set) {
  std::vector<Edit> edits;
  for (const Candidate &candidate : set)
    llvm::append_range(edits, candidate.edits);
  llvm::Expected<std::string> text = applyEdits(versions.text(), edits);
  if (!text)
    return llvm::make_error<NotMeasurable>(llvm::toString(text.takeError()));
  FileRequest request = versions.requests[version];
  request.text = std::move(*text);
  request.onlyKernel = record.name;
  request.wantResources = false;
  llvm::Expected<FileAnalysis> file = openFile(request);
  if (!file)
    return file.takeError();
  readDeclarations(*file, request, nullptr);
  if (file->kernels.size() != 1)
    return llvm::make_error<NotMeasurable>("'" + record.name +
                                           "' is not there when the file is parsed again");
  LaunchPlan plan = set.empty() ? LaunchPlan::same(record.name)
                                : vdevice::planOf(*versions.of(record.key)[version], file->kernels.front());
  return EditedKernel{std::move(request), std::move(*file), std::move(plan)};
}

} // namespace warpwright
