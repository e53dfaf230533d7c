#include "feedback/Choose.h"

#include "feedback/CostModel.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

bool acceptedAlone(const CandidateRecord &record) {
  return !record.verdicts.empty() && record.verdicts.back().kind == Verdict::Kind::Accepted;
}

std::string whyOriginal(const KernelRecord &record) {
  if (!record.annotated)
    return "not annotated";
  if (!record.reason.empty())
    return record.reason;
  if (record.candidates.empty())
    return record.declines.empty() ? "no rewriter applies" : "every rewriter that applies declined";
  for (const CandidateRecord &candidate : record.candidates)
    if (!candidate.verdicts.empty() && candidate.verdicts.back().kind == Verdict::Kind::Undecided)
      return "undecided: " + candidate.verdicts.back().reason;
  return "no candidate is proved better by facts alone";
}

std::vector<const Edit *> chosenEdits(const KernelRecord &record) {
  std::vector<const Edit *> edits;
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.chosen)
      for (const Edit &edit : candidate.candidate.edits)
        edits.push_back(&edit);
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.chosen && candidate.candidate.clone)
      for (const Edit &edit : candidate.candidate.clone->identity)
        edits.push_back(&edit);
  llvm::sort(edits, [](const Edit *left, const Edit *right) { return left->offset < right->offset; });
  return edits;
}

/// The conditions under which copies are launched.
std::vector<std::string> chosenGuards(const KernelRecord &record) {
  std::vector<std::string> guards;
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.chosen && candidate.candidate.plan && candidate.candidate.plan->guard)
      guards.push_back(candidate.candidate.plan->guard->str());
  return guards;
}

bool choseTheSame(const KernelRecord &left, const KernelRecord &right) {
  return chosenGuards(left) == chosenGuards(right) &&
         llvm::equal(chosenEdits(left), chosenEdits(right),
                     [](const Edit *one, const Edit *other) { return sameChange(*one, *other); });
}

} // namespace

/// Whether one rewriter would change the same place twice: alone, and as part of something larger.
static bool meets(const Candidate &left, const Candidate &right) {
  return left.rewriter == right.rewriter && llvm::any_of(left.edits, [&](const Edit &edit) {
           return llvm::any_of(right.edits, [&](const Edit &other) {
             return edit.file == other.file && edit.offset <= other.offset + other.length &&
                    other.offset <= edit.offset + edit.length;
           });
         });
}

bool canJoin(const Candidate &left, const Candidate &right) {
  return !left.isAlternativeTo(right) && !meets(left, right) && !left.clone && !right.clone &&
         left.earlier.empty() && right.earlier.empty();
}

double relativeCost(llvm::ArrayRef<Prediction> before, llvm::ArrayRef<Prediction> after) {
  double sum = 0;
  unsigned terms = 0;
  for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
    const Architecture *architecture = findArchitecture(before[i].architecture);
    if (!architecture)
      continue;
    for (size_t shape = 0; shape < before[i].shapes.size() && shape < after[i].shapes.size(); ++shape) {
      double original = predictedCycles(*architecture, before[i], shape);
      sum += original > 0 ? predictedCycles(*architecture, after[i], shape) / original : 1;
      ++terms;
    }
  }
  return terms == 0 ? 1 : sum / terms;
}

bool sameChange(const Edit &left, const Edit &right) {
  return left.file == right.file && left.offset == right.offset && left.length == right.length &&
         left.text == right.text;
}

std::vector<const Candidate *> chosenSet(const KernelRecord &record) {
  std::vector<const Candidate *> set;
  for (const CandidateRecord &candidate : record.candidates)
    if (candidate.chosen)
      set.push_back(&candidate.candidate);
  return set;
}

void keepOriginal(KernelRecord &record, const Verdict &verdict) {
  for (CandidateRecord &candidate : record.candidates) {
    if (!candidate.chosen)
      continue;
    candidate.chosen = false;
    candidate.verdicts.push_back(verdict);
  }
  record.choice = "original";
  record.reason = verdict.reason;
  record.after = record.before;
}

