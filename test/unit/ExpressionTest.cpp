#include "analysis/ir/Expression.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

class ExpressionTest : public ::testing::Test {
protected:
  Expression symbol(SymbolKind kind, unsigned index, const char *text) { return pointer(kind, index, text); }
  const Symbol *pointer(SymbolKind kind, unsigned index, const char *text) {
    Symbol made;
    made.kind = kind;
    made.index = index;
    made.text = text;
    return table_.intern(made);
  }
  Expression row() {
    return symbol(SymbolKind::BlockIndex, 1, "blockIdx.y") *
               symbol(SymbolKind::BlockExtent, 1, "blockDim.y") +
           threadY();
  }
  Expression threadX() { return symbol(SymbolKind::ThreadIndex, 0, "threadIdx.x"); }
  Expression threadY() { return symbol(SymbolKind::ThreadIndex, 1, "threadIdx.y"); }
  Expression n() { return symbol(SymbolKind::Parameter, 2, "n"); }

  SymbolTable table_;
};

TEST_F(ExpressionTest, KeepsRowsRecognisable) {
  EXPECT_EQ((row() * n() + threadX()).text(), "(blockIdx.y * blockDim.y + threadIdx.y) * n + threadIdx.x");
}

TEST_F(ExpressionTest, PrintsSignsAndConstants) {
  EXPECT_EQ(Expression().text(), "0");
  EXPECT_EQ(Expression(-3).text(), "-3");
  EXPECT_EQ((Expression(31) - threadX()).text(), "-threadIdx.x + 31");
  EXPECT_EQ((n() - threadX()).text(), "n - threadIdx.x");
  EXPECT_EQ((threadX() * 4 + n() * 8).text(), "(threadIdx.x + 2 * n) * 4");
}

TEST_F(ExpressionTest, CoefficientIsTheFactorOfALinearSymbol) {
  Expression offset = row() * n() * 4 + threadX() * 4;
  EXPECT_EQ(offset.coefficient(pointer(SymbolKind::ThreadIndex, 1, "threadIdx.y"))->text(), "4 * n");
  EXPECT_EQ(offset.coefficient(pointer(SymbolKind::ThreadIndex, 0, "threadIdx.x"))->asConstant(), 4);
  EXPECT_TRUE(offset.coefficient(pointer(SymbolKind::ThreadIndex, 2, "threadIdx.z"))->isZero());
}

TEST_F(ExpressionTest, CoefficientOfASquareIsNone) {
  Expression square = threadX() * threadX();
  EXPECT_FALSE(square.coefficient(pointer(SymbolKind::ThreadIndex, 0, "threadIdx.x")).has_value());
}

TEST_F(ExpressionTest, EqualSumsAreEqualWhateverTheirOrder) {
  EXPECT_EQ(threadX() + n() * 2 - 1, n() - 1 + threadX() + n());
  EXPECT_TRUE((threadX() - threadX()).isZero());
}

TEST_F(ExpressionTest, SubstitutesAndDivides) {
  Expression offset = threadX() * n() + threadX();
  const Symbol *x = pointer(SymbolKind::ThreadIndex, 0, "threadIdx.x");
  EXPECT_EQ(offset.substitute(x, n() - 1), n() * n() - 1);
  EXPECT_EQ((threadX() * 8 + 16).dividedBy(8)->text(), "threadIdx.x + 2");
  EXPECT_FALSE((threadX() * 8 + 4).dividedBy(8).has_value());
}

TEST_F(ExpressionTest, EvaluatesOnlyWhenEverySymbolHasAValue) {
  auto seven = [](const Symbol &symbol) -> std::optional<int64_t> {
    if (symbol.kind == SymbolKind::Parameter)
      return 7;
    return std::nullopt;
  };
  EXPECT_EQ((n() * n() + 1).evaluate(seven), 50);
  EXPECT_FALSE((n() + threadX()).evaluate(seven).has_value());
}

TEST_F(ExpressionTest, AnOverflowedCoefficientSaysNothing) {
  Expression large = threadX() * INT64_MAX;
  EXPECT_FALSE((large * 2).valid());
  EXPECT_FALSE((large + large).valid());
  EXPECT_FALSE((large * 2).asConstant().has_value());
  EXPECT_FALSE((large * 2).dividedBy(2).has_value());
}

} // namespace
