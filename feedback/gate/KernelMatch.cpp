#include "feedback/gate/KernelMatch.h"

#include "feedback/gate/Fingerprint.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

void takeInto(CheckedKernel &kernel, const CheckedKernel &other) {
  for (const MetricInfo &info : metrics()) {
    std::optional<double> &value = kernel.metrics[info.metric];
    const std::optional<double> &more = other.metrics[info.metric];
    if (more && (!value || info.isWorse(*value, *more)))
      value = more;
  }
  for (const CheckedFinding &finding : other.findings)
    if (llvm::none_of(kernel.findings, [&](const CheckedFinding &known) {
          return known.finding.id == finding.finding.id && known.fingerprint == finding.fingerprint;
        }))
      kernel.findings.push_back(finding);
}

bool anyProblem(const CheckedFile &file) {
  return llvm::any_of(file.problems, [](const CheckProblem &problem) {
    return problem.kind != CheckProblem::Kind::BadInput;
  });
}

} // namespace

std::vector<CheckedKernel> uniteKernels(llvm::ArrayRef<CheckedFile> files) {
  std::vector<CheckedKernel> kernels;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> places;
  for (const CheckedFile &file : files)
    for (const CheckedKernel &kernel : file.kernels) {
      auto [entry, isNew] =
          places.try_emplace({kernel.place.file, kernel.key, kernel.architecture}, kernels.size());
      if (isNew)
        kernels.push_back(kernel);
      else
        takeInto(kernels[entry->second], kernel);
    }
  return kernels;
}

KernelMatch::KernelMatch(const GateRequest &request, llvm::ArrayRef<CheckedKernel> kernels)
    : request_(request) {
  if (!request.baseline)
    return;
  for (const CheckedFile &file : request.files)
    if (!anyProblem(file))
      checkedFiles_.push_back(request.relative(file.file));
  for (const CheckedKernel &kernel : kernels) {
    std::string file = request.relative(kernel.place.file);
    if (const BaselineKernel *same = request.baseline->find(file, kernel.key))
      matches_[{file, kernel.key}] = {GateKernel::Origin::Same, same};
  }
  for (bool sameName : {true, false})
    for (const CheckedKernel &kernel : kernels) {
      Match &match = matches_[{request.relative(kernel.place.file), kernel.key}];
      if (match.before)
        continue;
      match.before = successorOf(kernel, sameName);
      if (match.before)
        match.origin = sameName ? GateKernel::Origin::Moved : GateKernel::Origin::Renamed;
    }
}

KernelMatch::Match KernelMatch::of(const CheckedKernel &kernel) const {
  auto found = matches_.find({request_.relative(kernel.place.file), kernel.key});
  return found == matches_.end() ? Match() : found->second;
}

/// A kernel that only a header of unchecked files brings cannot be said to be gone.
bool KernelMatch::isGone(const BaselineKernel &kernel) const {
  bool looked = llvm::is_contained(checkedFiles_, kernel.file) || !request_.exists(kernel.file);
  bool all = request_.whole && llvm::none_of(request_.files, anyProblem);
  return (looked || all) &&
         llvm::none_of(matches_, [&](const auto &entry) { return entry.second.before == &kernel; });
}

const BaselineKernel *KernelMatch::successorOf(const CheckedKernel &kernel, bool sameName) const {
  const BaselineKernel *only = nullptr;
  for (const BaselineKernel &old : request_.baseline->kernels) {
    bool alike = sameName ? signatureOf(old.key) == signatureOf(kernel.key)
                          : !kernel.body.empty() && old.body == kernel.body;
    if (!alike || old.isHost() != kernel.isHost() || !isGone(old))
      continue;
    if (only)
      return nullptr; // which of them it was is anyone's guess
    only = &old;
  }
  return only;
}

std::vector<const BaselineKernel *> KernelMatch::gone() const {
  std::vector<const BaselineKernel *> result;
  if (request_.baseline)
    for (const BaselineKernel &kernel : request_.baseline->kernels)
      if (!kernel.isHost() && isGone(kernel))
        result.push_back(&kernel);
  return result;
}

} // namespace warpwright
