#include "clang_plugin/ConfinedChild.h"

#include "analysis/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <llvm/Support/FileSystem.h>

using namespace warpwright;

namespace {

class ConfinedChildTest : public testing::Test {
protected:
  ChildOutcome run(const std::string &script) {
    limits_.writable = {inside_.path(), "/dev"};
    return llvm::cantFail(runConfined({"/bin/sh", "-c", script}, limits_, isCancelled_));
  }
  bool lacks(const ChildOutcome &outcome, llvm::StringRef what) const {
    for (const std::string &missing : outcome.missing)
      if (llvm::StringRef(missing).contains(what))
        return true;
    return false;
  }

  TemporaryFolder inside_ = llvm::cantFail(TemporaryFolder::create());
  TemporaryFolder outside_ = llvm::cantFail(TemporaryFolder::create());
  ChildLimits limits_;
  std::function<bool()> isCancelled_;
};

TEST_F(ConfinedChildTest, TellsHowItEnded) {
  ChildOutcome outcome = run("echo said; echo more >&2; exit 3");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.end, ChildOutcome::End::Exited);
  EXPECT_EQ(outcome.output, "said\nmore\n");
  EXPECT_EQ(run("kill -9 $$").code, 128 + 9);
  EXPECT_NE(llvm::toString(runConfined({"/no/such/program"}, limits_, {}).takeError()), "");
}

TEST_F(ConfinedChildTest, WritesInItsFolderAlone) {
  ChildOutcome outcome =
      run("echo a > " + inside_.path() + "/a && echo $TMPDIR; echo b > " + outside_.path() + "/b");
  EXPECT_TRUE(llvm::sys::fs::exists(inside_.path() + "/a"));
  EXPECT_TRUE(llvm::StringRef(outcome.output).starts_with(inside_.path()));
  if (lacks(outcome, "Landlock"))
    GTEST_SKIP() << outcome.missing.back();
  EXPECT_FALSE(llvm::sys::fs::exists(outside_.path() + "/b"));
  EXPECT_NE(outcome.code, 0);
}

TEST_F(ConfinedChildTest, HasNoNetwork) {
  const std::string open = "python3 -c 'import socket; socket.socket(socket.AF_INET)'";
  ChildOutcome outcome =
      run("python3 -c 'import socket; socket.socket(socket.AF_UNIX)' && echo local; " + open);
  if (outcome.output.find("not found") != std::string::npos || lacks(outcome, "seccomp"))
    GTEST_SKIP() << "no python3, or no seccomp";
  EXPECT_TRUE(llvm::StringRef(outcome.output).starts_with("local\n")) << outcome.output;
  EXPECT_NE(outcome.output.find("Permission denied"), std::string::npos) << outcome.output;
}

TEST_F(ConfinedChildTest, SeesNoKeys) {
  ::setenv("SOME_API_KEY", "secret", 1);
  EXPECT_EQ(run("env").output.find("secret"), std::string::npos);
  ::unsetenv("SOME_API_KEY");
}

TEST_F(ConfinedChildTest, EndsInTimeWithAllThatItStarted) {
  limits_.seconds = 1;
  ChildOutcome outcome = run("sleep 600 & echo $! ; setsid true; sleep 600");
  EXPECT_EQ(outcome.end, ChildOutcome::End::OutOfTime);
  int left = std::stoi(outcome.output);
  EXPECT_FALSE(llvm::sys::fs::exists("/proc/" + std::to_string(left) + "/fd/0"));
}

TEST_F(ConfinedChildTest, EndsWhenItIsCancelled) {
  unsigned asked = 0;
  isCancelled_ = [&] { return ++asked > 2; };
  EXPECT_EQ(run("sleep 600").end, ChildOutcome::End::Cancelled);
}

TEST_F(ConfinedChildTest, KeepsBothEndsOfMuchOutput) {
  ChildOutcome outcome = run("echo first; seq 100000; echo last");
  EXPECT_TRUE(llvm::StringRef(outcome.output).starts_with("first\n1\n2\n"));
  EXPECT_TRUE(llvm::StringRef(outcome.output).ends_with("100000\nlast\n"));
  EXPECT_NE(outcome.output.find("bytes left out"), std::string::npos);
  EXPECT_LT(outcome.output.size(), 200000u);
}

} // namespace
