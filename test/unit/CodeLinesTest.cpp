#include "rewriters/edits/CodeLines.h"

#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

const clang::FunctionDecl &functionIn(clang::ASTUnit &unit) {
  using namespace clang::ast_matchers;
  auto matches = match(functionDecl(hasName("f"), isDefinition()).bind("f"), unit.getASTContext());
  return *matches.front().getNodeAs<clang::FunctionDecl>("f");
}

TEST(CodeLines, NestAsBracesSay) {
  CodeLines inner;
  inner.moved("a();\n    if (b)\n      c();\n\nd();", "  ");
  CodeLines code;
  code.open("if (x) {").append(inner).line("#pragma unroll").close().line("e();");
  EXPECT_EQ(code.str({"    ", "\t"}), "if (x) {\n"
                                      "    \ta();\n"
                                      "    \t  if (b)\n"
                                      "    \t    c();\n"
                                      "\n"
                                      "    \td();\n"
                                      "#pragma unroll\n"
                                      "    }\n"
                                      "    e();");
}

TEST(CodeLines, CommentsBreakBetweenWords) {
  CodeLines code;
  code.comment(std::string(60, 'a') + " " + std::string(60, 'b'));
  EXPECT_EQ(code.str({"  ", "  "}), "// " + std::string(60, 'a') + "\n  // " + std::string(60, 'b'));
}

TEST(CodeLines, IndentAsTheAuthorDoes) {
  std::unique_ptr<clang::ASTUnit> unit = clang::tooling::buildASTFromCode(
      "namespace n {\n    void f()\n    {\n        int x;\n        x = 1;\n    }\n}\n");
  const clang::FunctionDecl &f = functionIn(*unit);
  Indentation found =
      indentationAt((*std::next(f.getBody()->child_begin()))->getBeginLoc(), f, unit->getASTContext());
  EXPECT_EQ(found.base, "        ");
  EXPECT_EQ(found.step, "    ");
}

TEST(FreshNames, MeanNothingElse) {
  std::unique_ptr<clang::ASTUnit> unit =
      clang::tooling::buildASTFromCode("#define total 3\nint sum2; int f(int sum) { struct S { int offset; } "
                                       "s{1}; return sum + sum2 + s.offset; }");
  FreshNames names(functionIn(*unit), unit->getASTContext());
  EXPECT_EQ(names.take("sum"), "sum3");
  EXPECT_EQ(names.take("sum"), "sum4");
  EXPECT_EQ(names.take("total"), "total2");
  EXPECT_EQ(names.take("offset"), "offset2");
  EXPECT_EQ(names.scoped("k"), "k");
  EXPECT_EQ(names.scoped("k"), "k");
  EXPECT_EQ(names.take("int"), "int2");
}

} // namespace
