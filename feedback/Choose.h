#pragma once

#include "analysis/arch/Architecture.h"
#include "feedback/Evidence.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

namespace warpwright {

/// A set of candidates of one kernel, judged together.
struct Judgement {
  Verdict verdict;
  std::vector<Prediction> predictions; ///< one an architecture
  bool optimal = false; ///< what the set is for is reached in full, so that no alternative can do better
};

/// Screens and judges a set of candidates as one edit set against the predictions given.
using Judge = llvm::function_ref<llvm::Expected<Judgement>(llvm::ArrayRef<const Candidate *> set,
                                                           llvm::ArrayRef<Prediction> against)>;

/// Chooses by strict dominance: the candidate that the model ranks first is taken, then each other that still
/// improves on what is taken already, so that the set is the smallest that holds the gain. The record's
/// candidates must have been judged alone before; it gets its choice, reason and `after`. "original" is
/// always among the answers.
llvm::Error chooseByDominance(KernelRecord &record, Judge judge);

/// The model's cycles over all architectures and shapes, each relative to the original's so that none
/// outweighs the others: below 1 is better.
double relativeCost(llvm::ArrayRef<Prediction> before, llvm::ArrayRef<Prediction> after);

/// For tests of rewriters: takes the first point of each candidate's parameter space, unscreened.
void chooseUnseen(KernelRecord &record);

/// Whether two edits make the same text of the same bytes.
bool sameChange(const Edit &left, const Edit &right);

/// Whether both may be parts of one set. Candidates of one rewriter about one subject are alternatives. What
/// changes the launch, or was made of several steps, stands alone: what is legal for one launch need not be for
/// another, so others are proposed again on its result.
bool canJoin(const Candidate &left, const Candidate &right);

/// The candidates that are chosen.
std::vector<const Candidate *> chosenSet(const KernelRecord &record);

/// Takes the choice back for the verdict's reason, which every candidate that was chosen gets, too.
void keepOriginal(KernelRecord &record, const Verdict &verdict);

/// Instantiations of one template share its text, so that an edit for one is an edit for all: where they did
/// not choose the same, all keep the original. Kernels count as instantiations of one template when their
/// names stand at one place.
void agreeOnTemplates(llvm::MutableArrayRef<KernelRecord> records);

} // namespace warpwright
