#include "analysis/annotation/ScalarExpression.h"

#include <gtest/gtest.h>

#include <limits>

using namespace warpwright;

namespace {

const ScalarValues Names = {{"n", 100}, {"m", 7}, {"p.n", 33}, {"N::k", 5}, {"zero", 0}};

/// The value as text, or the error's message.
std::string valueOf(llvm::StringRef text, const ScalarValues &values = Names) {
  llvm::Expected<ScalarExpression> expression = ScalarExpression::parse(text);
  if (!expression)
    return llvm::toString(expression.takeError());
  llvm::Expected<int64_t> value = expression->evaluate(values);
  return value ? std::to_string(*value) : llvm::toString(value.takeError());
}

std::string printed(llvm::StringRef text) {
  llvm::Expected<ScalarExpression> expression = ScalarExpression::parse(text);
  return expression ? expression->str() : llvm::toString(expression.takeError());
}

TEST(ScalarExpression, ReadsEveryFormOfIntegerLiteral) {
  EXPECT_EQ(valueOf("0"), "0");
  EXPECT_EQ(valueOf("42u"), "42");
  EXPECT_EQ(valueOf("42ULL"), "42");
  EXPECT_EQ(valueOf("1'000'000"), "1000000");
  EXPECT_EQ(valueOf("0x1F"), "31");
  EXPECT_EQ(valueOf("0XffL"), "255");
  EXPECT_EQ(valueOf("0b1011"), "11");
  EXPECT_EQ(valueOf("0755"), "493");
  EXPECT_EQ(valueOf("0x1e+3"), "33");
  EXPECT_EQ(valueOf("9223372036854775807"), std::to_string(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(valueOf("true + true"), "2");
}

TEST(ScalarExpression, RefusesWhatIsNoIntegerLiteral) {
  EXPECT_EQ(valueOf("9223372036854775808"),
            "'9223372036854775808' does not fit a signed 64-bit integer (at offset 0)");
  EXPECT_EQ(valueOf("1.5"), "'1.5' is a floating number; only integers can stand here (at offset 0)");
  EXPECT_EQ(valueOf("1 + 089"), "'089' is not an integer of C (at offset 4)");
  EXPECT_EQ(valueOf("0x"), "'0x' is not an integer of C (at offset 0)");
  EXPECT_EQ(valueOf("0b12"), "'0b12' is not an integer of C (at offset 0)");
  EXPECT_EQ(valueOf("12abc"), "'12abc' is not an integer of C (at offset 0)");
}

TEST(ScalarExpression, BindsAsC) {
  // The compiler that builds this test is the reference.
  const int n = 100, m = 7;
  EXPECT_EQ(valueOf("1 + 2 * 3 - 4 / 3 % 2"), std::to_string(1 + 2 * 3 - 4 / 3 % 2));
  EXPECT_EQ(valueOf("1 << 2 + 1 >> 1"), std::to_string((1 << (2 + 1)) >> 1));
  EXPECT_EQ(valueOf("n & m == 7"), std::to_string(n & (m == 7)));
  EXPECT_EQ(valueOf("n | m ^ 3 & 6"), std::to_string(n | (m ^ (3 & 6))));
  EXPECT_EQ(valueOf("n > m == 1 != 0"), std::to_string(((n > m) == 1) != 0));
  EXPECT_EQ(valueOf("0 && 1 || 1"), std::to_string((0 && 1) || 1));
  EXPECT_EQ(valueOf("1 || 0 && 0"), std::to_string(1 || (0 && 0)));
  EXPECT_EQ(valueOf("1 ? 2 : 0 ? 3 : 4"), "2");
  EXPECT_EQ(valueOf("0 ? 2 : 0 ? 3 : 4"), "4");
  EXPECT_EQ(valueOf("-m * -1"), "7");
  EXPECT_EQ(valueOf("!m + ~m"), std::to_string(!m + ~m));
  EXPECT_EQ(valueOf("- -m"), "7");
  EXPECT_EQ(valueOf("100 - 10 - 1"), "89");
  EXPECT_EQ(valueOf("n>>1>1"), "1");
  EXPECT_EQ(valueOf("-7 / 2"), std::to_string(-7 / 2));
  EXPECT_EQ(valueOf("-7 % 2"), std::to_string(-7 % 2));
  EXPECT_EQ(valueOf("-8 >> 1"), "-4");
  EXPECT_EQ(valueOf("-1 << 3"), "-8");
}

TEST(ScalarExpression, CallsItsFunctions) {
  EXPECT_EQ(valueOf("ceil_div(n, 16)"), "7");
  EXPECT_EQ(valueOf("ceil_div(96, 16)"), "6");
  EXPECT_EQ(valueOf("ceil_div(-7, 2)"), "-3");
  EXPECT_EQ(valueOf("ceil_div(7, -2)"), "-3");
  EXPECT_EQ(valueOf("ceil_div(-7, -2)"), "4");
  EXPECT_EQ(valueOf("min(n, m) + max(n, m)"), "107");
  EXPECT_EQ(valueOf("32 * sizeof(float) + sizeof(unsigned int)"), "132");
  EXPECT_EQ(valueOf("ceildiv(n, 16)"), "unknown function 'ceildiv' (at offset 0)");
  EXPECT_EQ(valueOf("ceil_div(n)"),
            "expected ',' between the two arguments of ceil_div, found ')' (at offset 10)");
  EXPECT_EQ(valueOf("min(n, m, 3)"), "expected ')' after the two arguments of min, found ',' (at offset 8)");
}

TEST(ScalarExpression, KnowsMembersAndQualifiedNames) {
  EXPECT_EQ(valueOf("p.n + N::k"), "38");
  EXPECT_EQ(valueOf("p . n"), "33");
  EXPECT_EQ(valueOf("p.3"), "expected an operator, found '.3' (at offset 1)");
  EXPECT_EQ(valueOf("p."), "expected a name after '.', found the end of the clause (at offset 2)");
}

TEST(ScalarExpression, SeesThroughCommentsAndNewlines) {
  EXPECT_EQ(valueOf("n /* * 2 ) */ + // 3\n m"), "107");
  EXPECT_EQ(valueOf("n \\\n + m"), "107");
  EXPECT_EQ(valueOf("n /* never closed"), "100");
  EXPECT_EQ(valueOf("\"n + m\""), "expected a number, a name or '(', found '\"n + m\"' (at offset 0)");
}

TEST(ScalarExpression, ReportsWhatHasNoValue) {
  EXPECT_EQ(valueOf("n + missing"), "'missing' has no value here (at offset 4)");
  EXPECT_EQ(valueOf("n + m / zero"), "division by zero (at offset 4)");
  EXPECT_EQ(valueOf("m % zero"), "division by zero (at offset 0)");
  EXPECT_EQ(valueOf("ceil_div(m, zero)"), "division by zero (at offset 0)");
  EXPECT_EQ(valueOf("1 << 64"), "a shift by 64 is outside 0 to 63 (at offset 0)");
  EXPECT_EQ(valueOf("1 >> -1"), "a shift by -1 is outside 0 to 63 (at offset 0)");
  for (const char *text : {"9223372036854775807 + 1", "-9223372036854775807 - 2", "4611686018427387904 * 2",
                           "-(-9223372036854775807 - 1)", "(-9223372036854775807 - 1) / -1",
                           "(-9223372036854775807 - 1) % -1", "1 << 63"})
    EXPECT_EQ(valueOf(text), "the value does not fit a signed 64-bit integer (at offset 0)") << text;
}

TEST(ScalarExpression, EvaluatesNoMoreThanC) {
  EXPECT_EQ(valueOf("zero && n / zero"), "0");
  EXPECT_EQ(valueOf("n || n / zero"), "1");
  EXPECT_EQ(valueOf("zero ? n / zero : 3"), "3");
}

TEST(ScalarExpression, SaysWhatItExpected) {
  EXPECT_EQ(valueOf(""), "expected a number, a name or '(', found the end of the clause (at offset 0)");
  EXPECT_EQ(valueOf("n +"), "expected a number, a name or '(', found the end of the clause (at offset 3)");
  EXPECT_EQ(valueOf("(n"), "expected ')' to match the '(', found the end of the clause (at offset 2)");
  EXPECT_EQ(valueOf("n m"), "expected an operator, found 'm' (at offset 2)");
  EXPECT_EQ(valueOf("1 ? 2"),
            "expected ':' of the conditional operator, found the end of the clause (at offset 5)");
  EXPECT_EQ(valueOf("(size_t)n"), "a cast cannot stand here (at offset 0)");
  EXPECT_EQ(valueOf("n = 3"), "expected an operator, found '=' (at offset 2)");
}

TEST(ScalarExpression, ListsItsNamesOnce) {
  llvm::Expected<ScalarExpression> expression =
      ScalarExpression::parse("n * p.n + n / sizeof(T) + sizeof(int)");
  ASSERT_TRUE(static_cast<bool>(expression));
  std::vector<std::string> names;
  for (const NameUse &use : expression->names())
    names.push_back(use.name + "@" + std::to_string(use.range.offset));
  EXPECT_EQ(names, (std::vector<std::string>{"n@0", "p.n@4", "sizeof(T)@14"}));
  EXPECT_FALSE(expression->isConstant());
  EXPECT_TRUE(ScalarExpression::constant(3).isConstant());
}

TEST(ScalarExpression, PrintsWithTheParenthesesItNeeds) {
  EXPECT_EQ(printed("(a+b)*c"), "(a + b) * c");
  EXPECT_EQ(printed("((a*b))+(c)"), "a * b + c");
  EXPECT_EQ(printed("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(printed("(a-b)-c"), "a - b - c");
  EXPECT_EQ(printed("- -a"), "- -a");
  EXPECT_EQ(printed("-(a+1)"), "-(a + 1)");
  EXPECT_EQ(printed("(a?b:c)?d:e"), "(a ? b : c) ? d : e");
  EXPECT_EQ(printed("a?b:c?d:e"), "a ? b : c ? d : e");
  EXPECT_EQ(printed("ceil_div((n),0x10)"), "ceil_div(n, 16)");
  EXPECT_EQ(printed("sizeof( unsigned  int )"), "sizeof(unsigned int)");
  EXPECT_EQ(ScalarExpression::constant(-5).str(), "-5");
}

TEST(ScalarExpression, PrintedFormMeansTheSame) {
  for (const char *text : {"n - -1 << 2 & 3 == 4 ? 5 : m | ~n", "!(n && m) || zero", "n % (m * 3) / 2",
                           "(n - (m - 3)) * 2 >> (1 + 1)", "-(n + m) * (m ? n : m)", "- - -n + + +m"}) {
    std::string once = printed(text);
    EXPECT_EQ(printed(once), once) << text;
    EXPECT_EQ(valueOf(once), valueOf(text)) << text;
  }
}

TEST(ScalarExpression, SurvivesDeepNesting) {
  EXPECT_NE(valueOf(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(valueOf(std::string(100000, '-') + "1").find("nested too deeply"), std::string::npos);
  std::string chain = "1";
  for (int i = 0; i < 100000; ++i)
    chain += "+1";
  EXPECT_NE(valueOf(chain).find("nested too deeply or too long"), std::string::npos);
}

} // namespace
