#include "analysis/frontend/NvccWords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Words = std::vector<std::string>;

/// The words, or the error as the only one.
Words wordsOf(llvm::Expected<Words> words) {
  if (words)
    return *words;
  return {"error: " + llvm::toString(words.takeError())};
}

TEST(NvccWords, ListsAreSplitAtCommasAndUnescaped) {
  EXPECT_THAT(wordsOf(splitNvccList("a,b")), ElementsAre("a", "b"));
  EXPECT_THAT(wordsOf(splitNvccList("a\\,b")), ElementsAre("a,b"));
  EXPECT_THAT(wordsOf(splitNvccList("S=\"a,b\",T")), ElementsAre("S=\"a,b\"", "T"));
  EXPECT_THAT(wordsOf(splitNvccList("A=\\\\n")), ElementsAre("A=\\n"));
  EXPECT_THAT(wordsOf(splitNvccList("A=\"x\\\"y,z\"")), ElementsAre("A=\"x\"y,z\""));
  EXPECT_THAT(wordsOf(splitNvccList("'a,b'")), ElementsAre("'a", "b'"));
  EXPECT_THAT(wordsOf(splitNvccList("a,,b,")), ElementsAre("a", "b"));
  EXPECT_THAT(wordsOf(splitNvccList("")), IsEmpty());
}

TEST(NvccWords, StrayCharactersOfAListAreErrors) {
  EXPECT_THAT(wordsOf(splitNvccList("a\\")), ElementsAre("error: nvcc arguments: stray \\ in 'a\\'"));
  EXPECT_THAT(wordsOf(splitNvccList("\"a,b")), ElementsAre("error: nvcc arguments: stray \" in '\"a,b'"));
}

TEST(NvccWords, FlagsOfTheEnvironmentKeepQuotesAndBackslashes) {
  EXPECT_THAT(wordsOf(splitNvccFlags("-DA=\"x y\"  -DB=2\n-c")), ElementsAre("-DA=\"x y\"", "-DB=2", "-c"));
  EXPECT_THAT(wordsOf(splitNvccFlags("-DA=x\\,y -DB")), ElementsAre("-DA=x\\,y", "-DB"));
  EXPECT_THAT(wordsOf(splitNvccFlags("-DA=x\\ y")), ElementsAre("-DA=x\\", "y"));
  EXPECT_THAT(wordsOf(splitNvccFlags("\"-DA=\\\"x y\\\"\"")), ElementsAre("\"-DA=\\\"x y\\\"\""));
  EXPECT_THAT(wordsOf(splitNvccFlags("-DA=\\\"x\\\" -DB")), ElementsAre(testing::HasSubstr("stray \"")));
}

TEST(NvccWords, OptionsFilesLoseQuotesAndBackslashes) {
  EXPECT_THAT(wordsOf(splitOptionsFile("-DA=\"x y\"\n-DB=2\t\"-DC=3\"")),
              ElementsAre("-DA=x y", "-DB=2", "-DC=3"));
  EXPECT_THAT(wordsOf(splitOptionsFile("-DA=\\\"x\\\" -DB=a\\ b")), ElementsAre("-DA=\"x\"", "-DB=a b"));
  EXPECT_THAT(wordsOf(splitOptionsFile("'-DA -DB'")), ElementsAre("'-DA", "-DB'"));
  EXPECT_THAT(wordsOf(splitOptionsFile("-DA=\"x")), ElementsAre(testing::HasSubstr("stray \"")));
}

TEST(NvccWords, ShellWordsFollowPosix) {
  EXPECT_THAT(wordsOf(splitShellWords("-I a -DX=\"p q\" -DY='r\\s'")),
              ElementsAre("-I", "a", "-DX=p q", "-DY=r\\s"));
  EXPECT_THAT(wordsOf(splitShellWords("-DA=\\\"x\\\"")), ElementsAre("-DA=\"x\""));
  EXPECT_THAT(wordsOf(splitShellWords("\"a\\nb\\\"\" ''")), ElementsAre("a\\nb\"", ""));
  EXPECT_THAT(wordsOf(splitShellWords("'a")), ElementsAre(testing::HasSubstr("stray '")));
}

} // namespace
