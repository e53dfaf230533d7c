#include "clang_plugin/SequenceSearch.h"

#include "clang_plugin/ProposeCandidates.h"
#include "feedback/CostModel.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/ComposeCandidates.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr size_t deepest = 3;        // steps of a sequence
constexpr unsigned mostOnABase = 4;  // candidates that go on from one
constexpr unsigned pointsOfEach = 2; // of a rewriter's parameter space
/// Of a rewriter about one subject and with the same parameters, in a wide search: those that are gone on
/// from, and those that are tried on one base.
constexpr long basePoints = 1;
constexpr long nextPoints = 3;
constexpr size_t mostOfAFollower = 6; ///< about all subjects together, on one base
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

/// Rewriters that Sequences.def names behind one.
std::vector<llvm::StringRef> followersOf(llvm::StringRef rewriter) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> follows[] = {
#define WARPWRIGHT_FOLLOWS(first, next, why) {first, next},
#include "clang_plugin/Sequences.def"
  };
  std::vector<llvm::StringRef> found;
  for (const auto &[first, next] : follows)
    if (first == rewriter)
      found.push_back(next);
  return found;
}

/// What was not declined for being wrong; by facts alone it need not be better.
bool isLeft(const CandidateRecord &record) {
  return record.verdicts.empty() || record.verdicts.back().kind != Verdict::Kind::Declined ||
         record.verdicts.back().stage == "dominance";
}

/// Whether both are points of one space: a parameter more is another form, not another point.
bool areOfOneForm(const RewriteStep &one, const RewriteStep &other) {
  return llvm::equal(one.parameters, other.parameters,
                     [](const auto &left, const auto &right) { return left.first == right.first; });
}

bool isMatch(const RewriteStep &wanted, const RewriteStep &step) {
  if (!wanted.subject.empty())
    return wanted.rewriter == step.rewriter && wanted.subject == step.subject &&
           wanted.parameters == step.parameters;
  return wanted.rewriter == step.rewriter && llvm::all_of(wanted.parameters, [&](const auto &parameter) {
           auto found = step.parameters.find(parameter.first);
           return found != step.parameters.end() && found->second == parameter.second;
         });
}

/// Names of what there is, for a message.
std::string namesIn(llvm::ArrayRef<CandidateRecord> candidates, llvm::StringRef rewriter) {
  std::string names;
  for (const CandidateRecord &candidate : candidates)
    if (candidate.candidate.rewriter == rewriter && candidate.candidate.earlier.empty())
      names += (names.empty() ? "" : ", ") + candidate.candidate.RewriteStep::name();
  return names;
}

/// By the model, the original's being 1; on shapes on which it is slower the original may stay.
double costOf(const KernelRecord &record, const CandidateRecord &candidate) {
  std::vector<double> costs;
  for (size_t i = 0; i < record.before.size() && i < candidate.predictions.size(); ++i)
    if (const Architecture *architecture = findArchitecture(record.before[i].architecture))
      llvm::append_range(costs, estimatedRatios(record.before[i], candidate.predictions[i],
                                                DeviceFigures::typicalOf(*architecture)));
  return costs.empty() ? 1 : meanOfRatios(costs, /*keepsOriginal=*/true);
}

/// Why a record holds no candidate for a step.
std::string whyNotProposed(const RewriteStep &step, const KernelRecord &record) {
  for (const Decline &decline : record.declines)
    if (decline.rewriter == step.rewriter)
      return "'" + step.rewriter + "' is not proposed: " + decline.reason;
  std::string others = namesIn(record.candidates, step.rewriter);
  return "'" + step.name() + "' is not proposed" + (others.empty() ? "" : ", only " + others);
}

} // namespace

void leaveRoom(KernelRecord &record, size_t most) {
  // By how many points of the same space come earlier.
  std::vector<std::pair<long, size_t>> order;
  for (size_t i = 0; i < record.candidates.size(); ++i)
    order.push_back({llvm::count_if(llvm::ArrayRef(record.candidates).take_front(i),
                                    [&](const CandidateRecord &earlier) {
                                      return earlier.candidate.isAlternativeTo(
                                          record.candidates[i].candidate);
                                    }),
                     i});
  llvm::sort(order);
  for (size_t i = most; i < order.size(); ++i) {
    CandidateRecord &candidate = record.candidates[order[i].second];
    if (candidate.verdicts.empty())
      candidate.verdicts.push_back({Verdict::Kind::Declined, "pre-screen",
                                    "not screened: it leaves room for sequences of other steps"});
  }
}

void keepFirstSteps(llvm::ArrayRef<std::vector<RewriteStep>> sequences, KernelRecord &record) {
  std::vector<CandidateRecord> kept;
  for (const std::vector<RewriteStep> &steps : sequences)
    for (CandidateRecord &candidate : record.candidates)
      if (isMatch(steps.front(), candidate.candidate)) {
        if (llvm::none_of(kept, [&](const CandidateRecord &other) {
              return other.candidate.name() == candidate.candidate.name();
            }))
          kept.push_back(candidate);
        break;
      }
  record.candidates = std::move(kept);
}

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

