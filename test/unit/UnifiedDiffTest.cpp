#include "feedback/agents/UnifiedDiff.h"
#include "feedback/agents/TokenEdits.h"
#include "rewriters/edits/ApplyEdits.h"

#include <clang/Basic/LangOptions.h>
#include <gtest/gtest.h>

using namespace warpwright;
using namespace warpwright::agents;

namespace {

const std::string original = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

std::string patched(const std::string &diff, const std::string &text = original) {
  llvm::Expected<std::vector<Edit>> edits = readDiff(diff, text);
  if (!edits)
    return llvm::toString(edits.takeError());
  return llvm::cantFail(applyEdits(text, *edits));
}

clang::LangOptions language() {
  clang::LangOptions options;
  options.CPlusPlus = true;
  options.LineComment = true;
  return options;
}

/// What token edits make of one text for another, spelled without layout.
std::string retyped(const std::string &before, const std::string &after) {
  std::vector<Edit> edits = tokenEdits(before, after, language());
  return llvm::cantFail(applyEdits(before, edits));
}

TEST(UnifiedDiff, IsMadeWhereItSays) {
  EXPECT_EQ(patched("--- a/x\n+++ b/x\n@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n"),
            "one\ntwo\nTHREE\nfour\nfive\nsix\nseven\neight\nnine\nten\n");
  EXPECT_EQ(patched("@@ -9,2 +9,3 @@\n nine\n ten\n+eleven\n"), original + "eleven\n");
  EXPECT_EQ(patched("@@ -0,0 +1 @@\n+zero\n"), "zero\n" + original);
  // Behind line 1, as `diff -U0` says it: no line shows that this is the place.
  EXPECT_EQ(patched("@@ -1,0 +2 @@\n+zero\n"),
            "hunk 1 of the patch has no line by which its place could be found");
}

TEST(UnifiedDiff, IsFoundWhereItsHeadMiscounts) {
  EXPECT_EQ(patched("@@ -1,9 +1,9 @@\n six\n-seven\n"),
            "one\ntwo\nthree\nfour\nfive\nsix\neight\nnine\nten\n");
  EXPECT_EQ(patched("@@ @@\n-one\n+ONE\n@@ @@\n-ten\n+TEN\n"),
            "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n");
}

TEST(UnifiedDiff, SaysWhatDoesNotFit) {
  EXPECT_EQ(patched("@@ -2,1 +2,1 @@\n-deux\n+zwei\n"),
            "hunk 1 of the patch does not fit: line 2 of the file is 'two', not 'deux'");
  EXPECT_EQ(patched("@@ -5 +5 @@\n-a\n+b\n", "a\nx\na\n"),
            "hunk 1 of the patch fits at lines 1 and 3: give more context");
  EXPECT_EQ(patched("hello"), "the patch holds no hunk: one begins with '@@ -12,3 +12,4 @@'");
  EXPECT_EQ(patched("@@ -1 +1 @@\n one\n"), "the patch changes nothing");
  EXPECT_EQ(patched("--- a\n+++ b\n@@ -1 +1 @@\n-one\n+x\n--- c\n+++ d\n@@ -1 +1 @@\n-one\n+x\n"),
            "the patch touches more than one file; only the kernel's may change");
  EXPECT_EQ(patched("@@ -1 +1 @@\n-one\n?two\n"), "line 3 of the patch begins with neither ' ', '-' nor '+'");
}

TEST(UnifiedDiff, IsReadAsItWasWritten) {
  for (const std::string &changed :
       {std::string("one\ntwo\n3\nfour\nfive\nsix\nseven\neight\nnine\nten\n"),
        std::string("zero\none\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n"),
        std::string("one two\nthree\nfour\nsix\nseven\nEIGHT\nnine\n")}) {
    std::vector<Edit> edits = tokenEdits(original, changed, language());
    std::string wanted = llvm::cantFail(applyEdits(original, edits));
    std::string diff = writeDiff(original, edits, "x.cu");
    EXPECT_EQ(patched(diff), wanted) << diff;
    EXPECT_TRUE(llvm::StringRef(diff).starts_with("--- a/x.cu\n+++ b/x.cu\n@@ -"));
  }
  EXPECT_EQ(writeDiff(original, {}, "x.cu"), "");
}

TEST(TokenEdits, TouchNoMoreThanChanged) {
  std::vector<Edit> edits =
      tokenEdits("void f(int a) { a = 1; g(); }", "void f( int a ) {\n  a = 2;\n  g();\n}", language());
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].text, "2");
  EXPECT_EQ(retyped("int a; // one\nint b;", "int a; // two\nint b;"), "int a; // two\nint b;");
  EXPECT_EQ(retyped("{ for (;;) ; }", "{\n#pragma unroll\n  for (;;) ; }"),
            "{ \n#pragma unroll\n  for (;;) ; }");
}

TEST(TokenEdits, MakeTheOtherTextsTokens) {
  const std::string before = "int f() { int x = 1; if (x) return 2; /* c */ return x; }\n";
  for (const std::string &after :
       {std::string("int f() { return 3; }\n"),
        std::string("int g() { int x = 1; while (x) --x; return x; }\n"),
        std::string("// begin\nint f() { int x = 1; if (x) return 2; return x; } int h();\n"),
        std::string("")}) {
    EXPECT_EQ(tokenChecksum(retyped(before, after), language()), tokenChecksum(after, language())) << after;
  }
  EXPECT_EQ(tokenChecksum("a  b // c\n", language()), tokenChecksum("a\nb", language()));
  EXPECT_NE(tokenChecksum("ab", language()), tokenChecksum("a b", language()));
}

} // namespace
