#include "rewriters/prescreen/PreScreen.h"

#include "analysis/frontend/FrontEnd.h"
#include "rewriters/edits/ApplyEdits.h"

namespace warpwright {
namespace {

Verdict decline(const char *stage, std::string reason) {
  return {Verdict::Kind::Declined, stage, std::move(reason)};
}

/// What must not change, and what may not grow, between a kernel and its rewritten self.
Verdict compareKernels(const KernelAnalysis &original, const KernelAnalysis &rewritten,
                       unsigned maxRegisters) {
  if (original.annotation.has_value() != rewritten.annotation.has_value() ||
      (original.annotation && original.annotation->text != rewritten.annotation->text))
    return decline("legality", "the annotation changed");
  if (!rewritten.resources)
    return {Verdict::Kind::Undecided, "ptxas", rewritten.resourcesNote};
  if (maxRegisters != 0 && rewritten.resources->registers > maxRegisters)
    return decline("ptxas", std::to_string(rewritten.resources->registers) + " registers a thread, " +
                                std::to_string(maxRegisters) + " are allowed");
  if (rewritten.occupancy && rewritten.occupancy->residentBlocks == 0)
    return decline("ptxas", "not one block fits on a multiprocessor");
  return {Verdict::Kind::Accepted, "pre-screen", {}};
}

} // namespace

Screening Screening::start(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
                           const KernelAnalysis &original, llvm::ArrayRef<const Candidate *> set,
                           unsigned maxRegisters) {
  std::vector<Edit> edits;
  std::vector<Claim> claims;
  for (const Candidate *candidate : set) {
    llvm::append_range(edits, candidate->edits);
    llvm::append_range(claims, candidate->claims);
  }
  Screening screening(original, std::move(claims), maxRegisters);
  llvm::Expected<std::string> text = applyEdits(originalText, edits);
  if (!text) {
    screening.failed_ = decline("edits", llvm::toString(text.takeError()));
    return screening;
  }
  for (FileRequest request : requests) {
    request.text = *text;
    request.onlyKernel = original.kernel.name;
    screening.started_.push_back(startFile(request));
    screening.requests_.push_back(std::move(request));
  }
  return screening;
}

llvm::Expected<Screened> Screening::finish() {
  Screened screened;
  if (failed_) {
    screened.verdict = std::move(*failed_);
    return screened;
  }
  for (size_t i = 0; i < requests_.size(); ++i) {
    llvm::Expected<Verdict> verdict = analyse(requests_[i], std::move(started_[i]), screened);
    if (!verdict)
      return verdict.takeError();
    screened.verdict = std::move(*verdict);
    if (screened.verdict.kind != Verdict::Kind::Accepted)
      break;
  }
  return screened;
}

/// One architecture. A failure to parse is a verdict; other errors pass on.
llvm::Expected<Verdict> Screening::analyse(const FileRequest &request, FileAnalysis file,
                                           Screened &screened) {
  llvm::Error error = parseFile(file, request);
  if (!error)
    error = collectFacts(file, request, nullptr);
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
  KernelAnalysis &kernel = file.kernels.front();
  if (kernel.kernel.key != original_->kernel.key)
    return decline("legality", "the kernel's signature changed");
  kernel.findings = findAll(kernel);
  Verdict verdict = checkClaims(claims_, *original_, kernel);
  if (verdict.kind == Verdict::Kind::Accepted)
    verdict = compareKernels(*original_, kernel, maxRegisters_);
  screened.files.push_back(std::move(file));
  return verdict;
}

} // namespace warpwright
