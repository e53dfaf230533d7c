#include "analysis/arch/Latency.h"

#include <gtest/gtest.h>

using namespace warpwright;

TEST(Latency, DiffersByOperationAndWidth) {
  EXPECT_EQ(costOf("fadd").latency, 4u);
  EXPECT_EQ(costOf("fadd.f64").latency, 8u);
  EXPECT_EQ(costOf("add").instructions, 1u);
  EXPECT_EQ(costOf("add.i64").instructions, 2u);
  EXPECT_EQ(costOf("load.shared").latency, 23u);
  EXPECT_EQ(costOf("sqrt").latency, 43u);
}

TEST(Latency, IsZeroWhereItIsNotKnown) {
  EXPECT_EQ(costOf("call").latency, 0u);
  EXPECT_EQ(costOf("asm").latency, 0u);
  EXPECT_EQ(costOf("load.constant").latency, 0u);
}

TEST(Latency, WasReadOnOneArchitecture) {
  EXPECT_TRUE(latenciesMeasured(*findArchitecture("sm_90")));
  EXPECT_FALSE(latenciesMeasured(*findArchitecture("sm_89")));
}
