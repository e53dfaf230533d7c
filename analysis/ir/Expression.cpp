#include "analysis/ir/Expression.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warpwright {
namespace {

bool precedes(const Expression::Monomial &left, const Expression::Monomial &right) {
  return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                      [](const Symbol *a, const Symbol *b) { return a->order < b->order; });
}

/// Where a symbol stands in a product: `blockIdx.x * blockDim.x`, `iter(j) * n`.
unsigned placeInProduct(const Symbol *symbol) {
  switch (symbol->kind) {
  case SymbolKind::BlockIndex:
    return 0;
  case SymbolKind::BlockExtent:
    return 1;
  case SymbolKind::GridExtent:
    return 2;
  case SymbolKind::ThreadIndex:
    return 3;
  case SymbolKind::LoopCounter:
    return 4;
  case SymbolKind::Opaque:
    return 5;
  case SymbolKind::Parameter:
    return 6;
  }
  return 7;
}

std::string productText(const Expression::Monomial &monomial, uint64_t coefficient) {
  llvm::SmallVector<const Symbol *> factors(monomial.begin(), monomial.end());
  llvm::sort(factors, [](const Symbol *a, const Symbol *b) {
    return std::tuple(placeInProduct(a), a->index, a->order) <
           std::tuple(placeInProduct(b), b->index, b->order);
  });
  std::string text;
  if (coefficient != 1 || factors.empty())
    text = std::to_string(coefficient);
  for (const Symbol *factor : factors) {
    if (!text.empty())
      text += " * ";
    text += factor->compound ? "(" + factor->text + ")" : factor->text;
  }
  return text;
}

/// Sums read best with the products first and the constant last.
bool printsBefore(const std::pair<Expression::Monomial, int64_t> &left,
                  const std::pair<Expression::Monomial, int64_t> &right) {
  if (left.first.size() != right.first.size())
    return left.first.size() > right.first.size();
  if ((left.second < 0) != (right.second < 0))
    return left.second > 0;
  for (auto [a, b] : llvm::zip(left.first, right.first)) {
    std::tuple keyA(placeInProduct(a), a->index, a->order), keyB(placeInProduct(b), b->index, b->order);
    if (keyA != keyB)
      return keyA < keyB;
  }
  return false;
}

/// The scalar that most monomials share, so that rows and columns stay recognisable: `(row) * n + column`.
const Symbol *commonFactor(const Expression &expression) {
  llvm::SmallVector<std::pair<const Symbol *, unsigned>> counts;
  for (const auto &[monomial, coefficient] : expression.terms()) {
    const Symbol *last = nullptr;
    for (const Symbol *symbol : monomial) {
      if (symbol == last || (symbol->kind != SymbolKind::Parameter && symbol->kind != SymbolKind::Opaque))
        continue;
      last = symbol;
      auto found = llvm::find_if(counts, [&](const auto &entry) { return entry.first == symbol; });
      if (found == counts.end())
        counts.emplace_back(symbol, 1);
      else
        ++found->second;
    }
  }
  const Symbol *best = nullptr;
  unsigned bestCount = 1;
  for (auto [symbol, count] : counts)
    if (count > bestCount) {
      best = symbol;
      bestCount = count;
    }
  return best;
}

std::string sumText(const Expression &expression) {
  std::vector<std::pair<Expression::Monomial, int64_t>> terms = expression.terms();
  llvm::sort(terms, printsBefore);
  std::string text;
  for (const auto &[monomial, coefficient] : terms) {
    uint64_t magnitude = coefficient < 0 ? -static_cast<uint64_t>(coefficient) : coefficient;
    if (text.empty())
      text = coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    text += productText(monomial, magnitude);
  }
  return text;
}

} // namespace

const Symbol *SymbolTable::intern(Symbol like) {
  for (const Symbol &symbol : symbols_)
    if (symbol.kind == like.kind && symbol.index == like.index && symbol.text == like.text)
      return &symbol;
  return make(std::move(like));
}

const Symbol *SymbolTable::make(Symbol like) {
  like.order = symbols_.size();
  symbols_.push_back(std::move(like));
  return &symbols_.back();
}

const Symbol *SymbolTable::find(SymbolKind kind, unsigned index) const {
  for (const Symbol &symbol : symbols_)
    if (symbol.kind == kind && symbol.index == index)
      return &symbol;
  return nullptr;
}

Expression::Expression(int64_t constant) {
  add({}, constant);
}
Expression::Expression(const Symbol *symbol) {
  add({symbol}, 1);
}

void Expression::add(const Monomial &monomial, int64_t coefficient) {
  auto position = llvm::lower_bound(
      terms_, monomial, [](const auto &term, const Monomial &key) { return precedes(term.first, key); });
  if (position == terms_.end() || position->first != monomial) {
    if (coefficient != 0)
      terms_.insert(position, {monomial, coefficient});
    return;
  }
  int64_t sum = 0;
  if (llvm::AddOverflow(position->second, coefficient, sum))
    valid_ = false;
  position->second = sum;
  if (sum == 0)
    terms_.erase(position);
}

