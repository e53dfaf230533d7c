#include "clang_plugin/EditedKernel.h"

#include "feedback/evaluators/cuda/MeasuredKernel.h"
#include "feedback/evaluators/virtual/verify/Verifier.h"
#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// The candidate of the set that changes the launch; at most one does.
const Candidate *changedLaunch(llvm::ArrayRef<Candidate> set) {
  const auto *found =
      llvm::find_if(set, [](const Candidate &candidate) { return candidate.plan.has_value(); });
  return found == set.end() ? nullptr : found;
}

} // namespace

llvm::Expected<EditedKernel> openEdited(const FileVersions &versions, size_t version,
                                        const KernelRecord &record, llvm::ArrayRef<Candidate> set) {
  std::vector<const Candidate *> candidates;
  for (const Candidate &candidate : set)
    candidates.push_back(&candidate);
  const Candidate *relaunched = changedLaunch(set);
  std::string name = relaunched && relaunched->clone ? relaunched->clone->name : record.name;
  llvm::Expected<std::string> text = applyCandidates(versions.text(), candidates);
  if (!text)
    return llvm::make_error<NotMeasurable>(llvm::toString(text.takeError()));
  FileRequest request = versions.requests[version];
  request.text = std::move(*text);
  request.onlyKernel = name;
  request.wantResources = false;
  llvm::Expected<FileAnalysis> file = openFile(request);
  if (!file)
    return file.takeError();
  readDeclarations(*file, request, nullptr);
  if (file->kernels.size() != 1)
    return llvm::make_error<NotMeasurable>("'" + name + "' is not there when the file is parsed again");
  LaunchPlan plan = LaunchPlan::same(record.name);
  if (relaunched)
    plan = *relaunched->plan;
  else if (!set.empty())
    plan = planOf(*versions.of(record.key)[version], file->kernels.front());
  return EditedKernel{std::move(request), std::move(*file), std::move(plan)};
}

} // namespace warpwright
