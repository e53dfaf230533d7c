#include "analysis/ir/Prepare.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

using namespace warpwright;

namespace {

constexpr const char *prologue = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [1024 x float] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)";

class Prepare : public testing::Test {
protected:
  void parse(const std::string &text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(text, diagnostic, context_);
    ASSERT_TRUE(module_) << diagnostic.getMessage().str();
  }

  std::vector<const llvm::LoadInst *> loads() const {
    std::vector<const llvm::LoadInst *> found;
    for (const llvm::Instruction &instruction : llvm::instructions(*module_->getFunction("k")))
      if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
        found.push_back(load);
    return found;
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

/// Two neighbours of s[4 * tid ..] through generic pointers.
constexpr const char *neighbours = R"(
define ptx_kernel void @k(ptr %out) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = shl nuw nsw i32 %tid, 2
  %w = zext nneg i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspacecast (ptr addrspace(3) @s to ptr), i64 %w
  %a = load float, ptr %p, align 4
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %b = load float, ptr %q, align 4
  %c = fadd float %a, %b
  store float %c, ptr %out, align 4
  ret void
})";

TEST_F(Prepare, TheSourceViewKnowsSharedMemoryAndKeepsAccesses) {
  parse(std::string(prologue) + neighbours);
  ASSERT_FALSE(static_cast<bool>(prepareSourceView(*module_)));
  ASSERT_EQ(loads().size(), 2u);
  EXPECT_EQ(loads()[0]->getPointerAddressSpace(), 3u);
  EXPECT_EQ(loads()[1]->getPointerAddressSpace(), 3u);
}

TEST_F(Prepare, TheCodegenViewJoinsNeighboursOfAnAlignedArray) {
  parse(std::string(prologue) + neighbours);
  ASSERT_FALSE(static_cast<bool>(prepareCodegenView(*module_)));
  ASSERT_EQ(loads().size(), 1u);
  EXPECT_TRUE(loads()[0]->getType()->isVectorTy());
}

TEST_F(Prepare, TheCodegenViewLeavesNeighboursOfUnknownAlignment) {
  parse(std::string(prologue) + R"(
define ptx_kernel void @k(ptr %in, ptr %out) {
  %a = load float, ptr %in, align 4
  %q = getelementptr inbounds i8, ptr %in, i64 4
  %b = load float, ptr %q, align 4
  %c = fadd float %a, %b
  store float %c, ptr %out, align 4
  ret void
})");
  ASSERT_FALSE(static_cast<bool>(prepareCodegenView(*module_)));
  EXPECT_EQ(loads().size(), 2u);
}

/// out = in, where Clang modified the first half of a float4 and copies the second as an integer.
TEST_F(Prepare, TheCodegenViewJoinsACopyWithItsNeighbours) {
  parse(std::string(prologue) + R"(
define ptx_kernel void @k(ptr noalias %in, ptr noalias %out) {
  %a = load <2 x float>, ptr %in, align 16
  %q = getelementptr inbounds i8, ptr %in, i64 8
  %b = load i64, ptr %q, align 8
  %c = fadd <2 x float> %a, %a
  store <2 x float> %c, ptr %out, align 16
  %r = getelementptr inbounds i8, ptr %out, i64 8
  store i64 %b, ptr %r, align 8
  ret void
})");
  ASSERT_FALSE(static_cast<bool>(prepareCodegenView(*module_)));
  ASSERT_EQ(loads().size(), 1u);
  EXPECT_EQ(loads()[0]->getAlign().value(), 16u);
}

std::string loopOf(unsigned trips) {
  return std::string(prologue) + R"(
define ptx_kernel void @k(ptr %in, ptr %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %p = getelementptr inbounds float, ptr %in, i32 %i
  %v = load float, ptr %p, align 4
  %more = fadd float %sum, %v
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, )" +
         std::to_string(trips) + R"(
  br i1 %done, label %exit, label %loop, !llvm.loop !0
exit:
  store float %more, ptr %out, align 4
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
)";
}

TEST_F(Prepare, TheCodegenViewUnrollsSmallLoops) {
  parse(loopOf(16));
  ASSERT_FALSE(static_cast<bool>(prepareCodegenView(*module_)));
  EXPECT_EQ(loads().size(), 16u);
}

TEST_F(Prepare, TheCodegenViewKeepsLongLoops) {
  parse(loopOf(1000));
  ASSERT_FALSE(static_cast<bool>(prepareCodegenView(*module_)));
  EXPECT_EQ(loads().size(), 1u);
}

TEST_F(Prepare, RefusesHostIr) {
  parse("target triple = \"x86_64-unknown-linux-gnu\"");
  EXPECT_EQ(llvm::toString(prepareSourceView(*module_)),
            "device IR for 'x86_64-unknown-linux-gnu' is not for NVPTX");
}

} // namespace
