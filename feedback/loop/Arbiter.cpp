#include "feedback/loop/Arbiter.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace warpwright::loop {
namespace {

/// What a set takes.
struct Sum {
  double registers, sharedBytes, threads;

  Sum with(const Part &part) const {
    return {registers + part.registers, sharedBytes + part.sharedBytes, threads * part.threads};
  }
  /// Why it is too much; empty where it is not.
  std::string over(const Budget &budget) const {
    if (registers > budget.registers)
      return llvm::formatv("{0:F0} registers a thread, {1:F0} are there", registers, budget.registers);
    if (sharedBytes > budget.sharedBytes)
      return llvm::formatv("{0:F0} bytes of shared memory, {1:F0} are there", sharedBytes,
                           budget.sharedBytes);
    if (threads > budget.threads)
      return llvm::formatv("{0:F0} threads a block, {1:F0} are allowed", threads, budget.threads);
    return {};
  }
};

/// Insertions at one place meet, too: their order would be a matter of chance.
bool isOverlap(const Span &a, const Span &b) {
  return a.file == b.file && ((a.begin < b.end && b.begin < a.end) || a.begin == b.begin);
}

std::string whyApart(const Part &a, const Part &b, const Sum &original, const Budget &budget) {
  for (const Span &mine : a.spans)
    for (const Span &other : b.spans)
      if (isOverlap(mine, other))
        return llvm::formatv("both edit {0} at byte {1}", mine.file, std::max(mine.begin, other.begin));
  std::string over = original.with(a).with(b).over(budget);
  return over.empty() ? over : "together " + over;
}

/// Depth first over parts in the order of their gains; what all that is left could add bounds it.
class Search {
public:
  Search(llvm::ArrayRef<Part> parts, std::vector<size_t> order, const std::vector<std::vector<bool>> &apart,
         Sum original, const Budget &budget)
      : parts_(parts), order_(std::move(order)), apart_(apart), budget_(budget) {
    left_.assign(order_.size() + 1, 0);
    for (size_t i = order_.size(); i-- > 0;)
      left_[i] = left_[i + 1] + parts_[order_[i]].gain;
    go(0, original, 0);
  }
  std::vector<size_t> best;
  double bestGain = 0;

private:
  void go(size_t at, Sum sum, double gain) {
    if (gain > bestGain) {
      bestGain = gain;
      best = taken_;
    }
    if (at == order_.size() || gain + left_[at] <= bestGain)
      return;
    size_t part = order_[at];
    bool fits = llvm::none_of(taken_, [&](size_t other) { return apart_[part][other]; }) &&
                sum.with(parts_[part]).over(budget_).empty();
    if (fits) {
      taken_.push_back(part);
      go(at + 1, sum.with(parts_[part]), gain + parts_[part].gain);
      taken_.pop_back();
    }
    go(at + 1, sum, gain);
  }

  llvm::ArrayRef<Part> parts_;
  std::vector<size_t> order_;
  const std::vector<std::vector<bool>> &apart_;
  const Budget &budget_;
  std::vector<double> left_;
  std::vector<size_t> taken_;
};

std::string tradeText(llvm::ArrayRef<Part> parts, const Arbitration &result, size_t given) {
  for (const Conflict &conflict : result.conflicts) {
    if (conflict.first != given && conflict.second != given)
      continue;
    size_t other = conflict.first == given ? conflict.second : conflict.first;
    if (other == given)
      return parts[given].name + " is left out: " + conflict.why;
    if (llvm::is_contained(result.chosen, other))
      return parts[given].name + " is left out for " + parts[other].name + ": " + conflict.why;
  }
  return parts[given].name + " is left out: with all that is chosen it breaks the budget";
}

} // namespace

Arbitration arbitrate(llvm::ArrayRef<Part> parts, const StaticFacts &original, const Budget &budget) {
  Arbitration result;
  const Sum base = {original.registers, original.sharedBytes, original.threads};
  std::vector<std::vector<bool>> apart(parts.size(), std::vector<bool>(parts.size(), false));
  std::vector<size_t> order;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (std::string over = base.with(parts[i]).over(budget); !over.empty()) {
      result.conflicts.push_back({i, i, over});
      continue;
    }
    for (size_t j : order)
      if (std::string why = whyApart(parts[j], parts[i], base, budget); !why.empty()) {
        result.conflicts.push_back({j, i, why});
        apart[i][j] = apart[j][i] = true;
      }
    order.push_back(i);
  }
  llvm::erase_if(order, [&](size_t i) { return parts[i].gain <= 0; });
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(-parts[a].gain, a) < std::make_pair(-parts[b].gain, b);
  });
  std::vector<size_t> rest(order.begin() + std::min(order.size(), exactParts), order.end());
  order.resize(std::min(order.size(), exactParts));
  Search search(parts, order, apart, base, budget);
  result.chosen = search.best;
  Sum sum = base;
  for (size_t i : result.chosen)
    sum = sum.with(parts[i]);
  for (size_t i : rest)
    if (llvm::none_of(result.chosen, [&](size_t other) { return apart[i][other]; }) &&
        sum.with(parts[i]).over(budget).empty()) {
      result.chosen.push_back(i);
      sum = sum.with(parts[i]);
    }
  llvm::sort(result.chosen);
  for (size_t i : result.chosen)
    result.gain += parts[i].gain;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].gain > 0 && !llvm::is_contained(result.chosen, i))
      result.trades.push_back(tradeText(parts, result, i));
  return result;
}

} // namespace warpwright::loop
