#include "rewriters/prescreen/PreScreen.h"

#include "analysis/FileResources.h"
#include "analysis/frontend/FrontEnd.h"
#include "rewriters/InterfaceChange.h"
#include "rewriters/edits/ApplyEdits.h"

namespace warpwright {
namespace {

constexpr const char *stage = "pre-screen";

Verdict decline(const char *stage, std::string reason) {
  return {Verdict::Kind::Declined, stage, std::move(reason)};
}

/// What may not grow beyond its limit.
Verdict checkResources(const KernelAnalysis &rewritten, unsigned maxRegisters) {
  if (!rewritten.resources)
    return {Verdict::Kind::Undecided, "ptxas", rewritten.resourcesNote};
  if (maxRegisters != 0 && rewritten.resources->registers > maxRegisters)
    return decline("ptxas", std::to_string(rewritten.resources->registers) + " registers a thread, " +
                                std::to_string(maxRegisters) + " are allowed");
  if (rewritten.occupancy && rewritten.occupancy->residentBlocks == 0)
    return decline("ptxas", "not one block fits on a multiprocessor");
  return {Verdict::Kind::Accepted, stage, {}};
}

} // namespace

Screening::Screening(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
                     const KernelAnalysis &original, llvm::ArrayRef<const Candidate *> set,
                     unsigned maxRegisters)
    : original_(&original), maxRegisters_(maxRegisters) {
  std::string result = original.kernel.name;
  for (const Candidate *candidate : set) {
    llvm::append_range(claims_, candidate->claims);
    if (!candidate->clone)
      continue;
    result = candidate->clone->name;
    launchChanges_ = true;
  }
  llvm::Expected<std::string> text = applyCandidates(originalText, set);
  if (!text) {
    failed_ = decline("edits", llvm::toString(text.takeError()));
    return;
  }
  for (FileRequest request : requests) {
    request.text = *text;
    request.onlyKernel = result;
    requests_.push_back(std::move(request));
  }
}

llvm::Expected<Verdict> Screening::count() {
  if (failed_)
    return *failed_;
  for (const FileRequest &request : requests_) {
    llvm::Expected<Verdict> verdict = countOn(request);
    if (!verdict || verdict->kind != Verdict::Kind::Accepted)
      return verdict;
  }
  return Verdict{Verdict::Kind::Accepted, stage, {}};
}

/// One architecture. A failure to parse is a verdict; other errors pass on.
llvm::Expected<Verdict> Screening::countOn(const FileRequest &request) {
  FileAnalysis file;
  llvm::Error error = parseFile(file, request);
  if (!error)
    error = collectCounts(file, request, nullptr);
  std::string failure;
  error = llvm::handleErrors(std::move(error), [&](const ParseFailure &parse) {
    failure = "line " + std::to_string(parse.place.line) + ": " + parse.message;
  });
  if (error)
    return std::move(error);
  if (!failure.empty())
    return decline("parse", failure);
  if (file.kernels.size() != 1)
    return decline("legality", "the kernel's name or template arguments changed");
  const KernelAnalysis &kernel = file.kernels.front();
  if (std::optional<InterfaceChange> change = findInterfaceChange(*original_, kernel, launchChanges_))
    return decline("legality", change->reason);
  Verdict verdict = checkClaims(claims_, *original_, kernel);
  files_.push_back(std::move(file));
  return verdict;
}

void Screening::startResources() {
  for (size_t i = 0; i < files_.size(); ++i)
    warpwright::startResources(files_[i], requests_[i]);
}

Verdict Screening::finish() {
  Verdict verdict{Verdict::Kind::Accepted, stage, {}};
  for (size_t i = 0; i < files_.size() && verdict.kind == Verdict::Kind::Accepted; ++i) {
    collectResources(files_[i], requests_[i]);
    verdict = checkResources(files_[i].kernels.front(), maxRegisters_);
  }
  return verdict;
}

} // namespace warpwright
