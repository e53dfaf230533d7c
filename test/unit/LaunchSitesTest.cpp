#include "analysis/ast/LaunchSites.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

constexpr llvm::StringLiteral prelude = R"(
#define __global__ __attribute__((global))
typedef unsigned long size_t;
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern "C" int cudaConfigureCall(dim3, dim3, size_t = 0, void * = 0);
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
)";

class KernelFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  KernelFinder() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->getNameAsString() == "kernel" && function->doesThisDeclarationHaveABody() &&
        !function->isDependentContext())
      kernel = function;
    return true;
  }
  const clang::FunctionDecl *kernel = nullptr;
};

/// What the code does with the kernel named `kernel`.
struct Unit {
  explicit Unit(llvm::StringRef code) {
    std::vector<std::string> arguments = {
        "-x",         "cuda",       "--cuda-device-only",    "-nocudainc",
        "-nocudalib", "-std=c++17", "--cuda-gpu-arch=sm_90", "-Wno-everything"};
    ast = clang::tooling::buildASTFromCodeWithArgs((prelude + code).str(), arguments, "input.cu",
                                                   "warpwright-test");
    EXPECT_FALSE(ast->getDiagnostics().hasErrorOccurred());
    KernelFinder finder;
    finder.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
    launches = LaunchSites(ast->getASTContext()).of(*finder.kernel);
  }
  std::unique_ptr<clang::ASTUnit> ast;
  KernelLaunches launches;
};

TEST(LaunchSites, ReadsConstantsOfAllKinds) {
  Unit unit(R"(
static __global__ void kernel(int n) {}
constexpr int width = 16;
void host(int n) {
  kernel<<<n, dim3(width, 2 * 4)>>>(n);
  int threads = 128;
  dim3 block(threads), grid = 7;
  kernel<<<grid, block, 3 * sizeof(float)>>>(n);
  const dim3 same = block;
  kernel<<<dim3{1, 2, 3}, same>>>(n);
}
)");
  ASSERT_EQ(unit.launches.sites.size(), 3u);
  EXPECT_FALSE(unit.launches.sites[0].constantGrid);
  EXPECT_EQ(unit.launches.sites[0].constantBlock, (Dim3{16, 8, 1}));
  EXPECT_EQ(unit.launches.sites[0].constantSharedBytes, 0u);
  EXPECT_EQ(unit.launches.sites[1].constantGrid, (Dim3{7, 1, 1}));
  EXPECT_EQ(unit.launches.sites[1].constantBlock, (Dim3{128, 1, 1}));
  EXPECT_EQ(unit.launches.sites[1].constantSharedBytes, 12u);
  EXPECT_EQ(unit.launches.sites[2].constantGrid, (Dim3{1, 2, 3}));
  EXPECT_EQ(unit.launches.sites[2].constantBlock, (Dim3{128, 1, 1}));
  EXPECT_TRUE(unit.launches.complete());
  EXPECT_FALSE(unit.launches.commonBlock());
}

TEST(LaunchSites, TakesNoVariableThatChanges) {
  Unit unit(R"(
static __global__ void kernel() {}
void take(dim3 &);
void host(int n, dim3 given) {
  dim3 assigned(32);
  if (n) assigned = dim3(64);
  kernel<<<1, assigned>>>();
  dim3 member(32);
  member.x = n;
  kernel<<<1, member>>>();
  dim3 referred(32);
  take(referred);
  kernel<<<1, referred>>>();
  for (int threads = 32; threads < 1024; threads *= 2)
    kernel<<<1, threads>>>();
  kernel<<<1, given>>>();
  dim3 nothing(0);
  kernel<<<1, nothing>>>();
}
)");
  ASSERT_EQ(unit.launches.sites.size(), 6u);
  for (const LaunchSite &site : unit.launches.sites)
    EXPECT_FALSE(site.constantBlock) << "line " << site.place.line;
}

TEST(LaunchSites, FindsTheCommonBlock) {
  Unit unit("static __global__ void kernel() {}\n"
            "void host() { kernel<<<1, 64>>>(); kernel<<<2, dim3(64, 1, 1)>>>(); }");
  EXPECT_EQ(unit.launches.commonBlock(), (Dim3{64, 1, 1}));
  EXPECT_FALSE(unit.launches.commonGrid());
}

TEST(LaunchSites, FollowsInstantiations) {
  Unit unit(R"(
namespace {
template <int N> __global__ void kernel() {}
template <int N> void launch() { dim3 block(N); kernel<N><<<1, block>>>(); }
}
void host() { launch<32>(); }
)");
  ASSERT_EQ(unit.launches.sites.size(), 1u);
  EXPECT_EQ(unit.launches.commonBlock(), (Dim3{32, 1, 1}));
  EXPECT_TRUE(unit.launches.complete());
}

TEST(LaunchSites, OtherFilesMayLaunchExternalKernels) {
  EXPECT_FALSE(Unit("__global__ void kernel() {}").launches.internalLinkage);
  EXPECT_TRUE(Unit("namespace { __global__ void kernel() {} }").launches.internalLinkage);
}

TEST(LaunchSites, FindsOtherUses) {
  auto line = [](llvm::StringRef code) {
    std::optional<Place> use = Unit(code).launches.otherUse;
    return use ? use->line - prelude.count('\n') : 0;
  };
  EXPECT_EQ(line("static __global__ void kernel() {}\nvoid host() { kernel<<<1, 64>>>(); }"), 0u);
  EXPECT_EQ(line("static __global__ void kernel() {}\n"
                 "void host() { cudaLaunchKernel((const void *)kernel, 1, 64, 0, 0, 0); }"),
            2u);
  EXPECT_EQ(line("static __global__ void kernel() {}\n\nvoid (*table[])() = {kernel};"), 3u);
  EXPECT_EQ(line("static __global__ void kernel() {}\n"
                 "#ifndef __CUDA_ARCH__\nvoid host() { kernel<<<1, 512>>>(); }\n#endif"),
            3u);
  EXPECT_EQ(
      line("static __global__ void kernel() {}\ntemplate <class T> void host() { kernel<<<1, T::n>>>(); }"),
      2u);
  EXPECT_EQ(line("static __global__ void kernel() {} // kernel\n#define LAUNCH(k) k<<<1, 64>>>()\n"
                 "void host() { LAUNCH(kernel); }"),
            0u);
}

} // namespace
