#include "analysis/ir/CollectFacts.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>

#include <cmath>

using namespace warpwright;

namespace {

/// A rotated loop: `guard` before it, `step` makes %next of %i, `more` goes on.
struct RotatedLoop {
  const char *start, *guard, *step, *more;
};

std::string tripCount(const RotatedLoop &loop) {
  std::string text = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %out, i32 %n, i32 %m) {
entry:
  %half = lshr i32 %n, 1
  %enter = )" + std::string(loop.guard) +
                     R"(
  br i1 %enter, label %body, label %end
body:
  %i = phi i32 [ )" + loop.start +
                     R"(, %entry ], [ %next, %body ]
  store volatile i32 %i, ptr %out, align 4
  %next = )" + loop.step +
                     R"(
  %more = )" + loop.more +
                     R"(
  br i1 %more, label %body, label %end
end:
  ret void
}
)";
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return diagnostic.getMessage().str();
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::Expected<KernelFacts> facts = collectKernelFacts(*module->getFunction("k"), analyses, {});
  if (!facts)
    return llvm::toString(facts.takeError());
  const Fact<Expression> &count = facts->loops.front().tripCount;
  std::string words = toString(count.grade());
  if (count.known())
    words += " " + count.value().text();
  return count.reason().empty() ? words : words + ": " + count.reason();
}

TEST(TripCount, AGuardOfTheSameSignCounts) {
  EXPECT_EQ(tripCount({"%n", "icmp samesign ult i32 %n, 32", "add nuw nsw i32 %i, 8",
                       "icmp samesign ult i32 %i, 24"}),
            "proved ceil_div(-n + 32, 8)");
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, 0", "add nsw i32 %i, -1", "icmp samesign ugt i32 %i, 1"}),
            "proved n");
}

TEST(TripCount, AGuardOfAnotherBoundDoesNot) {
  EXPECT_EQ(tripCount({"%n", "icmp samesign ult i32 %n, 33", "add nuw nsw i32 %i, 8",
                       "icmp samesign ult i32 %i, 24"}),
            "assumed ceil_div(-n + 32, 8): the condition holds on entry");
  EXPECT_EQ(tripCount({"%n", "icmp sge i32 %n, 0", "add nsw i32 %i, -1", "icmp samesign ugt i32 %i, 1"}),
            "assumed n: the condition holds on entry");
}

TEST(TripCount, PowersUpToABound) {
  EXPECT_EQ(tripCount({"1", "icmp sgt i32 %n, 1", "shl nsw i32 %i, 1", "icmp slt i32 %next, %n"}),
            "proved ceil(log2(n))");
  EXPECT_EQ(tripCount({"9", "icmp slt i32 9, %n", "mul nsw i32 %i, 3", "icmp slt i32 %next, %n"}),
            "proved ceil(log3(n)) - 2");
  EXPECT_EQ(tripCount({"3", "icmp slt i32 3, %n", "shl nsw i32 %i, 1", "icmp sgt i32 %n, %next"}),
            "proved ceil(log2(ceil_div(n, 3)))");
  EXPECT_EQ(tripCount({"3", "icmp sle i32 3, %n", "shl nsw i32 %i, 2", "icmp sle i32 %next, %n"}),
            "proved floor(log4(n / 3)) + 1");
}

TEST(TripCount, ProductsThatMayWrapAreSupposedNotTo) {
  EXPECT_EQ(tripCount({"1", "icmp sgt i32 %n, 1", "shl i32 %i, 1", "icmp slt i32 %next, %n"}),
            "assumed ceil(log2(n)): the loop counter does not wrap");
  // Without unsigned wrap a product may still pass into the negative half, where a signed test goes on.
  EXPECT_EQ(tripCount({"1", "icmp sgt i32 %n, 1", "shl nuw i32 %i, 1", "icmp slt i32 %next, %n"}),
            "assumed ceil(log2(n)): the loop counter does not wrap");
  EXPECT_EQ(tripCount({"1", "icmp ugt i32 %n, 1", "shl nuw i32 %i, 1", "icmp ult i32 %next, %n"}),
            "proved ceil(log2(n))");
}

