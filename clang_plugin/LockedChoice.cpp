#include "clang_plugin/LockedChoice.h"

#include "analysis/EvaluateLaunches.h"
#include "analysis/annotation/Shapes.h"
#include "analysis/ast/KernelTokens.h"
#include "clang_plugin/SequenceSearch.h"
#include "feedback/Tuning.h"
#include "feedback/evaluators/cuda/DeviceCode.h"
#include "feedback/evaluators/cuda/runner/Sha256.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/Path.h>

namespace warpwright {
namespace {

class LockReader {
public:
  LockReader(const FileJob &job, const FileVersions &versions, std::string release)
      : job_(job), versions_(versions), release_(std::move(release)), file_(job.lock->nameOf(job)) {}

  /// Why the static choice is taken; nothing where the lock's was.
  llvm::Expected<std::optional<std::string>> take(KernelRecord &record) const {
    const LockEntry *first = nullptr;
    std::vector<const KernelAnalysis *> kernels = versions_.of(record.key);
    for (size_t i = 0; i < kernels.size(); ++i) {
      const std::string &architecture = kernels[i]->architecture;
      const LockEntry *entry = job_.lock->lock.find(file_, record.key, architecture);
      if (!entry)
        return "the lock has no entry for it on " + architecture;
      LockConditions conditions = conditionsOf(job_, *kernels[i], versions_.requests[i].target, release_);
      if (std::optional<std::string> stale = whyStale(*entry, conditions))
        return "the lock's entry for " + architecture + " is stale: " + *stale;
      if (first && first->choice != entry->choice)
        return "the lock's entries for " + first->architecture + " and " + architecture +
               " choose differently";
      first = entry;
    }
    if (!first)
      return "no architecture has it";
    if (llvm::Error error = composeLocked(job_, versions_, *first, record))
      return std::move(error);
    if (std::optional<std::string> missing = applyLock(*first, versions_.text(), record))
      return "the lock's entry is stale: " + *missing;
    record.isLocked = true;
    return std::nullopt;
  }

private:
  const FileJob &job_;
  const FileVersions &versions_;
  std::string release_;
  std::string file_;
};

} // namespace

std::string LockFile::nameOf(const FileJob &job) const {
  llvm::SmallString<256> file(job.file);
  llvm::sys::path::make_absolute(job.invocation.directory, file);
  return pathFrom(path, file);
}

LockConditions conditionsOf(const FileJob &job, const KernelAnalysis &kernel, const NvccTarget &target,
                            std::string toolkitRelease) {
  LockConditions conditions;
  std::string note;
  Annotation annotation = completedByLaunches(kernel, note);
  for (const Shape &shape : completeShapes(annotation, kernel.context).shapes)
    conditions.shapes.push_back(shape.str());
  conditions.tokens = runner::sha256(kernelTokens(*kernel.kernel.declaration));
  conditions.flags = deviceFlags(job.invocation, target);
  conditions.toolkit = std::move(toolkitRelease);
  conditions.protocol = measurementProtocol;
  return conditions;
}

llvm::Error composeLocked(const FileJob &job, const FileVersions &versions, const LockEntry &entry,
                          KernelRecord &record) {
  SequenceSearch search(versions, job.policy);
  for (const LockedChange &change : entry.choice) {
    if (change.steps.size() < 2)
      continue;
    std::vector<RewriteStep> steps;
    for (const LockedStep &step : change.steps)
      steps.push_back({step.rewriter, step.subject, step.parameters});
    llvm::Expected<std::string> whyNot = search.apply(steps, record);
    if (!whyNot)
      return whyNot.takeError();
  }
  return llvm::Error::success();
}

llvm::Error takeLockedChoices(const FileJob &job, const FileVersions &versions, FileRecord &record) {
  if (llvm::none_of(record.kernels, [](const KernelRecord &kernel) { return kernel.annotated; }))
    return llvm::Error::success();
  llvm::Expected<std::string> release = toolkitRelease(job.toolkit);
  if (!release)
    return release.takeError();
  LockReader reader(job, versions, std::move(*release));
  for (KernelRecord &kernel : record.kernels) {
    if (!kernel.annotated)
      continue;
    llvm::Expected<std::optional<std::string>> why = reader.take(kernel);
    if (!why)
      return why.takeError();
    if (*why)
      record.remarks.push_back({Remark::Kind::Analysis, "lock", kernel.place,
                                "'" + kernel.name + "': " + **why + "; the static choice is taken"});
  }
  return llvm::Error::success();
}

} // namespace warpwright
