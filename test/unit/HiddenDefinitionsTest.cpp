#include "analysis/ast/HiddenDefinitions.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

class KernelFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (!kernel && function->getNameAsString() == "kernel" && function->doesThisDeclarationHaveABody())
      kernel = function;
    return true;
  }
  const clang::FunctionDecl *kernel = nullptr;
};

bool isHidden(llvm::StringRef code) {
  std::unique_ptr<clang::ASTUnit> ast = clang::tooling::buildASTFromCodeWithArgs(
      ("#define __global__ __attribute__((global))\n" + code).str(),
      {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-std=c++17", "--cuda-gpu-arch=sm_90",
       "-Wno-everything"},
      "input.cu", "warpwright-test");
  EXPECT_FALSE(ast->getDiagnostics().hasErrorOccurred());
  KernelFinder finder;
  finder.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  return hasHiddenDefinition(*finder.kernel);
}

TEST(HiddenDefinitions, FindsTheOtherBranch) {
  EXPECT_TRUE(isHidden(R"(
#ifdef __CUDA_ARCH__
template <int N> __global__ void __attribute__((launch_bounds(256))) kernel(float *p) { p[0] = N; }
#else
template <int N> __global__ void __attribute__((launch_bounds(256))) kernel(float *p) {}
#endif
)"));
  EXPECT_TRUE(isHidden(R"(
namespace a {
#if __CUDA_ARCH__ < 800
__global__ void kernel(float *p, int (*f)(int)) {}
#else
__global__ void kernel(float *p, int (*f)(int)) { p[0] = 1; }
#endif
}
)"));
}

TEST(HiddenDefinitions, KnowsWhatTheCompilerSaw) {
  EXPECT_FALSE(isHidden(R"(
#ifdef OTHER
__global__ void kernel(float *p);
__global__ void other(float *p) {}
#endif
template <class T> __global__ void kernel(T *p) { p[0] = T(); }
template <> __global__ void kernel(int *p) { p[0] = 1; }
__global__ void kernel(float *p, int n) { p[n] = 0; }
namespace a { struct S; __global__ void kernel(double *p) {} }
// __global__ void kernel(char *p) {}
const char *text = "__global__ void kernel(char *p) {}";
)"));
}

} // namespace
