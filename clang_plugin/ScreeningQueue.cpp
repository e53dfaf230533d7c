#include "clang_plugin/ScreeningQueue.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr long mostPoints = 4; // of a rewriter about one subject

} // namespace

bool ScreeningQueue::Waiting::alternativeTo(const Waiting &other) const {
  return record == other.record && candidate->candidate.isAlternativeTo(other.candidate->candidate);
}

ScreeningQueue::ScreeningQueue(const CandidateJudge &judge, llvm::MutableArrayRef<KernelRecord> records,
                               bool skipAlternatives)
    : judge_(judge), skipsAlternatives_(skipAlternatives) {
  for (KernelRecord &record : records)
    for (CandidateRecord &candidate : record.candidates)
      queue_.push_back({&record, &candidate, std::nullopt});
}

llvm::Error ScreeningQueue::run() {
  if (skipsAlternatives_)
    leaveRest();
  for (Waiting &waiting : queue_) {
    while (mayBeNeedless(waiting) || compiling_.size() == compilers)
      finishOldest();
    if (waiting.isJudged())
      continue; // an earlier one made it needless
    if (llvm::Error error = count(waiting))
      return error;
  }
  while (!compiling_.empty())
    finishOldest();
  return llvm::Error::success();
}

/// A build step looks at the first points of each parameter space.
void ScreeningQueue::leaveRest() {
  for (size_t i = 0; i < queue_.size(); ++i) {
    auto earlier = llvm::count_if(llvm::ArrayRef(queue_).take_front(i),
                                  [&](const Waiting &other) { return other.alternativeTo(queue_[i]); });
    if (earlier >= mostPoints)
      queue_[i].candidate->verdicts.push_back({Verdict::Kind::Declined, "pre-screen",
                                               "not screened: a build step looks at the first points alone"});
  }
}

/// An alternative that could not be better is with nvcc.
bool ScreeningQueue::mayBeNeedless(const Waiting &waiting) const {
  return llvm::any_of(compiling_,
                      [&](const Waiting *other) { return other->optimal && waiting.alternativeTo(*other); });
}

llvm::Error ScreeningQueue::count(Waiting &waiting) {
  waiting.screening = judge_.edit(*waiting.record, {&waiting.candidate->candidate});
  llvm::Expected<Judgement> judgement =
      judge_.count(*waiting.screening, {&waiting.candidate->candidate}, waiting.record->before);
  if (!judgement)
    return judgement.takeError();
  if (judgement->verdict.kind != Verdict::Kind::Accepted) {
    take(waiting, std::move(*judgement));
    return llvm::Error::success();
  }
  waiting.optimal = skipsAlternatives_ && judgement->optimal;
  compiling_.push_back(&waiting);
  return llvm::Error::success();
}

void ScreeningQueue::finishOldest() {
  Waiting &oldest = *compiling_.front();
  compiling_.pop_front();
  take(oldest, judge_.finish(*oldest.screening, {&oldest.candidate->candidate}, oldest.record->before));
  if (oldest.candidate->verdicts.back().kind == Verdict::Kind::Accepted && oldest.optimal)
    skipAlternatives(oldest);
}

void ScreeningQueue::take(Waiting &waiting, Judgement judgement) {
  waiting.screening.reset();
  waiting.candidate->predictions = std::move(judgement.predictions);
  waiting.candidate->verdicts.push_back(std::move(judgement.verdict));
}

void ScreeningQueue::skipAlternatives(const Waiting &best) {
  std::string point;
  for (const auto &[name, value] : best.candidate->candidate.parameters)
    point += (point.empty() ? "" : " ") + name + "=" + std::to_string(value);
  for (Waiting &other : queue_)
    if (!other.isJudged() && !other.screening && other.alternativeTo(best))
      other.candidate->verdicts.push_back(
          {Verdict::Kind::Declined, "pre-screen", "not screened: " + point + " leaves no conflict"});
}

} // namespace warpwright
