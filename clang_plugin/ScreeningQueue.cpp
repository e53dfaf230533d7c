#include "clang_plugin/ScreeningQueue.h"

namespace warpwright {

bool ScreeningQueue::Waiting::alternativeTo(const Waiting &other) const {
  return record == other.record && candidate->candidate.rewriter == other.candidate->candidate.rewriter &&
         candidate->candidate.subject == other.candidate->candidate.subject;
}

ScreeningQueue::ScreeningQueue(const CandidateJudge &judge, llvm::MutableArrayRef<KernelRecord> records)
    : judge_(judge) {
  for (KernelRecord &record : records)
    for (CandidateRecord &candidate : record.candidates)
      queue_.push_back({&record, &candidate, std::nullopt});
}

llvm::Error ScreeningQueue::run() {
  for (size_t i = 0; i < queue_.size(); ++i) {
    if (queue_[i].isJudged())
      continue; // an earlier one made it needless
    start(queue_[i]);
    startNext(i);
    if (llvm::Error error = judgeOne(i))
      return error;
  }
  return llvm::Error::success();
}

void ScreeningQueue::start(Waiting &waiting) const {
  if (!waiting.screening)
    waiting.screening = judge_.start(*waiting.record, {&waiting.candidate->candidate});
}

/// The next is one that is no alternative: the current may be so good that its alternatives need no look.
void ScreeningQueue::startNext(size_t current) {
  for (Waiting &next : llvm::MutableArrayRef(queue_).drop_front(current + 1))
    if (!next.isJudged() && !next.alternativeTo(queue_[current]))
      return start(next);
}

llvm::Error ScreeningQueue::judgeOne(size_t current) {
  Waiting &waiting = queue_[current];
  llvm::Expected<Judgement> judgement =
      judge_.finish(*waiting.screening, {&waiting.candidate->candidate}, waiting.record->before);
  waiting.screening.reset();
  if (!judgement)
    return judgement.takeError();
  waiting.candidate->predictions = std::move(judgement->predictions);
  waiting.candidate->verdicts.push_back(judgement->verdict);
  if (judgement->verdict.kind == Verdict::Kind::Accepted && judgement->optimal)
    skipAlternatives(current);
  return llvm::Error::success();
}

void ScreeningQueue::skipAlternatives(size_t current) {
  std::string point;
  for (const auto &[name, value] : queue_[current].candidate->candidate.parameters)
    point += (point.empty() ? "" : " ") + name + "=" + std::to_string(value);
  for (Waiting &other : llvm::MutableArrayRef(queue_).drop_front(current + 1)) {
    if (!other.alternativeTo(queue_[current]))
      continue;
    other.screening.reset();
    other.candidate->verdicts.push_back(
        {Verdict::Kind::Declined, "pre-screen", "not screened: " + point + " leaves no conflict"});
  }
}

} // namespace warpwright
