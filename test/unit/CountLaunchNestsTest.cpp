#include "test/unit/CountLaunchFixture.h"

#include <set>

using namespace warpwright;
using namespace warpwright::simt;

namespace {

/// for (o = 0; o < 8 n; o += 8)
///   for (k = 0; k < 3; ++k) { uint16_t i = tid + o + 50000 - 10000 k; out[1 + i] = 1; }
/// Only the first round of the inner loop, not its last, comes to the end of 16 bits.
constexpr const char *wrapsInTheFirstRound = R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %n) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = trunc i32 %tid to i16
  %base = getelementptr float, ptr addrspace(1) %out, i64 1
  br label %outer
outer:
  %r = phi i32 [ 0, %entry ], [ %rnext, %latch ]
  %o = phi i16 [ %lane, %entry ], [ %onext, %latch ]
  %start = add i16 %o, -15536
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %knext, %inner ]
  %v = phi i16 [ %start, %outer ], [ %vnext, %inner ]
  %wide = zext i16 %v to i64
  %p = getelementptr float, ptr addrspace(1) %base, i64 %wide
  store float 1.0, ptr addrspace(1) %p, align 4
  %vnext = add i16 %v, -10000
  %knext = add i32 %k, 1
  %again = icmp slt i32 %knext, 3
  br i1 %again, label %inner, label %latch
latch:
  %onext = add i16 %o, 8
  %rnext = add i32 %r, 1
  %more = icmp slt i32 %rnext, %n
  br i1 %more, label %outer, label %exit
exit:
  ret void
})";

uint64_t sectorsOfWrappingLoop(unsigned rounds) {
  uint64_t sectors = 0;
  for (unsigned r = 0; r < rounds; ++r)
    for (unsigned k = 0; k < 3; ++k) {
      std::set<unsigned> touched;
      for (unsigned lane = 0; lane < 32; ++lane)
        touched.insert((1 + static_cast<uint16_t>(lane + 8 * r + 50'000 - 10'000 * k)) * 4 / 32);
      sectors += touched.size();
    }
  return sectors;
}

TEST_F(CountLaunch, ANumberThatWrapsInAnInnerRoundIsCountedWhereItDoes) {
  parse(wrapsInTheFirstRound);
  for (unsigned rounds : {1'500u, 2'100u, 3'000u}) {
    LaunchCounters counters = count(launchOf({1, 1, 1}, {32, 1, 1}, {{"n", rounds}}));
    EXPECT_EQ(counters.total(AccessKind::Store, AccessSpace::Global).sectors, sectorsOfWrappingLoop(rounds));
    EXPECT_EQ(counters.grade, CountGrade::Exact);
    EXPECT_LT(counters.steps, 20'000u) << "most rounds repeat others";
  }
}

} // namespace
