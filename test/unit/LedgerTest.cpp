#include "feedback/agents/Ledger.h"
#include "analysis/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <llvm/Support/FileSystem.h>

#include <fstream>

using namespace warpwright;
using namespace warpwright::agents;
using Json = nlohmann::ordered_json;

namespace {

Json record(const std::string &verdict, const std::string &stage, const std::string &code) {
  return {{"schema", "warpwright/submission-record/1"},
          {"id", ""},
          {"kernel", "k"},
          {"original", "o"},
          {"conditions", "c"},
          {"claims", "claims"},
          {"verdict", verdict},
          {"submission", {{"author", {{"kind", "agent"}}}}},
          {"candidates",
           {{{"verdict", verdict},
             {"stage", stage},
             {"reason", "because"},
             {"identity", {{"text", "t" + code}, {"source", "s" + code}, {"code", code}}}}}}};
}

class LedgerTest : public testing::Test {
protected:
  TemporaryFolder folder_ = llvm::cantFail(TemporaryFolder::create());
  std::string path() const { return folder_.path() + "/memory"; }
  Ledger open() { return llvm::cantFail(Ledger::open(path())); }
};

TEST_F(LedgerTest, KeepsWhatIsAdded) {
  Ledger ledger = open();
  EXPECT_EQ(llvm::cantFail(ledger.add(record("declined", "virtual device", "a"))), "0001");
  Ledger other = open();
  EXPECT_EQ(llvm::cantFail(other.add(record("accepted", "dominance", "b"))), "0002");
  // A number that another process took meanwhile is left out.
  EXPECT_EQ(llvm::cantFail(ledger.add(record("accepted", "dominance", "c"))), "0003");
  EXPECT_EQ(open().records().size(), 3u);
  EXPECT_EQ(textIn(*open().find("0002"), "verdict"), "accepted");
  EXPECT_EQ(open().find("0009"), nullptr);
  // Nothing but whole records is left in the folder.
  std::error_code code;
  size_t files = 0;
  for (llvm::sys::fs::directory_iterator entry(path(), code), end; entry != end && !code;
       entry.increment(code))
    ++files;
  EXPECT_EQ(files, 3u);
}

TEST_F(LedgerTest, RecallsByTextSourceAndCode) {
  Ledger ledger = open();
  llvm::cantFail(ledger.add(record("declined", "virtual device", "a")));
  RecallKey key{"k", "o", "c", "claims", "", {"", "a"}};
  EXPECT_EQ(ledger.recall(key)->by, "code");
  key.text = "ta";
  EXPECT_EQ(ledger.recall(key)->by, "text");
  EXPECT_EQ(ledger.recall(key)->reason, "because");
  key.original = "another";
  EXPECT_FALSE(ledger.recall(key));
  EXPECT_FALSE(ledger.recall({"k", "o", "c", "claims", "tb", {"", "b"}}));
  EXPECT_FALSE(ledger.recall({"k", "o", "c", "claims", "", {"", ""}}));
}

TEST_F(LedgerTest, LetsOtherClaimsAndInterruptedRunsComeBack) {
  Ledger ledger = open();
  llvm::cantFail(ledger.add(record("declined", "claims", "a")));
  llvm::cantFail(ledger.add(record("undecided", "interrupted", "b")));
  EXPECT_TRUE(ledger.recall({"k", "o", "c", "claims", "", {"", "a"}}));
  EXPECT_FALSE(ledger.recall({"k", "o", "c", "others", "", {"", "a"}}));
  EXPECT_FALSE(ledger.recall({"k", "o", "c", "claims", "", {"", "b"}}));
}

TEST_F(LedgerTest, ARejectionByAPersonIsRemembered) {
  Ledger ledger = open();
  std::string id = llvm::cantFail(ledger.add(record("accepted", "dominance", "a")));
  EXPECT_EQ(ledger.wrongShare(10).wrong, 0u);
  Json decided = *ledger.find(id);
  decided["review"] = {{"decision", "rejected"}, {"reason", "unreadable"}};
  ASSERT_FALSE(bool(ledger.update(decided)));
  std::optional<Recalled> recalled = open().recall({"k", "o", "c", "claims", "", {"", "a"}});
  ASSERT_TRUE(recalled);
  EXPECT_EQ(recalled->verdict, "rejected");
  EXPECT_EQ(recalled->reason, "unreadable");
  EXPECT_EQ(open().wrongShare(10).wrong, 1u);
}

TEST_F(LedgerTest, CountsHowOftenAgentsWereWrong) {
  Ledger ledger = open();
  for (const char *verdict : {"declined", "refused", "accepted", "undecided"})
    llvm::cantFail(ledger.add(record(verdict, "x", verdict)));
  Json person = record("declined", "x", "p");
  person["submission"]["author"]["kind"] = "person";
  llvm::cantFail(ledger.add(person));
  EXPECT_EQ(ledger.wrongShare(10).judged, 4u);
  EXPECT_EQ(ledger.wrongShare(10).share(), 0.5);
  EXPECT_EQ(ledger.wrongShare(2).wrong, 0u);
}

TEST_F(LedgerTest, TellsWhatCannotBeRead) {
  Ledger ledger = open();
  llvm::cantFail(ledger.add(record("accepted", "x", "a")));
  std::ofstream(path() + "/submission-0002.json") << "{";
  EXPECT_NE(llvm::toString(Ledger::open(path()).takeError()).find("is not JSON"), std::string::npos);
  std::ofstream(folder_.path() + "/file") << "no folder";
  EXPECT_NE(llvm::toString(Ledger::open(folder_.path() + "/file").takeError()).find("cannot read the folder"),
            std::string::npos);
}

} // namespace
