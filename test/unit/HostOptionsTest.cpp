#include "analysis/frontend/HostOptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

std::vector<std::string> droppedOf(const HostOptions &options) {
  std::vector<std::string> spelled;
  for (const DroppedOption &option : options.dropped) {
    EXPECT_NE(option.reason, "") << option.spelled;
    spelled.push_back(option.spelled);
  }
  return spelled;
}

TEST(HostOptions, KeepsWhatChangesHowTheSourceReads) {
  std::vector<std::string> words = {"-DX=1",
                                    "-D",
                                    "Y",
                                    "-Ia",
                                    "-I",
                                    "b",
                                    "-iquote",
                                    "c",
                                    "-isystem",
                                    "d",
                                    "-include",
                                    "e.h",
                                    "-std=c++20",
                                    "-fno-exceptions",
                                    "-funsigned-char",
                                    "-Wall",
                                    "-Wno-unused"};
  HostOptions options = adjustHostOptions(words);
  EXPECT_EQ(options.clangArguments, words);
  EXPECT_THAT(droppedOf(options), IsEmpty());
}

TEST(HostOptions, DropsWhatDoesNot) {
  HostOptions options =
      adjustHostOptions({"-fPIC", "-O3", "-march=native", "-Wl,-rpath,/x", "-Xlinker", "-z", "-Werror",
                         "-Werror=format", "-Wno-such-warning-in-clang", "-L", "p", "-MF", "x.d", "a.o"});
  EXPECT_THAT(options.clangArguments, IsEmpty());
  EXPECT_THAT(droppedOf(options),
              ElementsAre("-fPIC", "-O3", "-march=native", "-Wl,-rpath,/x", "-Xlinker -z", "-Werror",
                          "-Werror=format", "-Wno-such-warning-in-clang", "-L p", "-MF x.d", "a.o"));
}

TEST(HostOptions, OpenMpBecomesItsMacro) {
  EXPECT_THAT(adjustHostOptions({"-fopenmp"}).clangArguments, ElementsAre("-D_OPENMP=201511"));
  EXPECT_THAT(adjustHostOptions({"-fopenmp-simd"}).clangArguments, IsEmpty());
}

TEST(HostOptions, AMissingArgumentDoesNotSwallowWhatFollows) {
  HostOptions options = adjustHostOptions({"-DX", "-include"});
  EXPECT_THAT(options.clangArguments, ElementsAre("-DX"));
  EXPECT_THAT(droppedOf(options), ElementsAre("-include"));
}

} // namespace
