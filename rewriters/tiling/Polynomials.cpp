#include "rewriters/tiling/Polynomials.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace warpwright {
namespace {

using Term = std::pair<Expression::Monomial, int64_t>;

/// Graded order: products before their factors, ties by when the table met the symbols.
bool isLower(const Term &left, const Term &right) {
  if (left.first.size() != right.first.size())
    return left.first.size() < right.first.size();
  return std::lexicographical_compare(right.first.begin(), right.first.end(), left.first.begin(),
                                      left.first.end(),
                                      [](const Symbol *a, const Symbol *b) { return a->order < b->order; });
}

std::optional<Term> leading(const Expression &expression) {
  if (expression.terms().empty())
    return std::nullopt;
  return *llvm::max_element(expression.terms(), isLower);
}

Expression toExpression(const Term &term) {
  Expression result(term.second);
  for (const Symbol *symbol : term.first)
    result = result * Expression(symbol);
  return result;
}

std::optional<Term> divide(const Term &dividend, const Term &divisor) {
  if (divisor.second == 0 || dividend.second % divisor.second != 0)
    return std::nullopt;
  Term result{dividend.first, dividend.second / divisor.second};
  for (const Symbol *symbol : divisor.first) {
    auto *found = llvm::find(result.first, symbol);
    if (found == result.first.end())
      return std::nullopt;
    result.first.erase(found);
  }
  return result;
}

bool isName(llvm::StringRef text) {
  if (text.consume_front("static_cast<long long>("))
    text.consume_back(")");
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == ':' || c == '@';
  });
}

/// Readers number the variables of one name: "n@4711".
std::string withoutNumbers(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [before, rest] = text.split('@');
    result += before.str();
    text = rest.ltrim("0123456789");
  }
  return result;
}

bool hasNames(const Expression &expression) {
  return expression.valid() &&
         !expression.mentions([](const Symbol &symbol) { return !isName(symbol.text); });
}

} // namespace

std::optional<Expression> exactQuotient(const Expression &dividend, const Expression &divisor) {
  Expression rest = dividend, quotient;
  std::optional<Term> by = leading(divisor);
  if (!by)
    return std::nullopt;
  while (!rest.isZero()) {
    std::optional<Term> one = divide(*leading(rest), *by);
    if (!one || !rest.valid())
      return std::nullopt;
    Expression factor = toExpression(*one);
    quotient = quotient + factor;
    rest = rest - factor * divisor;
  }
  return quotient;
}

int64_t multiplesOf(const Expression &part, const Expression &sum) {
  std::optional<Term> lead = leading(part);
  if (!lead)
    return 0;
  for (const Term &term : sum.terms())
    if (term.first == lead->first) {
      // To the nearest: `n - 1` is one row on and one element back.
      int64_t twice = 2 * (term.second % lead->second), quotient = term.second / lead->second;
      if (std::abs(twice) >= std::abs(lead->second) && std::abs(lead->second) > 1)
        quotient += (twice < 0) == (lead->second < 0) ? 1 : -1;
      return quotient;
    }
  return 0;
}

std::optional<std::string> toCode(const Expression &expression) {
  return hasNames(expression) ? std::optional(withoutNumbers(expression.text())) : std::nullopt;
}

std::optional<std::string> toFactor(const Expression &expression) {
  return hasNames(expression) ? std::optional(withoutNumbers(expression.factorText())) : std::nullopt;
}

} // namespace warpwright
