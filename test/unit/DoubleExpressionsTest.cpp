#include "analysis/ast/DoubleExpressions.h"

#include "analysis/ast/IndexRange.h"

#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

/// What is found in `float f(float v, float w, double d, int n, short s) { <body> }`, an expression a line:
/// the spellings that would change, or the obstacle behind an exclamation mark.
std::string find(llvm::StringRef body, llvm::StringRef before = "") {
  std::string code = ("#include <maths.h>\n" + before +
                      "\nfloat f(float v, float w, double d, int n, short s) {" + body + "}")
                         .str();
  std::unique_ptr<clang::ASTUnit> unit = clang::tooling::buildASTFromCodeWithArgs(
      code, {"-std=c++17", "-isystem/sys", "-w"}, "input.cc", "test",
      std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(),
      {{"/sys/maths.h", "double erf(double); float erff(float); double floor(double); float floorf(float);"
                        "double sqrt(double); double max(float, double); float fmaxf(float, float);"}});
  clang::ASTContext &ast = unit->getASTContext();
  using namespace clang::ast_matchers;
  auto matches = match(functionDecl(hasName("f"), isDefinition()).bind("f"), ast);
  const auto *function = matches.front().getNodeAs<clang::FunctionDecl>("f");
  std::string text;
  for (const DoubleExpression &expression :
       findDoubleExpressions(*function, ast, IndexRanges(ast, *function, {}))) {
    for (const DoubleSpelling &spelling : expression.spellings) {
      if (!expression.obstacle.empty())
        break;
      text += spelling.singleForm.empty()
                  ? clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(spelling.tokens),
                                                ast.getSourceManager(), ast.getLangOpts())
                        .str()
                  : spelling.singleForm;
      text += ' ';
    }
    text += (expression.obstacle.empty() ? "" : "! " + expression.obstacle) + "\n";
  }
  return text;
}

TEST(DoubleExpressions, FollowsOperandsToTheData) {
  EXPECT_EQ(find("return 0.5 * v * (1.0 + erf(v * 0.7));"), "0.5 1.0 erff 0.7 \n");
  EXPECT_EQ(find("v += n > 0 ? -w * 0.3 : 2.0; return v;"), "0.3 2.0 \n");
  EXPECT_EQ(find("return (double)v * 0.3;"), "double 0.3 \n");
  EXPECT_EQ(find("const double third = 1.0 / 3.0; return v * third;"), "third \n");
  EXPECT_EQ(find("return v * w;"), "");
  EXPECT_EQ(find("return d * 0.5;"), "");
  EXPECT_EQ(find("static_assert(sizeof(int) == 4, \"a message has no type\"); return v * 0.5;"), "0.5 \n");
}

TEST(DoubleExpressions, ReadsEveryExpressionInAnother) {
  EXPECT_EQ(find("return d + (float)(v * 0.3);"), "! 'd' is a double\n0.3 \n");
}

TEST(DoubleExpressions, KeepsWhatTheLastBitDecides) {
  EXPECT_EQ(find("return v < 4.0;"), "4.0 \n");
  EXPECT_EQ(find("return v < 0.1;"), "! rounded to float, its operands may compare otherwise\n");
  EXPECT_EQ(find("return v * 0.5 < w;"), "! rounded to float, its operands may compare otherwise\n");
  EXPECT_EQ(find("n = floor((double)v); return n;"), "floorf double \n");
  EXPECT_EQ(find("return floor(v * 0.5);"), "! 'floor' jumps where its rounded argument crosses a step\n");
  EXPECT_EQ(find("n = max(v, 2.0); return n;"), "fmaxf 2.0 \n");
  EXPECT_EQ(find("n = max(v, 0.1); return n;"),
            "! it is converted to an integer, which rounding may move by one\n");
}

TEST(DoubleExpressions, KnowsTheLimitsOfFloat) {
  EXPECT_EQ(find("return v * 1e300;"), "! '1e300' is outside the range of float\n");
  EXPECT_EQ(find("return v * (1e30 * 1e20 / 1e25);"), "! '1e30 * 1e20' is outside the range of float\n");
  EXPECT_EQ(find("return v * 0.3 * s;"), "0.3 \n");
  EXPECT_EQ(find("return v * 0.3 * n;"), "! the integer 'n' may pass 2^24, where float has gaps\n");
  EXPECT_EQ(find("return v * 0.3 * 16777217;"),
            "! the integer '16777217' may pass 2^24, where float has gaps\n");
}

TEST(DoubleExpressions, LeavesSharedTextAlone) {
  EXPECT_EQ(find("return v * PI;", "#define PI 3.14"), "PI \n");
  EXPECT_EQ(find("return HALF(v);", "#define HALF(x) (0.5 * (x))"),
            "! the literal '0.5' comes out of a macro, which other code may use\n");
}

TEST(DoubleExpressions, NeedsTheSingleForm) {
  EXPECT_EQ(find("return sqrt(v * 0.3);"), "! the name 'sqrtf' means something else here\n");
  EXPECT_EQ(find("float erff = v; return erf(erff * 0.3);"), "! the name 'erff' means something else here\n");
  EXPECT_EQ(find("return own(v * 0.3);", "double own(double);"), "! it is passed as a double to 'own'\n");
}

} // namespace