void agreeOnTemplates(llvm::MutableArrayRef<KernelRecord> records) {
  auto at = [](const KernelRecord &record) {
    return std::tie(record.place.file, record.place.line, record.place.column);
  };
  for (const KernelRecord &first : records)
    for (const KernelRecord &second : records) {
      if (&first == &second || at(first) != at(second) || choseTheSame(first, second))
        continue;
      std::string reason =
          "'" + first.name + "' and '" + second.name + "' share their text but not the choice";
      for (KernelRecord &record : records)
        if (at(record) == at(first) && record.choice != "original")
          keepOriginal(record, {Verdict::Kind::Declined, "instantiations", reason});
    }
}

/// No verdict has found out yet which candidates cannot be made into one text.
static bool overlap(const Candidate &left, const Candidate &right) {
  return llvm::any_of(left.edits, [&](const Edit &edit) {
    return llvm::any_of(right.edits, [&](const Edit &other) { return editsMeet(edit, other); });
  });
}

void chooseUnseen(KernelRecord &record) {
  record.choice = "original";
  record.reason = whyOriginal(record);
  std::vector<const Candidate *> chosen;
  for (CandidateRecord &next : record.candidates)
    if (llvm::none_of(chosen, [&](const Candidate *other) {
          return !canJoin(*other, next.candidate) || overlap(*other, next.candidate);
        })) {
      next.chosen = true;
      chosen.push_back(&next.candidate);
    }
  for (const Candidate *candidate : chosen)
    record.choice = (candidate == chosen.front() ? "" : record.choice + " + ") + candidate->rewriters();
  if (!chosen.empty())
    record.reason = "taken unseen, for a test";
}

llvm::Error chooseByDominance(KernelRecord &record, Judge judge) {
  record.choice = "original";
  record.after = record.before;
  std::vector<CandidateRecord *> ranked;
  for (CandidateRecord &candidate : record.candidates)
    if (acceptedAlone(candidate))
      ranked.push_back(&candidate);
  if (ranked.empty()) {
    record.reason = whyOriginal(record);
    return llvm::Error::success();
  }
  llvm::sort(ranked, [&](const CandidateRecord *left, const CandidateRecord *right) {
    double leftCost = relativeCost(record.before, left->predictions);
    double rightCost = relativeCost(record.before, right->predictions);
    size_t leftSize = left->candidate.parameters.size(), rightSize = right->candidate.parameters.size();
    // Between equals the smaller change wins: fewer parameters, and smaller ones, since they grow with what a
    // candidate takes.
    return std::tie(leftCost, left->candidate.rewriter, left->candidate.subject, leftSize,
                    left->candidate.parameters) < std::tie(rightCost, right->candidate.rewriter,
                                                           right->candidate.subject, rightSize,
                                                           right->candidate.parameters);
  });

  std::vector<const Candidate *> chosen = {&ranked.front()->candidate};
  ranked.front()->chosen = true;
  record.choice = ranked.front()->candidate.rewriters();
  record.reason = ranked.front()->verdicts.back().reason;
  record.after = ranked.front()->predictions;
  for (CandidateRecord *next : llvm::drop_begin(ranked)) {
    auto taken =
        llvm::find_if(chosen, [&](const Candidate *other) { return !canJoin(*other, next->candidate); });
    if (taken != chosen.end()) {
      next->verdicts.push_back(
          {Verdict::Kind::Declined, "choice", "'" + (*taken)->name() + "' is ranked before it"});
      continue;
    }
    std::vector<const Candidate *> extended = chosen;
    extended.push_back(&next->candidate);
    llvm::Expected<Judgement> judgement = judge(extended, record.after);
    if (!judgement)
      return judgement.takeError();
    Verdict verdict = judgement->verdict;
    verdict.stage = "combination";
    next->verdicts.push_back(verdict);
    if (verdict.kind != Verdict::Kind::Accepted)
      continue;
    next->chosen = true;
    chosen = std::move(extended);
    record.choice += " + " + next->candidate.rewriters();
    record.after = std::move(judgement->predictions);
    // Each step is better than the one before it, so the sum of them is better than the original.
    record.reason = judgeDominance(record.before.front(), record.after.front()).reason;
  }
  return llvm::Error::success();
}

} // namespace warpwright
