#include "rewriters/edits/ComposeCandidates.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/LaunchChange.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

Edit edit(unsigned offset, unsigned length, std::string text) {
  Edit result;
  result.offset = offset;
  result.length = length;
  result.text = std::move(text);
  result.reason = "reason " + result.text;
  return result;
}

/// What the composed edits make of the original, and how many they are.
std::pair<std::string, size_t> compose(llvm::StringRef original, std::vector<Edit> first,
                                       std::vector<Edit> second) {
  llvm::Expected<std::vector<ComposedEdit>> composed = composeEdits(original, first, second);
  if (!composed)
    return {llvm::toString(composed.takeError()), 0};
  std::vector<Edit> edits;
  for (const ComposedEdit &one : *composed)
    edits.push_back(one.edit);
  llvm::Expected<std::string> text = applyEdits(original, edits);
  return {text ? *text : llvm::toString(text.takeError()), edits.size()};
}

TEST(ComposeEdits, KeepsApartWhatDoesNotTouch) {
  auto [text, count] = compose("0123456789", {edit(2, 1, "two"), edit(8, 1, "eight")}, {edit(7, 1, "five")});
  EXPECT_EQ(text, "01two34five67eight9");
  EXPECT_EQ(count, 3u);
}

TEST(ComposeEdits, JoinsWhatTouches) {
  // The second step changes what the first has made, and what stands beside it.
  auto [text, count] = compose("0123456789", {edit(2, 2, "ab")}, {edit(3, 2, "XY")});
  EXPECT_EQ(text, "01aXY56789");
  EXPECT_EQ(count, 1u);
}

TEST(ComposeEdits, TakesAnInsertionBack) {
  auto [text, count] = compose("0123", {edit(2, 0, "ab")}, {edit(2, 2, "")});
  EXPECT_EQ(text, "0123");
  EXPECT_EQ(count, 1u);
}

Candidate launched(std::string extent) {
  Candidate candidate;
  candidate.rewriter = "resize-block";
  candidate.clone.emplace();
  candidate.clone->name = "k_warpwright";
  candidate.clone->original = "k";
  candidate.clone->begin = 0;
  candidate.clone->end = 9; // "k(a){ b }"
  candidate.clone->at = 10;
  candidate.clone->identity = {edit(1, 0, "_warpwright"), edit(2, 1, std::move(extent))};
  return candidate;
}

TEST(FileEdits, MakesTheEditsInACopy) {
  Candidate candidate = launched("A");
  candidate.edits = {edit(6, 1, "B")};
  candidate.clone->redirects = {edit(10, 1, "k_warpwright"), edit(12, 1, "N")};
  candidate.clone->at = 9;
  llvm::Expected<std::string> text = applyCandidates("k(a){ b }\nk<n>", {&candidate});
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_EQ(*text, "k(a){ b }\n\n// 'k' as it is launched in this file: resize-block.\nk_warpwright(A){ B }\n"
                   "k_warpwright<N>");
}

TEST(FileEdits, RefusesTwoLaunches) {
  Candidate one = launched("A"), other = launched("B");
  llvm::Expected<std::string> text = applyCandidates("k(a){ b }\nk<n>", {&one, &other});
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()), "two candidates change the launch");
}

std::string hostCode(llvm::StringRef expression) {
  return toHostCode(llvm::cantFail(ScalarExpression::parse(expression)), {{"n", "count"}, {"m", "rows + 1"}});
}

TEST(HostCode, ComparesWithoutParenthesesTooMany) {
  EXPECT_EQ(hostCode("n >= 1024 && n * 4 <= 99"), "count >= 1024 && static_cast<long long>(count) * 4 <= 99");
  EXPECT_EQ(hostCode("m == 3 || n < 1"), "((rows + 1) == 3) || (count < 1)");
}

TEST(HostCode, ComputesInSixtyFourBits) {
  EXPECT_EQ(hostCode("ceil_div(n, 256)"), "(count + 255LL) / 256");
  EXPECT_EQ(hostCode("ceil_div(n * m, 32)"), "(static_cast<long long>(count) * (rows + 1) + 31LL) / 32");
  EXPECT_EQ(hostCode("ceil_div(n, m)"), "(count - 1LL + (rows + 1)) / (rows + 1)");
  EXPECT_EQ(hostCode("min(ceil_div(n, 256), 1056)"),
            "(count + 255LL) / 256 < 1056 ? (count + 255LL) / 256 : 1056");
  EXPECT_EQ(hostCode("m"), "rows + 1");
}

} // namespace
