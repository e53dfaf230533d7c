#include "clang_plugin/Workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

using namespace warpwright;
using testing::HasSubstr;

namespace {

TEST(Workers, KeepTheOrderAndLongResults) {
  std::vector<TaskResult> results =
      runInProcesses(5, 2, [](size_t i) { return std::string(100000 * (5 - i), char('a' + i)); });
  ASSERT_EQ(results.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(results[i].output, std::string(100000 * (5 - i), char('a' + i)));
    EXPECT_EQ(results[i].failure, "");
  }
}

TEST(Workers, OneThatCrashesTakesNoOtherWithIt) {
  std::vector<TaskResult> results = runInProcesses(3, 3, [](size_t i) {
    if (i == 1)
      ::raise(SIGKILL);
    return std::string("done");
  });
  EXPECT_EQ(results[0].output, "done");
  EXPECT_THAT(results[1].failure, HasSubstr("ended by signal 9"));
  EXPECT_EQ(results[2].output, "done");
}

} // namespace