Expression Expression::operator+(const Expression &other) const {
  Expression result = *this;
  result.valid_ = valid_ && other.valid_;
  for (const auto &[monomial, coefficient] : other.terms_)
    result.add(monomial, coefficient);
  return result;
}

Expression Expression::operator-(const Expression &other) const {
  return *this + other * Expression(-1);
}

Expression Expression::operator*(const Expression &other) const {
  Expression result;
  result.valid_ = valid_ && other.valid_;
  for (const auto &[left, leftCoefficient] : terms_)
    for (const auto &[right, rightCoefficient] : other.terms_) {
      Monomial product(left);
      product.append(right.begin(), right.end());
      llvm::sort(product, [](const Symbol *a, const Symbol *b) { return a->order < b->order; });
      int64_t coefficient = 0;
      if (llvm::MulOverflow(leftCoefficient, rightCoefficient, coefficient))
        result.valid_ = false;
      result.add(product, coefficient);
    }
  return result;
}

std::optional<int64_t> Expression::asConstant() const {
  if (!valid_ || terms_.size() > 1 || (!terms_.empty() && !terms_.front().first.empty()))
    return std::nullopt;
  return constantPart();
}

int64_t Expression::constantPart() const {
  return !terms_.empty() && terms_.front().first.empty() ? terms_.front().second : 0;
}

std::optional<Expression> Expression::coefficient(const Symbol *symbol) const {
  Expression result;
  result.valid_ = valid_;
  for (const auto &[monomial, coefficient] : terms_) {
    auto degree = llvm::count(monomial, symbol);
    if (degree == 0)
      continue;
    if (degree > 1)
      return std::nullopt;
    Monomial rest(monomial);
    rest.erase(llvm::find(rest, symbol));
    result.add(rest, coefficient);
  }
  return result;
}

Expression Expression::without(const Symbol *symbol) const {
  Expression result;
  result.valid_ = valid_;
  for (const auto &[monomial, coefficient] : terms_)
    if (!llvm::is_contained(monomial, symbol))
      result.add(monomial, coefficient);
  return result;
}

Expression Expression::substitute(const Symbol *symbol, const Expression &value) const {
  Expression result;
  result.valid_ = valid_;
  for (const auto &[monomial, coefficient] : terms_) {
    Expression product(coefficient);
    for (const Symbol *factor : monomial)
      product = product * (factor == symbol ? value : Expression(factor));
    result = result + product;
  }
  return result;
}

std::optional<Expression> Expression::dividedBy(int64_t divisor) const {
  if (!valid_ || divisor <= 0)
    return std::nullopt;
  Expression result = *this;
  for (auto &[monomial, coefficient] : result.terms_) {
    if (coefficient % divisor != 0)
      return std::nullopt;
    coefficient /= divisor;
  }
  return result;
}

bool Expression::mentions(llvm::function_ref<bool(const Symbol &)> predicate) const {
  return llvm::any_of(terms_, [&](const auto &term) {
    return llvm::any_of(term.first, [&](const Symbol *symbol) { return predicate(*symbol); });
  });
}

void Expression::forEachSymbol(llvm::function_ref<void(const Symbol *)> visit) const {
  llvm::SmallVector<const Symbol *> seen;
  for (const auto &[monomial, coefficient] : terms_)
    for (const Symbol *symbol : monomial)
      if (!llvm::is_contained(seen, symbol)) {
        seen.push_back(symbol);
        visit(symbol);
      }
}

std::optional<int64_t>
Expression::evaluate(llvm::function_ref<std::optional<int64_t>(const Symbol &)> valueOf) const {
  if (!valid_)
    return std::nullopt;
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : terms_) {
    int64_t product = coefficient;
    for (const Symbol *symbol : monomial) {
      std::optional<int64_t> value = valueOf(*symbol);
      if (!value || llvm::MulOverflow(product, *value, product))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

std::string Expression::text() const {
  if (!valid_)
    return "?";
  if (terms_.empty())
    return "0";
  if (terms_.size() == 1 && terms_.front().second == 1 && terms_.front().first.size() == 1)
    return terms_.front().first.front()->text;
  if (terms_.size() == 1)
    return sumText(*this);
  uint64_t divisor = 0;
  for (const auto &[monomial, coefficient] : terms_)
    divisor = std::gcd(divisor, coefficient < 0 ? -static_cast<uint64_t>(coefficient) : coefficient);
  if (divisor > 1 && divisor <= INT64_MAX)
    return dividedBy(divisor)->factorText() + " * " + std::to_string(divisor);
  const Symbol *factor = commonFactor(*this);
  std::optional<Expression> group = factor ? coefficient(factor) : std::nullopt;
  if (!group || group->isZero())
    return sumText(*this);
  Expression rest = without(factor);
  std::string product = group->factorText() + " * " + Expression(factor).factorText();
  if (rest.isZero())
    return product;
  std::string restText = rest.text();
  return restText.front() == '-' ? product + " - " + restText.substr(1) : product + " + " + restText;
}

std::string Expression::factorText() const {
  bool compound = terms_.size() == 1 && terms_.front().second == 1 && terms_.front().first.size() == 1 &&
                  terms_.front().first.front()->compound;
  return terms_.size() > 1 || compound ? "(" + text() + ")" : text();
}

} // namespace warpwright
