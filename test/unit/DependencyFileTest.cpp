#include "clang_plugin/DependencyFile.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

TEST(DependencyFile, NamesTheOriginalAndAddsTheTool) {
  EXPECT_EQ(redirectDependencies("x.o : out/x.cu \\\n    h.h\n", "out/x.cu", "src/x.cu", {"/bin/warpwright"}),
            "x.o : src/x.cu \\\n    h.h \\\n  /bin/warpwright\n");
}

TEST(DependencyFile, LeavesNamesThatOnlyBeginAlike) {
  EXPECT_EQ(redirectDependencies("x.o : out/x.cuh out/x.cu\n", "out/x.cu", "x.cu", {}), "x.o : out/x.cuh x.cu\n");
}

TEST(DependencyFile, KnowsEscapedNames) {
  EXPECT_EQ(redirectDependencies("x.o : a\\ dir/x.cu b\\ c.h\n", "a dir/x.cu", "my src/x.cu", {"p q"}),
            "x.o : my\\ src/x.cu b\\ c.h \\\n  p\\ q\n");
}

TEST(DependencyFile, AddsToTheFirstRuleOfSeveral) {
  EXPECT_EQ(redirectDependencies("x.o : g.cu a.h\n\na.h:\n", "g.cu", "x.cu", {"lock"}),
            "x.o : x.cu a.h \\\n  lock\n\na.h:\n");
}

} // namespace
