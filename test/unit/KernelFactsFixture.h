#pragma once

#include "analysis/ir/CollectFacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>

namespace warpwright {

inline constexpr const char *header = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
)";

/// Facts of the kernel `k` of an IR text; the text names special registers as the intrinsics do.
class KernelFactsTest : public ::testing::Test {
protected:
  llvm::Expected<KernelFacts> collect(const std::string &ir, const CollectOptions &options = {}) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(header + ir, diagnostic, context_);
    if (!module_)
      return llvm::createStringError(diagnostic.getMessage());
    llvm::PassBuilder builder;
    analyses_.clear();
    builder.registerFunctionAnalyses(analyses_);
    return collectKernelFacts(*module_->getFunction("k"), analyses_, options);
  }
  KernelFacts facts(const std::string &ir, const CollectOptions &options = {}) {
    llvm::Expected<KernelFacts> result = collect(ir, options);
    if (result)
      return std::move(*result);
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  std::string text(const std::string &ir) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    print(facts(ir), stream);
    return printed;
  }
  std::string errorOf(const std::string &ir) {
    llvm::Expected<KernelFacts> result = collect(ir);
    return result ? "no error" : llvm::toString(result.takeError());
  }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::FunctionAnalysisManager analyses_;
};

// row = blockIdx.y * blockDim.y + threadIdx.y; if (row < m)
//   for (i = 0; i < n; ++i) sum += a[row * n + i] * x[i];  y[row] = sum;
inline const std::string matvec = R"(
define ptx_kernel void @k(ptr %a, ptr %x, ptr %y, i32 %m, i32 %n) {
entry:
  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %start = mul nuw nsw i32 %ctaid, %ntid
  %row = add nuw nsw i32 %start, %tid
  %inside = icmp slt i32 %row, %m
  br i1 %inside, label %guard, label %end
guard:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %preheader, label %done
preheader:
  %base = mul nsw i32 %row, %n
  br label %body
done:
  %result = phi float [ 0.0, %guard ], [ %next.sum, %body ]
  %wide = zext nneg i32 %row to i64
  %out = getelementptr inbounds float, ptr %y, i64 %wide
  store float %result, ptr %out, align 4
  br label %end
body:
  %i.01 = phi i32 [ 0, %preheader ], [ %next, %body ]
  %sum = phi float [ 0.0, %preheader ], [ %next.sum, %body ]
  %index = add nsw i32 %base, %i.01
  %index.wide = sext i32 %index to i64
  %element = getelementptr inbounds float, ptr %a, i64 %index.wide
  %left = load float, ptr %element, align 4
  %i.wide = zext nneg i32 %i.01 to i64
  %other = getelementptr inbounds float, ptr %x, i64 %i.wide
  %right = load float, ptr %other, align 4
  %product = fmul contract float %left, %right
  %next.sum = fadd contract float %sum, %product
  %next = add nuw nsw i32 %i.01, 1
  %over = icmp eq i32 %next, %n
  br i1 %over, label %done, label %body
end:
  ret void
}
)";

// tile[threadIdx.y][threadIdx.x] = in[threadIdx.x ^ 5]; barrier; out[idx[threadIdx.x]] =
// tile[threadIdx.x][threadIdx.y];
inline const std::string tile = R"(
@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
define ptx_kernel void @k(ptr %in, ptr noalias %out, ptr %idx) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %mixed = xor i32 %x, 5
  %mixed.wide = zext nneg i32 %mixed to i64
  %from = getelementptr inbounds float, ptr %in, i64 %mixed.wide
  %value = load float, ptr %from, align 4
  %to = getelementptr inbounds [32 x [33 x float]], ptr addrspacecast (ptr addrspace(3) @tile to ptr), i64 0, i64 %y.wide, i64 %x.wide
  store float %value, ptr %to, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %back = getelementptr inbounds [32 x [33 x float]], ptr addrspace(3) @tile, i64 0, i64 %x.wide, i64 %y.wide
  %again = load float, ptr addrspace(3) %back, align 4
  %where = getelementptr inbounds i32, ptr %idx, i64 %x.wide
  %index = load i32, ptr %where, align 4
  %index.wide = sext i32 %index to i64
  %target = getelementptr inbounds float, ptr %out, i64 %index.wide
  store float %again, ptr %target, align 4
  ret void
}
)";

// if (threadIdx.x == 0) { barrier; for (t = n; t > 0; --t) atomicAdd(out, 1); }  barrier;
inline const std::string section = R"(
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %x, 0
  br i1 %first, label %then, label %end
then:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %body, label %end
body:
  %t = phi i32 [ %n, %then ], [ %next, %body ]
  %old = atomicrmw add ptr %out, i32 1 seq_cst, align 4
  %next = add nsw i32 %t, -1
  %more = icmp sgt i32 %t, 1
  br i1 %more, label %body, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
)";

} // namespace warpwright
