#include "clang_plugin/SequenceSearch.h"

#include "clang_plugin/ProposeCandidates.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/ComposeCandidates.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr size_t deepest = 3;        // steps of a sequence
constexpr unsigned mostOnABase = 4;  // candidates that go on from one
constexpr unsigned pointsOfEach = 2; // of a rewriter's parameter space
/// What a step must have gained by the model to be gone on from: less is within what the model does not see.
constexpr double worthwhileCost = 0.95;

bool isTaken(const RewriteStep &step, const Candidate &base) {
  return step.rewriter == base.rewriter || llvm::any_of(base.earlier, [&](const RewriteStep &earlier) {
           return earlier.rewriter == step.rewriter;
         });
}

bool isAccepted(const CandidateRecord &record) {
  return !record.verdicts.empty() && record.verdicts.back().kind == Verdict::Kind::Accepted;
}

/// The first points of each rewriter that the sequence does not hold yet.
std::vector<const Candidate *> worthwhile(const KernelRecord &proposed, const Candidate &base) {
  std::vector<const Candidate *> chosen;
  for (const CandidateRecord &next : proposed.candidates) {
    auto points = llvm::count_if(
        chosen, [&](const Candidate *other) { return other->rewriter == next.candidate.rewriter; });
    if (!isTaken(next.candidate, base) && points < pointsOfEach && chosen.size() < mostOnABase)
      chosen.push_back(&next.candidate);
  }
  return chosen;
}

} // namespace

/// The candidate of so many steps that the model likes best, if it gains enough.
std::optional<size_t> SequenceSearch::bestBase(const KernelRecord &record, size_t depth) const {
  std::optional<size_t> best;
  double lowest = worthwhileCost;
  for (size_t i = 0; i < record.candidates.size(); ++i) {
    const CandidateRecord &candidate = record.candidates[i];
    if (!candidate.candidate.clone || candidate.candidate.earlier.size() + 1 != depth ||
        candidate.predictions.size() != record.before.size())
      continue;
    double cost = relativeCost(record.before, candidate.predictions);
    if (depth > 1)
      cost /= relativeCost(record.before, record.candidates[*candidate.base].predictions);
    if (cost < lowest) {
      lowest = cost;
      best = i;
    }
  }
  return best;
}

/// The file with the base in it, and the copy alone analysed.
llvm::Expected<FileVersions> SequenceSearch::apply(const Candidate &base) const {
  llvm::Expected<std::string> text = applyCandidates(versions_.text(), {&base});
  if (!text)
    return text.takeError();
  FileVersions applied;
  for (FileRequest request : versions_.requests) {
    request.text = *text;
    request.onlyKernel = base.clone->name;
    request.wantResources = false;
    llvm::Expected<FileAnalysis> file = openFile(request);
    if (!file)
      return file.takeError();
    if (llvm::Error error = collectFacts(*file, request, nullptr))
      return std::move(error);
    applied.requests.push_back(std::move(request));
    applied.files.push_back(std::move(*file));
  }
  return applied;
}

llvm::Error SequenceSearch::goOnFrom(size_t base, KernelRecord &record) const {
  llvm::Expected<FileVersions> applied = apply(record.candidates[base].candidate);
  if (!applied)
    return applied.takeError();
  if (applied->files.front().kernels.size() != 1)
    return llvm::Error::success(); // its screening has said so
  const KernelAnalysis &copy = applied->files.front().kernels.front();
  KernelRecord proposed;
  proposed.key = copy.kernel.key;
  proposed.annotated = copy.annotation.has_value();
  if (llvm::Error error = proposeCandidates(*applied, policy_, proposed, /*relaunched=*/true))
    return error;
  // Copies: what is added moves the records.
  const Candidate first = record.candidates[base].candidate;
  // A step that adds nothing to one that is taken as it is would only be more to read.
  const std::vector<Prediction> against =
      isAccepted(record.candidates[base]) ? record.candidates[base].predictions : record.before;
  for (const Candidate *next : worthwhile(proposed, first)) {
    llvm::Expected<Candidate> composed = composeCandidates(versions_.text(), first, *next);
    if (!composed) {
      // It reaches into what the file shares with others.
      llvm::consumeError(composed.takeError());
      continue;
    }
    CandidateRecord candidate;
    candidate.candidate = std::move(*composed);
    candidate.base = base;
    Screening screening = judge_.editOn(copy, record, {&candidate.candidate});
    llvm::Expected<Judgement> judgement = judge_.judge(screening, {&candidate.candidate}, against);
    if (!judgement)
      return judgement.takeError();
    candidate.predictions = std::move(judgement->predictions);
    candidate.verdicts.push_back(std::move(judgement->verdict));
    record.candidates.push_back(std::move(candidate));
  }
  return llvm::Error::success();
}

llvm::Error SequenceSearch::extend(KernelRecord &record) const {
  for (size_t depth = 1; depth < deepest; ++depth) {
    std::optional<size_t> base = bestBase(record, depth);
    if (!base)
      break;
    if (llvm::Error error = goOnFrom(*base, record))
      return error;
  }
  return llvm::Error::success();
}

} // namespace warpwright
