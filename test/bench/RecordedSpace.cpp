#include "test/bench/RecordedSpace.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace warpwright::loop {
namespace {

/// Names by kernel and number, as test/bench/spaces/spaces.py has them; each shape's buffers in bytes; and
/// whether each block adds to one address.
struct KnownSpace {
  const char *kernel;
  std::vector<const char *> structures;
  std::vector<double> bytes;
  bool adds = false;
};

const std::vector<KnownSpace> &knownSpaces() {
  static const std::vector<KnownSpace> spaces = {
      {"gemm",
       {"resize-block", "block-registers", "stage-shared-tile"},
       {12.0 * 2048 * 2048, 12.0 * 512 * 512, 4.0 * (64 * 1024 + 1024 * 4096 + 64 * 4096)}},
      {"reduction",
       {"resize-block", "coarsen-threads factor", "coarsen-threads blocks"},
       {4.0 * (1 << 26), 4.0 * (1 << 20), 4.0 * 100004},
       true},
      {"softmax",
       {"resize-block", "distribute-row-loop", "distribute-row-loop online", "distribute-row-loop registers"},
       {8.0 * 4096 * 4096, 8.0 * 1024 * 8192, 8.0 * 32768 * 256}},
      {"transpose",
       {"resize-block", "swap-thread-axes", "block-registers", "transpose-through-shared"},
       {8.0 * 4096 * 4096, 8.0 * 1000 * 4004, 8.0 * 8192 * 512}},
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
  const size_t facts = llvm::find(names, "sectors0") - names.begin();
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
    const double *common = f + 5 * known->bytes.size(); // threads, shared bytes, registers, local bytes
    for (size_t i = 0; i < known->bytes.size(); ++i, f += 5)
      row.shapes.push_back(
          {f[0], f[1], f[2], common[0], f[3], common[1], f[4], known->bytes[i], known->adds ? f[3] : 0});
    row.localBytes = common[3];
    row.microseconds.assign(common + 5, common + 5 + known->bytes.size());
    if (space.original_.microseconds.empty()) {
      space.original_ = row;
      continue;
    }
    LoopCandidate candidate;
    candidate.structure = known->structures[size_t(numbers[0])];
    for (size_t i = 1; i < facts; ++i)
      if (numbers[i] != 0)
        candidate.parameters[names[i].str()] = int64_t(numbers[i]);
    candidate.facts = row.shapes.front();
    candidate.predicted = modelCost(row.shapes) / modelCost(space.original_.shapes);
    space.candidates_.push_back(std::move(candidate));
    space.rows_.push_back(std::move(row));
  }
  return std::move(space);
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

llvm::Expected<Diagnosed> RecordedSpace::diagnose(std::optional<size_t> candidate) {
  const Row &row = candidate ? rows_[*candidate] : original_;
  return diagnoseByTime(row.shapes, row.microseconds, row.localBytes > 0);
}

} // namespace warpwright::loop
