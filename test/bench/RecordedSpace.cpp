#include "test/bench/RecordedSpace.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace warpwright::loop {
namespace {

/// Names by kernel and number, as test/bench/spaces/spaces.py has them; and each shape's work beside the
/// first's.
struct KnownSpace {
  const char *kernel;
  std::vector<const char *> structures;
  std::vector<double> work;
};

const std::vector<KnownSpace> &knownSpaces() {
  static const std::vector<KnownSpace> spaces = {
      {"gemm", {"resize-block", "block-registers", "stage-shared-tile"}, {1, 0.015625, 0.03125}},
      {"reduction",
       {"resize-block", "coarsen-threads factor", "coarsen-threads blocks"},
       {1, 0.015625, 0.0014903}},
      {"softmax",
       {"resize-block", "distribute-row-loop", "distribute-row-loop online", "distribute-row-loop registers"},
       {1, 0.5, 0.5}},
      {"transpose",
       {"resize-block", "swap-thread-axes", "block-registers", "transpose-through-shared"},
       {1, 0.23866, 0.25}},
  };
  return spaces;
}

} // namespace

llvm::Expected<RecordedSpace> RecordedSpace::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path + "': " + buffer.getError().message());
  RecordedSpace space;
  space.kernel_ = llvm::sys::path::stem(path).str();
  auto known =
      llvm::find_if(knownSpaces(), [&](const KnownSpace &one) { return space.kernel_ == one.kernel; });
  if (known == knownSpaces().end())
    return llvm::createStringError("'" + path + "' is none of the recorded spaces");
  llvm::SmallVector<llvm::StringRef> lines, names, fields;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  lines.front().split(names, ',');
  const size_t facts = llvm::find(names, "sectors") - names.begin();
  for (llvm::StringRef line : llvm::ArrayRef(lines).drop_front()) {
    fields.clear();
    line.split(fields, ',');
    std::vector<double> numbers;
    for (llvm::StringRef field : fields) {
      double number = 0;
      if (field.getAsDouble(number))
        return llvm::createStringError("'" + path + "': '" + field.str() + "' is no number");
      numbers.push_back(number);
    }
    if (numbers.size() != names.size() || numbers[0] >= double(known->structures.size()))
      return llvm::createStringError("'" + path + "': a line does not fit the first");
    Row row;
    const double *f = numbers.data() + facts;
    row.facts = {f[0] * 1000, f[1] * 1000, f[2] * 1000, f[3], f[4], f[5], f[6]};
    row.localBytes = f[8];
    row.resident = f[9];
    row.microseconds.assign(f + 10, f + 13);
    if (space.original_.microseconds.empty()) {
      space.original_ = row;
      continue;
    }
    LoopCandidate candidate;
    candidate.structure = known->structures[size_t(numbers[0])];
    for (size_t i = 1; i < facts; ++i)
      if (numbers[i] != 0)
        candidate.parameters[names[i].str()] = int64_t(numbers[i]);
    candidate.facts = row.facts;
    candidate.predicted = modelCost(row.facts) / modelCost(space.original_.facts);
    space.candidates_.push_back(std::move(candidate));
    space.rows_.push_back(std::move(row));
  }
  return std::move(space);
}

void RecordedSpace::screen(double margin) {
  double least = 1e300;
  for (const LoopCandidate &candidate : candidates_)
    least = std::min(least, candidate.predicted);
  for (LoopCandidate &candidate : candidates_)
    if (candidate.predicted > margin * least) {
      candidate.screened = {Verdict::Kind::Declined, "pre-screen", "the model holds it for much slower"};
      candidate.rule = "static cost";
    }
}

double RecordedSpace::ratio(size_t candidate) const {
  double logarithms = 0;
  for (auto [mine, original] : llvm::zip(rows_[candidate].microseconds, original_.microseconds))
    logarithms += std::log(mine / original);
  return std::exp(logarithms / double(original_.microseconds.size()));
}

double RecordedSpace::best() const {
  double best = 1;
  for (size_t i = 0; i < rows_.size(); ++i)
    best = std::min(best, ratio(i));
  return best;
}

llvm::Expected<LoopOutcome> RecordedSpace::measure(size_t candidate) {
  if (delay)
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
  LoopOutcome outcome;
  outcome.verdict.kind = Verdict::Kind::Accepted;
  outcome.ratio = ratio(candidate);
  for (auto [mine, original] : llvm::zip(rows_[candidate].microseconds, original_.microseconds)) {
    outcome.worst = std::max(outcome.worst, mine / original);
    outcome.seconds += mine * 15e-6;
  }
  return outcome;
}

/// What time and facts say without counters: how busy each unit was on average, on an H200 at 1980 MHz.
Diagnosed RecordedSpace::diagnoseRow(const Row &row) const {
  constexpr double multiprocessors = 132, cyclesOfUs = 1980, bytesOfUs = 4.3e6;
  const double us = row.microseconds.front(), cycles = us * cyclesOfUs * multiprocessors;
  std::vector<std::pair<double, Bottleneck>> found;
  double memory = row.facts.sectors * 32 / (us * bytesOfUs);
  found.emplace_back(memory <= 1.05 ? memory : 0, Bottleneck::MemoryBandwidth);
  found.emplace_back(row.facts.sectors / (2 * cycles), Bottleneck::CacheBandwidth);
  found.emplace_back(row.facts.wavefronts / cycles, Bottleneck::SharedMemory);
  found.emplace_back(row.facts.instructions / (4 * cycles), Bottleneck::Compute);
  if (row.localBytes > 0)
    found.emplace_back(0.9, Bottleneck::Spills);
  double occupancy = row.resident * row.facts.threads / 2048;
  found.emplace_back(occupancy < 0.3 ? 0.6 : 0, Bottleneck::Occupancy);
  found.emplace_back(0.4, Bottleneck::MemoryLatency); // where nothing else is busy
  // Shapes that take longer than their share of the work: their blocks are few.
  auto work =
      llvm::find_if(knownSpaces(), [&](const KnownSpace &one) { return kernel_ == one.kernel; })->work;
  double longer = 0;
  for (size_t i = 1; i < work.size(); ++i)
    longer += std::log(std::max(1.0, row.microseconds[i] / (us * work[i]))) / double(work.size() - 1);
  found.emplace_back(std::min(0.85, longer),
                     row.microseconds[1] < 5 ? Bottleneck::LaunchBound : Bottleneck::TailEffect);
  llvm::sort(found, [](auto &a, auto &b) { return a.first > b.first; });
  Diagnosed diagnosed;
  for (auto &[busy, bottleneck] : found)
    if (busy >= 0.4 && diagnosed.size() < 2)
      diagnosed.push_back(bottleneck);
  return diagnosed;
}

llvm::Expected<Diagnosed> RecordedSpace::diagnose(std::optional<size_t> candidate) {
  return diagnoseRow(candidate ? rows_[*candidate] : original_);
}

} // namespace warpwright::loop
