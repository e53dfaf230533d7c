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

/// Parses and analyses the text for one architecture. A failure to parse is a verdict; other errors pass on.
llvm::Expected<Verdict> analyseOne(FileRequest request, const KernelAnalysis &original, unsigned maxRegisters,
                                   std::vector<FileAnalysis> &files) {
  request.onlyKernel = original.kernel.name;
  llvm::Expected<FileAnalysis> file = analyseFile(request, nullptr);
  if (!file) {
    std::string failure;
    llvm::Error rest = llvm::handleErrors(file.takeError(), [&](const ParseFailure &parse) {
      failure = "line " + std::to_string(parse.place.line) + ": " + parse.message;
    });
    if (rest)
      return std::move(rest);
    return decline("parse", failure);
  }
  if (file->kernels.size() != 1)
    return decline("legality", "the kernel's name or template arguments changed");
  if (file->kernels.front().kernel.key != original.kernel.key)
    return decline("legality", "the kernel's signature changed");
  Verdict verdict = compareKernels(original, file->kernels.front(), maxRegisters);
  files.push_back(std::move(*file));
  return verdict;
}

} // namespace

llvm::Expected<Screened> preScreen(llvm::ArrayRef<FileRequest> requests, llvm::StringRef originalText,
                                   const KernelAnalysis &original, llvm::ArrayRef<Edit> edits,
                                   unsigned maxRegisters) {
  Screened screened;
  llvm::Expected<std::string> text = applyEdits(originalText, edits);
  if (!text) {
    screened.verdict = decline("edits", llvm::toString(text.takeError()));
    return screened;
  }
  for (FileRequest request : requests) {
    request.text = *text;
    llvm::Expected<Verdict> verdict = analyseOne(std::move(request), original, maxRegisters, screened.files);
    if (!verdict)
      return verdict.takeError();
    screened.verdict = std::move(*verdict);
    if (screened.verdict.kind != Verdict::Kind::Accepted)
      break;
  }
  return screened;
}

} // namespace warpwright
