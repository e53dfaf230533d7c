#include "feedback/Choose.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

/// A kernel at a line whose one candidate inserts the text and was chosen or not.
KernelRecord instantiation(const std::string &name, unsigned line, const std::string &text, bool chosen) {
  KernelRecord record;
  record.name = name;
  record.place = {"file.cu", line, 1};
  record.choice = chosen ? "rewriter" : "original";
  CandidateRecord candidate;
  Edit edit;
  edit.offset = 10;
  edit.text = text;
  candidate.candidate.edits.push_back(edit);
  candidate.chosen = chosen;
  record.candidates.push_back(std::move(candidate));
  return record;
}

TEST(AgreeOnTemplates, KeepsWhatAllChose) {
  std::vector<KernelRecord> records = {instantiation("k<1>", 3, "a", true),
                                       instantiation("k<2>", 3, "a", true)};
  agreeOnTemplates(records);
  EXPECT_EQ(records[0].choice, "rewriter");
  EXPECT_EQ(records[1].choice, "rewriter");
}

TEST(AgreeOnTemplates, KeepsTheOriginalWhereOneDoes) {
  std::vector<KernelRecord> records = {instantiation("k<1>", 3, "a", true),
                                       instantiation("k<2>", 3, "a", false),
                                       instantiation("other", 9, "a", true)};
  agreeOnTemplates(records);
  EXPECT_EQ(records[0].choice, "original");
  EXPECT_FALSE(records[0].candidates[0].chosen);
  EXPECT_EQ(records[0].candidates[0].verdicts.back().stage, "instantiations");
  EXPECT_EQ(records[0].reason, "'k<1>' and 'k<2>' share their text but not the choice");
  EXPECT_EQ(records[2].choice, "rewriter");
}

TEST(AgreeOnTemplates, KeepsTheOriginalWhereTextsDiffer) {
  std::vector<KernelRecord> records = {instantiation("k<1>", 3, "a", true),
                                       instantiation("k<2>", 3, "b", true)};
  agreeOnTemplates(records);
  EXPECT_EQ(records[0].choice, "original");
  EXPECT_EQ(records[1].choice, "original");
}

} // namespace
