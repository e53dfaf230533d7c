#include "feedback/evaluators/cuda/runner/Correctness.h"

#include "feedback/evaluators/cuda/runner/Diagnosis.h"
#include "feedback/evaluators/cuda/runner/Parallel.h"

#include <chrono>
#include <cstring>

namespace warpwright::runner {
namespace {

// Repeats on the same inputs look for what is rare: as many as fit the time, within these bounds.
constexpr unsigned fewestRepeats = 3;
constexpr unsigned mostRepeats = 60;

/// Seeds that no job names: those for after the timing, and the second where a job has only one.
uint64_t derivedSeed(uint64_t seed, uint64_t number) {
  return values::bitsAt(seed, number);
}

Json summaryDocument(const values::ErrorSummary &errors) {
  Json document = {{"compared", errors.count},
                   {"different", errors.different},
                   {"beyond_tolerance", errors.bad},
                   {"nan", errors.notANumber},
                   {"infinite", errors.infinite},
                   {"max", errors.errors.largest()},
                   {"p99", errors.errors.percentile99()},
                   {"mean", errors.errors.mean()},
                   {"deviation", errors.errors.deviation()}};
  if (errors.firstBad)
    document["first_bad"] = *errors.firstBad;
  return document;
}

} // namespace

bool sameBits(const Shape &shape, const Outputs &first, const Outputs &second) {
  for (size_t i = 0; i < shape.buffers.size(); ++i)
    if (shape.buffers[i].role != Role::In &&
        std::memcmp(first[i].data(), second[i].data(), shape.buffers[i].bytes()) != 0)
      return false;
  return true;
}

Correctness::Correctness(Bench &bench, const Variant &original, const Variant &candidate, FreshLoader fresh)
    : bench_(bench), original_(original), candidate_(candidate), fresh_(std::move(fresh)) {
  for (const Buffer &buffer : bench.shape().buffers)
    pooled_.emplace_back(bench.job().toleranceOf(buffer));
}

Circumstances Correctness::circumstances(unsigned slot, unsigned number) const {
  // All bits set is NaN in every floating type, zero hides nothing in integers, and words between 1 and 2
  // look like results: what depends on one of them fails with another.
  return {slot, known_[slot].poison, number,
          number % 3 == 1 ? 0 : plausiblePoison(100 + number) | 0x80000000};
}

std::optional<std::string> Correctness::compare(unsigned slot, const Outputs &found, bool pool) {
  const std::vector<Buffer> &buffers = bench_.shape().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = buffers[i];
    if (buffer.role == Role::In)
      continue;
    const values::Tolerance &tolerance = bench_.job().toleranceOf(buffer);
    std::vector<values::ErrorAccumulator> parts(partLimit, values::ErrorAccumulator(tolerance));
    uint64_t size = values::sizeOf(buffer.type);
    inParts(buffer.count, [&](unsigned part, uint64_t begin, uint64_t end) {
      parts[part].add(buffer.type, known_[slot].outputs[i].data() + begin * size,
                      found[i].data() + begin * size, begin, end - begin, scales_[i]);
    });
    values::ErrorAccumulator errors(tolerance);
    for (const values::ErrorAccumulator &part : parts)
      errors.merge(part);
    if (pool)
      pooled_[i].merge(errors);
    // The bias is judged on all runs together.
    values::Tolerance single = tolerance;
    single.bias = 0;
    if (std::optional<std::string> wrong = values::judge(errors.summary(), single))
      return "'" + buffer.name + "': " + *wrong;
  }
  return std::nullopt;
}

bool Correctness::leftUnwritten(unsigned slot, const Outputs &found) const {
  const std::vector<Buffer> &buffers = bench_.shape().buffers;
  uint32_t poison = known_[slot].poison;
  char word[8];
  std::memcpy(word, &poison, 4);
  std::memcpy(word + 4, &poison, 4);
  bool someUnwritten = false;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role != Role::Out)
      continue;
    uint64_t size = values::sizeOf(buffers[i].type);
    for (uint64_t offset = 0; offset < buffers[i].bytes(); offset += size) {
      const char *expected = known_[slot].outputs[i].data() + offset, *seen = found[i].data() + offset;
      if (std::memcmp(expected, seen, size) == 0)
        continue;
      if (std::memcmp(seen, word + offset % 4, size) == 0)
        someUnwritten = true;
    }
  }
  return someUnwritten;
}

Ended Correctness::checkOriginalTwice(unsigned slot) {
  Circumstances again = circumstances(slot, 2);
  if (Ended ended = bench_.runAndFetch(original_, again, "again", other_))
    return ended;
  originalVaries_ = !sameBits(bench_.shape(), known_[slot].outputs, other_);
  if (!originalVaries_)
    return std::nullopt;
  bench_.messages().note(bench_.shape().name + ": the original's results vary from run to run");
  if (std::optional<std::string> wrong = compare(slot, other_, /*pool=*/false))
    return Stop::of(bench_.fault(FaultKind::Nondeterministic, original_, *wrong));
  return std::nullopt;
}

