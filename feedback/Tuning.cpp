#include "feedback/Tuning.h"

#include "feedback/Choose.h"
#include "rewriters/edits/ApplyEdits.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>

namespace warpwright {
namespace {

constexpr const char *measurementStage = "measurement";

/// More edits than this are measured together: each alone would take too long.
constexpr size_t mostUnits = 8;

bool overlap(const Edit &left, const Edit &right) {
  if (left.file != right.file)
    return false;
  unsigned leftEnd = left.offset + left.length, rightEnd = right.offset + right.length;
  if (left.offset == right.offset)
    return true; // two insertions at one place have no order
  return left.offset < rightEnd && right.offset < leftEnd;
}

bool conflicts(const KernelRecord &record, const TunedUnit &left, const TunedUnit &right) {
  if (left.candidate == right.candidate)
    return false;
  const Candidate &one = record.candidates[left.candidate].candidate;
  const Candidate &other = record.candidates[right.candidate].candidate;
  if (!canJoin(one, other))
    return true;
  return llvm::any_of(left.edits, [&](size_t i) {
    return llvm::any_of(right.edits, [&](size_t k) { return overlap(one.edits[i], other.edits[k]); });
  });
}

/// Whether none of its edits can be left out alone: a launch goes with the copy that it launches, and a
/// sequence's later edits build on the earlier ones.
bool isTied(const Candidate &candidate) {
  return candidate.clone || candidate.plan || !candidate.earlier.empty();
}

std::vector<size_t> allEdits(const Candidate &candidate) {
  std::vector<size_t> positions(candidate.edits.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// What the candidate does to its file. One whose edits meet was declined before anything asks.
std::vector<Edit> editsOfFile(const Candidate &candidate, llvm::StringRef text) {
  llvm::Expected<std::vector<Edit>> edits = fileEdits(text, &candidate);
  if (edits)
    return std::move(*edits);
  llvm::consumeError(edits.takeError());
  return candidate.edits;
}

/// The units of a set by candidate.
std::map<size_t, std::vector<const TunedUnit *>> byCandidate(const TunedKernel &kernel, const UnitSet &set) {
  std::map<size_t, std::vector<const TunedUnit *>> groups;
  for (unsigned unit : set)
    groups[kernel.units[unit].candidate].push_back(&kernel.units[unit]);
  return groups;
}

LockedChange merged(llvm::ArrayRef<const TunedUnit *> units) {
  LockedChange change = units.front()->change;
  for (const TunedUnit *unit : units.drop_front())
    llvm::append_range(change.edits, unit->change.edits);
  return change;
}

size_t editCount(llvm::ArrayRef<const TunedUnit *> units) {
  size_t count = 0;
  for (const TunedUnit *unit : units)
    count += unit->edits.size();
  return count;
}

/// The record of the candidate less what was left out.
CandidateRecord ablated(const CandidateRecord &whole, llvm::ArrayRef<const TunedUnit *> units) {
  CandidateRecord rest;
  rest.candidate = whole.candidate;
  rest.candidate.edits.clear();
  rest.candidate.claims.clear(); // they speak of the whole
  for (const TunedUnit *unit : units)
    for (size_t edit : unit->edits)
      rest.candidate.edits.push_back(whole.candidate.edits[edit]);
  rest.verdicts.push_back({Verdict::Kind::Accepted, "ablation",
                           std::to_string(rest.candidate.edits.size()) + " of " +
                               std::to_string(whole.candidate.edits.size()) + " edits hold the gain"});
  return rest;
}

/// What is launched under one guard of a choice.
struct KeptVariant {
  std::vector<KeptEdits> kept;
  std::string guard;
};

/// Adds variants in the order of their guards as what is chosen. An error says why they cannot be built.
llvm::Error chooseGuarded(KernelRecord &record, llvm::ArrayRef<KeptVariant> variants) {
  std::vector<Candidate> candidates;
  for (const KeptVariant &variant : variants) {
    // The last was there first; those before it were measured under the names of later copies.
    auto copy = static_cast<unsigned>(&variants.back() - &variant);
    llvm::Expected<Candidate> candidate = guardedCandidate(record, variant.kept, variant.guard, copy);
    if (!candidate)
      return candidate.takeError();
    candidates.push_back(std::move(*candidate));
  }
  if (candidates.size() > 1)
    if (llvm::Error error = chain(candidates, record.dispatch))
      return error;
  for (const DispatchedLaunch &launch : record.dispatch.launches)
    for (const Candidate &candidate : candidates)
      if (std::string why = whyNotChosenThere(launch, *candidate.plan->guard); !why.empty()) {
        record.declines.push_back(
            {"dispatch-by-shape", record.key, launch.place, "this launch keeps the original: " + why});
        break;
      }
  record.choice.clear();
  for (Candidate &candidate : candidates) {
    const std::string guard = candidate.plan->guard->str();
    record.choice += (record.choice.empty() ? "" : "; ") + candidate.name() +
                     (guard == "1" ? " elsewhere" : " where " + guard);
    CandidateRecord chosen;
    chosen.candidate = std::move(candidate);
    chosen.chosen = true;
    record.candidates.push_back(std::move(chosen));
  }
  return llvm::Error::success();
}

/// The set's edits by candidate.
std::vector<KeptEdits> keptOf(const TunedKernel &kernel, const UnitSet &set) {
  std::vector<KeptEdits> kept;
  for (const auto &[index, units] : byCandidate(kernel, set)) {
    kept.push_back({index, {}});
    for (const TunedUnit *unit : units)
      llvm::append_range(kept.back().edits, unit->edits);
  }
  return kept;
}

void addMeasurements(const TunedKernel &kernel, KernelRecord &record) {
  for (const auto &[set, measurement] : kernel.measured.measured)
    record.measurements.push_back(measurement);
  for (const auto &[guarded, measurement] : kernel.measured.dispatch.asAWhole)
    record.measurements.push_back(measurement);
  for (size_t i = 0; i < kernel.measured.candidates.size(); ++i) {
    const UnitSet &set = kernel.measured.candidates[i];
    auto found = kernel.measured.measured.find(set);
    // What a search joined of several candidates speaks of none of them.
    if (found != kernel.measured.measured.end() && byCandidate(kernel, set).size() == 1)
      record.candidates[kernel.units[set.front()].candidate].verdicts.push_back(
          judgeMeasurement(found->second));
  }
}

} // namespace

std::string TunedKernel::nameOf(const UnitSet &set) const {
  std::string name;
  for (const auto &[candidate, units] : byCandidate(*this, set)) {
    name += (name.empty() ? "" : " + ") + units.front()->change.name();
    size_t all =
        llvm::count_if(this->units, [&](const TunedUnit &unit) { return unit.candidate == candidate; });
    if (units.size() != all)
      name += " (" + std::to_string(units.size()) + " of " + std::to_string(all) + " edits)";
  }
  return name;
}

std::string TunedKernel::nameOf(const GuardedSet &guarded) const {
  return nameOf(guarded.set) + (guarded.guard.empty() ? "" : " where " + guarded.guard);
}

LockedChange lockedChange(const Candidate &candidate, llvm::StringRef text) {
  LockedChange change;
  for (const RewriteStep &step : candidate.earlier)
    change.steps.push_back({step.rewriter, step.subject, step.parameters});
  change.steps.push_back({candidate.rewriter, candidate.subject, candidate.parameters});
  for (const Edit &edit : editsOfFile(candidate, text))
    change.edits.push_back({static_cast<unsigned>(change.edits.size() + 1),
                            text.substr(edit.offset, edit.length).str(), edit.text});
  return change;
}

TunedKernel tunedKernel(const KernelRecord &record, llvm::ArrayRef<size_t> candidates, llvm::StringRef text) {
  TunedKernel kernel;
  for (size_t index : candidates) {
    const Candidate &candidate = record.candidates[index].candidate;
    LockedChange whole = lockedChange(candidate, text);
    if (isTied(candidate)) {
      kernel.measured.candidates.push_back({static_cast<unsigned>(kernel.units.size())});
      kernel.units.push_back({index, allEdits(candidate), std::move(whole)});
      continue;
    }
    bool isOne = candidate.edits.size() > mostUnits;
    UnitSet set;
    for (size_t i = 0; i < candidate.edits.size(); ++i) {
      if (i == 0 || !isOne) {
        set.push_back(static_cast<unsigned>(kernel.units.size()));
        kernel.units.push_back({index, {}, whole});
        kernel.units.back().change.edits.clear();
      }
      kernel.units.back().edits.push_back(i);
      kernel.units.back().change.edits.push_back(whole.edits[i]);
    }
    if (!set.empty())
      kernel.measured.candidates.push_back(std::move(set));
  }
  for (unsigned i = 0; i < kernel.units.size(); ++i)
    for (unsigned k = i + 1; k < kernel.units.size(); ++k)
      if (conflicts(record, kernel.units[i], kernel.units[k]))
        kernel.measured.conflicts.emplace_back(i, k);
  kernel.measured.dispatch.whyNot = record.dispatch.whyNot;
  for (unsigned i = 0; record.dispatch.whyNot.empty() && i < kernel.units.size(); ++i) {
    KeptEdits kept{kernel.units[i].candidate, kernel.units[i].edits};
    llvm::Expected<Candidate> alone = guardedCandidate(record, kept, "1");
    if (!alone)
      kernel.measured.dispatch.fixed[i] = llvm::toString(alone.takeError());
  }
  return kernel;
}

llvm::Expected<Candidate> guardedCandidate(const KernelRecord &record, llvm::ArrayRef<KeptEdits> kept,
                                           llvm::StringRef guard, unsigned copy) {
  llvm::Expected<ScalarExpression> condition = ScalarExpression::parse(guard);
  if (!condition)
    return condition.takeError();
  std::vector<Candidate> set;
  for (const KeptEdits &part : kept) {
    const Candidate &whole = record.candidates[part.candidate].candidate;
    set.push_back(whole);
    set.back().edits.clear();
    for (size_t edit : part.edits)
      set.back().edits.push_back(whole.edits[edit]);
    if (part.edits.size() != whole.edits.size())
      set.back().claims.clear(); // they speak of the whole
  }
  return guarded(set, record.dispatch, *condition, copy);
}

LockEntry entryOf(const TunedKernel &kernel, const MeasuredChoice &choice) {
  LockEntry entry = kernel.conditions;
  entry.reason = choice.reason;
  auto add = [&](const UnitSet &set, const std::string &guard) {
    for (const auto &[candidate, units] : byCandidate(kernel, set)) {
      entry.choice.push_back(merged(units));
      entry.choice.back().guard = guard;
    }
  };
  for (const GuardedSet &variant : choice.before)
    add(variant.set, variant.guard);
  add(choice.set, choice.guard);
  auto found = kernel.measured.measured.find(choice.set);
  if (found == kernel.measured.measured.end())
    return entry;
  const Measurement &measurement = choice.underGuard ? *choice.underGuard : found->second;
  for (const ShapeMeasurement &shape : measurement.shapes)
    entry.measured.push_back(
        {shape.shape, toString(shape.comparison).str(), shape.original.median, shape.candidate.median});
  return entry;
}

void applyChoice(const TunedKernel &kernel, const MeasuredChoice &choice, KernelRecord &record) {
  addMeasurements(kernel, record);
  record.choice = "original";
  record.reason = choice.reason;
  record.conditional.clear();
  for (const ConditionalOffer &offer : choice.conditional)
    record.conditional.push_back(
        {kernel.nameOf(offer.set), offer.guard, offer.whyNot, offer.faster, offer.slower});
  if (choice.set.empty())
    return;
  if (!choice.guard.empty()) {
    std::vector<KeptVariant> variants;
    for (const GuardedSet &variant : choice.before)
      variants.push_back({keptOf(kernel, variant.set), variant.guard});
    variants.push_back({keptOf(kernel, choice.set), choice.guard});
    if (llvm::Error error = chooseGuarded(record, variants)) {
      record.reason = "not built: " + llvm::toString(std::move(error));
      return;
    }
    for (CandidateRecord &chosen : llvm::MutableArrayRef(record.candidates).take_back(variants.size()))
      chosen.verdicts.push_back({Verdict::Kind::Accepted, measurementStage, choice.reason});
    return;
  }
  record.choice = kernel.nameOf(choice.set);
  for (const auto &[index, units] : byCandidate(kernel, choice.set)) {
    CandidateRecord &whole = record.candidates[index];
    if (editCount(units) == whole.candidate.edits.size()) {
      whole.chosen = true;
      continue;
    }
    CandidateRecord rest = ablated(whole, units);
    rest.chosen = true;
    record.candidates.push_back(std::move(rest));
  }
  // Parts that are measured together hold together.
  for (CandidateRecord &candidate : record.candidates)
    if (candidate.chosen)
      candidate.verdicts.push_back({Verdict::Kind::Accepted, measurementStage, choice.reason});
}

std::optional<std::string> applyLock(const LockEntry &entry, llvm::StringRef text, KernelRecord &record) {
  std::vector<KeptVariant> variants; // one without a guard, or one after another
  for (const LockedChange &change : entry.choice) {
    auto matches = [&](const CandidateRecord &known) {
      LockedChange whole = lockedChange(known.candidate, text);
      return whole.steps == change.steps && llvm::all_of(change.edits, [&](const LockedEdit &edit) {
               return llvm::is_contained(whole.edits, edit);
             });
    };
    auto candidate = llvm::find_if(record.candidates, matches);
    if (candidate == record.candidates.end() || change.edits.empty())
      return "'" + change.name() + "' is not proposed any more, or no longer with these edits";
    std::vector<size_t> edits;
    LockedChange whole = lockedChange(candidate->candidate, text);
    if (isTied(candidate->candidate))
      edits = allEdits(candidate->candidate);
    else
      for (size_t i = 0; i < whole.edits.size(); ++i)
        if (llvm::is_contained(change.edits, whole.edits[i]))
          edits.push_back(i);
    if (variants.empty() || change.guard != variants.back().guard)
      variants.push_back({{}, change.guard});
    variants.back().kept.push_back(
        {static_cast<size_t>(candidate - record.candidates.begin()), std::move(edits)});
  }
  auto isEverywhere = [](const KeptVariant &variant) { return variant.guard.empty(); };
  if (variants.size() > 1 && llvm::any_of(variants, isEverywhere))
    return "some of its changes have a guard, others have none";
  record.choice = "original";
  std::vector<KeptEdits> everywhere;
  if (!variants.empty() && !isEverywhere(variants.front())) {
    if (llvm::Error error = chooseGuarded(record, variants)) {
      record.choice.clear();
      return "'" + entry.choice.front().name() +
             "' cannot be launched under its guard any more: " + llvm::toString(std::move(error));
    }
  } else if (!variants.empty()) {
    everywhere = std::move(variants.front().kept);
  }
  for (const auto &[index, edits] : everywhere) {
    CandidateRecord &whole = record.candidates[index];
    record.choice = (record.choice == "original" ? "" : record.choice + " + ") + whole.candidate.name();
    if (edits.size() == whole.candidate.edits.size()) {
      whole.chosen = true;
      continue;
    }
    TunedUnit unit{index, edits, {}};
    CandidateRecord rest = ablated(whole, {&unit});
    rest.chosen = true;
    record.candidates.push_back(std::move(rest));
  }
  record.reason = "by the lock: " + entry.reason;
  for (CandidateRecord &candidate : record.candidates)
    candidate.verdicts.push_back({candidate.chosen ? Verdict::Kind::Accepted : Verdict::Kind::Declined,
                                  "lock", candidate.chosen ? entry.reason : "the lock chose otherwise"});
  return std::nullopt;
}

} // namespace warpwright