TEST(TripCount, QuotientsDownToABound) {
  EXPECT_EQ(tripCount({"%n", "icmp ne i32 %n, 0", "lshr i32 %i, 1", "icmp ne i32 %next, 0"}),
            "proved floor(log2(n)) + 1");
  EXPECT_EQ(tripCount({"%half", "icmp ne i32 %half, 0", "lshr i32 %i, 1", "icmp ne i32 %next, 0"}),
            "proved floor(log2(n))");
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, 5", "sdiv i32 %i, 3", "icmp sgt i32 %next, 5"}),
            "proved floor(log3(n / 6)) + 1");
  // i > 3 before the halving is i / 2 > 1 after it.
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, 1", "lshr i32 %i, 1", "icmp samesign ugt i32 %i, 3"}),
            "proved floor(log2(n))");
}

TEST(TripCount, QuotientsOfAnyStartSayWhatTheySuppose) {
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, 1", "sdiv i32 %i, 2", "icmp sgt i32 %next, 5"}),
            "assumed floor(log2(n / 6)) + 1: the condition holds on entry");
  EXPECT_EQ(tripCount({"%n", "icmp ne i32 %n, 0", "sdiv i32 %i, 2", "icmp ne i32 %next, 0"}),
            "assumed floor(log2(n)) + 1: the condition holds on entry, the start is positive");
}

TEST(TripCount, OtherGeometricLoopsSayThatTheyAre) {
  constexpr const char *divided = "unknown: geometric: each iteration divides the counter by 2, and the exit "
                                  "is no bound that a logarithm gives";
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, %m", "lshr i32 %i, 1", "icmp sgt i32 %next, %m"}), divided);
  EXPECT_EQ(tripCount({"%n", "icmp sgt i32 %n, 1", "lshr i32 %i, 1", "icmp samesign ugt i32 %i, 4"}),
            divided);
  EXPECT_EQ(tripCount({"%n", "icmp sge i32 %n, 0", "lshr i32 %i, 1", "icmp sge i32 %next, 0"}), divided);
  EXPECT_EQ(tripCount({"%m", "icmp slt i32 %m, %n", "shl nsw i32 %i, 1", "icmp slt i32 %next, %n"}),
            "unknown: geometric: each iteration multiplies the counter by 2, and the exit is no bound that a "
            "logarithm gives");
}

int logDown(double base, int value) {
  return static_cast<int>(std::floor(std::log(value) / std::log(base) + 1e-9));
}
int logUp(double base, int value) {
  return static_cast<int>(std::ceil(std::log(value) / std::log(base) - 1e-9));
}

// The closed forms above against the loops themselves.
TEST(TripCount, LogarithmsAgreeWithTheLoops) {
  for (int n = 1; n < 2000; ++n) {
    auto up = [&](int start, int factor, bool inclusive) {
      int count = 0;
      for (int i = start; inclusive ? i <= n : i < n; i *= factor)
        ++count;
      return count;
    };
    auto down = [&](int start, int factor, int smallest) {
      int count = 0;
      for (int i = start; i >= smallest; i /= factor)
        ++count;
      return count;
    };
    EXPECT_EQ(up(1, 2, false), logUp(2, n)) << n;
    EXPECT_EQ(down(n, 2, 1), logDown(2, n) + 1) << n;
    if (n > 9)
      EXPECT_EQ(up(9, 3, false), logUp(3, n) - 2) << n;
    if (n > 3)
      EXPECT_EQ(up(3, 2, false), logUp(2, (n + 2) / 3)) << n;
    if (n >= 3)
      EXPECT_EQ(up(3, 4, true), logDown(4, n / 3) + 1) << n;
    if (n >= 6)
      EXPECT_EQ(down(n, 3, 6), logDown(3, n / 6) + 1) << n;
    if (n >= 2)
      EXPECT_EQ(down(n / 2, 2, 1), logDown(2, n)) << n;
  }
}

} // namespace