Ended Correctness::compareSeed(uint64_t seed, unsigned number) {
  unsigned slot = number % Workspace::slots;
  Known &known = known_[slot];
  known.poison = number % 2 ? plausiblePoison(number) : 0xffffffff;
  if (Problem problem = bench_.workspace().draw(seed, slot))
    return Stop::of(*problem);
  std::string what = "seed " + std::to_string(seed);
  const Variant *order[] = {&original_, &candidate_};
  if (number % 2)
    std::swap(order[0], order[1]);
  Circumstances ofCandidate;
  for (const Variant *variant : order) {
    Circumstances around = circumstances(slot, 2 * number + (variant == &candidate_));
    if (variant == &candidate_)
      ofCandidate = around;
    if (Ended ended =
            bench_.runAndFetch(*variant, around, what, variant == &candidate_ ? found_ : known.outputs))
      return ended;
    Fallible<std::optional<std::string>> changed = bench_.workspace().changedInput();
    if (!changed)
      return Stop::of(changed.failure());
    if (*changed)
      return Stop::of(
          bench_.fault(FaultKind::WritesInput, *variant, "'" + **changed + "' was changed, " + what));
  }
  if (scales_.empty()) {
    // From outputs poisoned with NaN, which the mean leaves out: what the original does not write must not
    // count.
    const std::vector<Buffer> &buffers = bench_.shape().buffers;
    for (size_t i = 0; i < buffers.size(); ++i)
      scales_.push_back(
          buffers[i].role == Role::In
              ? 0
              : values::rootMeanSquare(buffers[i].type, known.outputs[i].data(), buffers[i].count));
    if (Ended ended = checkOriginalTwice(slot))
      return ended;
  }
  ++seeds_;
  if (std::optional<std::string> wrong = compare(slot, found_, /*pool=*/true))
    return diagnose(ofCandidate, found_, *wrong, what);
  return std::nullopt;
}

Ended Correctness::repeat(unsigned slot) {
  const double allowed = bench_.job().measure.repeatSeconds;
  if (allowed == 0)
    return std::nullopt;
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Outputs first;
  while (repeats_ < fewestRepeats || (repeats_ < mostRepeats && seconds() < allowed)) {
    Circumstances around = circumstances(slot, repeats_);
    std::string what = "repeat " + std::to_string(++repeats_);
    Outputs &outputs = repeats_ == 1 ? first : other_;
    if (Ended ended = bench_.runAndFetch(candidate_, around, what, outputs))
      return ended;
    if (repeats_ > 1 && sameBits(bench_.shape(), first, other_))
      continue;
    candidateVaries_ |= repeats_ > 1;
    if (std::optional<std::string> wrong = compare(slot, outputs, /*pool=*/false))
      return diagnose(around, outputs, *wrong, what);
  }
  return std::nullopt;
}

Ended Correctness::judgePooled() {
  const std::vector<Buffer> &buffers = bench_.shape().buffers;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].role == Role::In)
      continue;
    if (auto wrong = values::judge(pooled_[i].summary(), bench_.job().toleranceOf(buffers[i])))
      return Stop::of(
          bench_.fault(FaultKind::WrongResult, candidate_, "'" + buffers[i].name + "': " + *wrong));
  }
  return std::nullopt;
}

Ended Correctness::check() {
  std::vector<uint64_t> seeds = bench_.job().seeds;
  // Fresh runs take turns between the inputs of two slots.
  if (seeds.size() < Workspace::slots && bench_.job().measure.freshRuns > 0)
    seeds.push_back(derivedSeed(seeds.front(), 0));
  for (unsigned number = 0; number < seeds.size(); ++number)
    if (Ended ended = compareSeed(seeds[number], number))
      return ended;
  if (Ended ended = judgePooled())
    return ended;
  return repeat((seeds.size() - 1) % Workspace::slots);
}

Ended Correctness::checkAgain() {
  auto number = static_cast<unsigned>(std::max<size_t>(bench_.job().seeds.size(), Workspace::slots));
  for (unsigned more = 0; more < Workspace::slots; ++more) {
    Ended ended = compareSeed(derivedSeed(bench_.job().seeds.front(), 1 + more), number + more);
    if (!ended)
      continue;
    if (!ended->fault)
      return ended;
    if (ended->fault->kind == FaultKind::WrongResult)
      ended->fault->kind = FaultKind::WrongAfterTiming;
    ended->fault->detail += ", after timing";
    return ended;
  }
  return judgePooled();
}

Ended Correctness::checkCurrent(unsigned slot, const std::string &what) {
  if (Problem problem = bench_.fetch(found_))
    return Stop::of(*problem);
  std::optional<std::string> wrong = compare(slot, found_, /*pool=*/false);
  if (!wrong)
    return std::nullopt;
  Stop stop = diagnose(circumstances(slot, 0), found_, *wrong, what);
  if (stop.fault && stop.fault->kind == FaultKind::WrongResult)
    stop.fault->kind = FaultKind::WrongAfterTiming;
  return stop;
}

Stop Correctness::diagnose(const Circumstances &circumstances, const Outputs &found, const std::string &wrong,
                           const std::string &what) {
  bool unwritten = leftUnwritten(circumstances.slot, found);
  std::string detail = wrong + ", " + what;
  bench_.messages().note(bench_.shape().name + ": " + detail + "; looking for the cause");
  auto isRight = [&](const Outputs &outputs) {
    return !compare(circumstances.slot, outputs, /*pool=*/false);
  };
  Diagnosis diagnosis{bench_, original_, candidate_, fresh_, isRight};
  return diagnosis.nameCause(circumstances, unwritten, detail);
}

Json Correctness::report() const {
  Json document = {{"seeds", seeds_},
                   {"repeats", repeats_},
                   {"original_varies", originalVaries_},
                   {"candidate_varies", candidateVaries_}};
  const std::vector<Buffer> &buffers = bench_.shape().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].role != Role::In)
      document["errors"][buffers[i].name] = summaryDocument(pooled_[i].summary());
  return document;
}

} // namespace warpwright::runner
