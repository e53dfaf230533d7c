#include "feedback/DispatchGuard.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace warpwright {
namespace {

/// What vectors and tiles are made of: a larger divisor than needed would shut out shapes that are alike.
constexpr int64_t largestUsualDivisor = 128;

/// One product of scalars over all shapes.
struct Feature {
  std::string text; ///< "m * n"
  std::vector<int64_t> winning;
  std::vector<int64_t> losing;
};

struct Guard {
  std::string text;
  double apart; ///< the quotient of the values on both sides that are nearest; more is better
};

/// The product's values; nothing where one does not fit, or a name has none.
std::optional<std::vector<int64_t>> valuesOf(llvm::ArrayRef<std::string> names,
                                             llvm::ArrayRef<ScalarValues> shapes) {
  std::vector<int64_t> values;
  for (const ScalarValues &shape : shapes) {
    int64_t product = 1;
    for (const std::string &name : names) {
      auto found = shape.find(name);
      if (found == shape.end() || llvm::MulOverflow(product, found->second, product))
        return std::nullopt;
    }
    values.push_back(product);
  }
  return values;
}

double quotient(int64_t larger, int64_t smaller) {
  return smaller > 0 ? double(larger) / double(smaller) : HUGE_VAL;
}

std::optional<Guard> atLeast(const Feature &feature) {
  int64_t least = *llvm::min_element(feature.winning), most = *llvm::max_element(feature.losing);
  if (least <= most)
    return std::nullopt;
  return Guard{feature.text + " >= " + std::to_string(least), quotient(least, most)};
}

std::optional<Guard> atMost(const Feature &feature) {
  int64_t most = *llvm::max_element(feature.winning), least = *llvm::min_element(feature.losing);
  if (most >= least)
    return std::nullopt;
  return Guard{feature.text + " <= " + std::to_string(most), quotient(least, most)};
}

/// By the largest usual power of two that divides every winning value, else by all that they share. A large
/// common divisor is what the shapes happen to be, and says nothing of others.
std::optional<Guard> divisible(const Feature &feature) {
  int64_t common = 0;
  for (int64_t value : feature.winning)
    common = std::gcd(common, value);
  int64_t usual = std::min(common & -common, largestUsualDivisor);
  for (int64_t divisor : {usual, common}) {
    auto divides = [&](int64_t value) { return value % divisor == 0; };
    if (divisor > 1 && divisor <= largestUsualDivisor && llvm::none_of(feature.losing, divides))
      return Guard{feature.text + " % " + std::to_string(divisor) + " == 0", 1};
  }
  return std::nullopt;
}

class GuardFinder {
public:
  GuardFinder(llvm::ArrayRef<ScalarValues> winning, llvm::ArrayRef<ScalarValues> losing)
      : winning_(winning), losing_(losing) {
    for (const auto &[name, value] : winning.front())
      names_.push_back(name);
  }

  std::optional<std::string> find() const {
    for (auto kind : {atLeast, atMost, divisible})
      if (std::optional<std::string> guard = best(products(1), kind))
        return guard;
    for (size_t factors : {2, 3})
      if (std::optional<std::string> guard = best(products(factors), atLeast))
        return guard;
    return std::nullopt;
  }

private:
  /// All products of so many different scalars.
  std::vector<Feature> products(size_t factors) const {
    std::vector<Feature> features;
    std::vector<std::string> chosen;
    collect(0, factors, chosen, features);
    return features;
  }

  void collect(size_t from, size_t factors, std::vector<std::string> &chosen,
               std::vector<Feature> &features) const {
    if (factors == 0) {
      auto winning = valuesOf(chosen, winning_), losing = valuesOf(chosen, losing_);
      // A negative factor would turn the order round.
      bool isUsable = winning && losing && (chosen.size() == 1 || isPositive(chosen));
      if (isUsable)
        features.push_back({llvm::join(chosen, " * "), std::move(*winning), std::move(*losing)});
      return;
    }
    for (size_t i = from; i < names_.size(); ++i) {
      chosen.push_back(names_[i]);
      collect(i + 1, factors - 1, chosen, features);
      chosen.pop_back();
    }
  }

  bool isPositive(llvm::ArrayRef<std::string> chosen) const {
    return llvm::all_of(chosen, [&](const std::string &name) {
      auto isNotNegative = [&](const ScalarValues &shape) { return shape.at(name) >= 0; };
      return llvm::all_of(winning_, isNotNegative) && llvm::all_of(losing_, isNotNegative);
    });
  }

  static std::optional<std::string> best(llvm::ArrayRef<Feature> features,
                                         std::optional<Guard> (*kind)(const Feature &)) {
    std::optional<Guard> best;
    for (const Feature &feature : features)
      if (std::optional<Guard> guard = kind(feature); guard && (!best || guard->apart > best->apart))
        best = std::move(guard);
    return best ? std::optional(best->text) : std::nullopt;
  }

  llvm::ArrayRef<ScalarValues> winning_;
  llvm::ArrayRef<ScalarValues> losing_;
  std::vector<std::string> names_;
};

} // namespace

std::optional<ScalarExpression> separatingGuard(llvm::ArrayRef<ScalarValues> winning,
                                                llvm::ArrayRef<ScalarValues> losing) {
  if (winning.empty() || losing.empty())
    return std::nullopt;
  std::optional<std::string> text = GuardFinder(winning, losing).find();
  if (!text)
    return std::nullopt;
  llvm::Expected<ScalarExpression> guard = ScalarExpression::parse(*text);
  if (guard)
    return std::move(*guard);
  llvm::consumeError(guard.takeError());
  return std::nullopt;
}

} // namespace warpwright
