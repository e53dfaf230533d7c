#include "rewriters/tiling/Polynomials.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

class Polynomials : public testing::Test {
protected:
  Expression named(const char *text) {
    Symbol symbol;
    symbol.text = text;
    return Expression(table_.intern(std::move(symbol)));
  }
  SymbolTable table_;
  Expression n_ = named("n@17"), m_ = named("m@18"), k_ = named("p@19.k");
};

TEST_F(Polynomials, DivideWhereNothingIsLeft) {
  EXPECT_EQ(exactQuotient(n_ * m_ * Expression(6), n_ * Expression(2)), m_ * Expression(3));
  EXPECT_EQ(exactQuotient(Expression(), n_), Expression());
  // Sums divide sums.
  Expression inner = (n_ - Expression(2)) * (m_ - Expression(2));
  EXPECT_EQ(exactQuotient(inner, n_ - Expression(2)), m_ - Expression(2));
}

TEST_F(Polynomials, DoNotDivideWhereSomethingIsLeft) {
  EXPECT_FALSE(exactQuotient(n_ * m_ + Expression(1), n_));
  EXPECT_FALSE(exactQuotient(n_ * Expression(3), Expression(2)));
  EXPECT_FALSE(exactQuotient(n_, Expression()));
}

TEST_F(Polynomials, CountMultiplesByTheLeadingPart) {
  EXPECT_EQ(multiplesOf(n_, Expression(1) - n_), -1);
  EXPECT_EQ(multiplesOf(n_, m_), 0);
  // One row of 56 on and an element back.
  EXPECT_EQ(multiplesOf(Expression(56), Expression(55)), 1);
  EXPECT_EQ(multiplesOf(Expression(56), Expression(-1)), 0);
}

TEST_F(Polynomials, AreWrittenInTheSourcesWords) {
  EXPECT_EQ(toCode(k_ * Expression(2) + Expression(1)), "2 * p.k + 1");
  EXPECT_EQ(toFactor(n_ + Expression(1)), "(n + 1)");
  EXPECT_EQ(toFactor(n_), "n");
  EXPECT_EQ(toCode(named("static_cast<long long>(z@3)")), "static_cast<long long>(z)");
  // What is known by its operation alone has no word.
  EXPECT_FALSE(toCode(n_ + named("div(m@18, 2)")));
}

} // namespace