/// The file with the base in it, and what it made of the kernel alone analysed.
llvm::Expected<FileVersions> SequenceSearch::open(const Candidate &base, const KernelRecord &record,
                                                  bool wantResources) const {
  llvm::Expected<std::string> text = applyCandidates(versions_.text(), {&base});
  if (!text)
    return text.takeError();
  FileVersions applied;
  for (FileRequest request : versions_.requests) {
    request.text = *text;
    request.onlyKernel = base.clone ? base.clone->name : record.name;
    request.wantResources = wantResources;
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

llvm::Error SequenceSearch::goOnFrom(size_t base, KernelRecord &record, Choose chosen,
                                     bool wantResources) const {
  // Copies: what is added moves the records.
  const Candidate first = record.candidates[base].candidate;
  llvm::Expected<FileVersions> applied = open(first, record, wantResources);
  if (!applied)
    return applied.takeError();
  if (applied->files.front().kernels.size() != 1)
    return llvm::Error::success(); // its screening has said so
  const KernelAnalysis &copy = applied->files.front().kernels.front();
  KernelRecord proposed;
  proposed.key = copy.kernel.key;
  proposed.annotated = copy.annotation.has_value();
  if (llvm::Error error =
          proposeCandidates(*applied, policy_, proposed, /*relaunched=*/first.clone.has_value()))
    return error;
  // A step that adds nothing to one that is taken as it is would only be more to read.
  const std::vector<Prediction> against =
      isAccepted(record.candidates[base]) ? record.candidates[base].predictions : record.before;
  for (const Candidate *next : chosen(proposed)) {
    llvm::Expected<Candidate> composed = composeCandidates(versions_.text(), first, *next);
    if (!composed) {
      // It reaches into what the file shares with others.
      llvm::consumeError(composed.takeError());
      continue;
    }
    CandidateRecord candidate;
    candidate.candidate = std::move(*composed);
    candidate.base = base;
    if (!judge_) {
      record.candidates.push_back(std::move(candidate));
      continue;
    }
    Screening screening = judge_->editOn(copy, record, {&candidate.candidate});
    llvm::Expected<Judgement> judgement = judge_->judge(screening, {&candidate.candidate}, against);
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
    const Candidate first = record.candidates[*base].candidate;
    auto choose = [&](const KernelRecord &proposed) { return worthwhile(proposed, first); };
    if (llvm::Error error = goOnFrom(*base, record, choose, /*wantResources=*/false))
      return error;
  }
  return llvm::Error::success();
}

/// Bases in the order of what they promise by the model, so that the room goes to sequences of what is good
/// alone; of equals the shorter one first.
std::optional<size_t> SequenceSearch::nextBase(const KernelRecord &record,
                                               const std::set<size_t> &extended) const {
  std::optional<size_t> best;
  double lowest = 0;
  for (size_t i = 0; i < record.candidates.size(); ++i) {
    const CandidateRecord &candidate = record.candidates[i];
    const Candidate &base = candidate.candidate;
    if (extended.contains(i) || followersOf(base.rewriter).empty() || base.earlier.size() + 1 >= deepest ||
        !isLeft(candidate))
      continue;
    auto earlier = llvm::count_if(extended, [&](size_t other) {
      const CandidateRecord &taken = record.candidates[other];
      return taken.base == candidate.base && taken.candidate.isAlternativeTo(base) &&
             areOfOneForm(taken.candidate, base);
    });
    if (earlier >= basePoints)
      continue;
    const double cost = costOf(record, candidate);
    if (!best || cost < lowest) {
      lowest = cost;
      best = i;
    }
  }
  return best;
}

llvm::Error SequenceSearch::extendWide(KernelRecord &record, size_t most) const {
  std::set<size_t> extended;
  while (std::optional<size_t> next = nextBase(record, extended)) {
    const size_t room = most - std::min<size_t>(most, llvm::count_if(record.candidates, isLeft));
    if (room == 0)
      break;
    extended.insert(*next);
    const Candidate base = record.candidates[*next].candidate;
    const std::vector<llvm::StringRef> followers = followersOf(base.rewriter);
    auto choose = [&](const KernelRecord &proposed) {
      std::vector<const Candidate *> chosen;
      for (llvm::StringRef follower : followers) {
        const size_t most = std::min(room, chosen.size() + mostOfAFollower);
        for (const CandidateRecord &next : proposed.candidates) {
          auto points = llvm::count_if(chosen, [&](const Candidate *other) {
            return other->rewriter == next.candidate.rewriter && other->subject == next.candidate.subject;
          });
          if (next.candidate.rewriter == follower && !isTaken(next.candidate, base) && points < nextPoints &&
              chosen.size() < most)
            chosen.push_back(&next.candidate);
        }
      }
      return chosen;
    };
    if (llvm::Error error = goOnFrom(*next, record, choose, llvm::is_contained(followers, "bound-launch")))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> SequenceSearch::apply(llvm::ArrayRef<RewriteStep> steps,
                                                  KernelRecord &record) const {
  auto first = llvm::find_if(record.candidates, [&](const CandidateRecord &candidate) {
    return candidate.candidate.earlier.empty() && isMatch(steps.front(), candidate.candidate);
  });
  if (first == record.candidates.end())
    return whyNotProposed(steps.front(), record);
  size_t base = first - record.candidates.begin();
  for (const RewriteStep &step : steps.drop_front()) {
    std::string whyNot;
    auto choose = [&](const KernelRecord &proposed) {
      for (const CandidateRecord &next : proposed.candidates)
        if (isMatch(step, next.candidate))
          return std::vector<const Candidate *>{&next.candidate};
      whyNot = whyNotProposed(step, proposed);
      return std::vector<const Candidate *>();
    };
    size_t before = record.candidates.size();
    if (llvm::Error error = goOnFrom(base, record, choose, step.rewriter == "bound-launch"))
      return std::move(error);
    if (!whyNot.empty())
      return whyNot;
    if (record.candidates.size() == before)
      return "'" + step.name() + "' cannot be joined with what comes before it";
    base = record.candidates.size() - 1;
  }
  return std::string();
}

} // namespace warpwright
