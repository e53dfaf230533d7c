#include "analysis/ast/KernelTokens.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

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

std::string tokens(const std::string &code) {
  std::vector<std::string> arguments = {
      "-x",         "cuda",       "--cuda-device-only",    "-nocudainc",
      "-nocudalib", "-std=c++17", "--cuda-gpu-arch=sm_90", "-Wno-everything"};
  const std::string prelude = "#define __global__ __attribute__((global))\n"
                              "#define __device__ __attribute__((device))\n";
  std::unique_ptr<clang::ASTUnit> ast =
      clang::tooling::buildASTFromCodeWithArgs(prelude + code, arguments, "input.cu", "warpwright-test");
  EXPECT_FALSE(ast->getDiagnostics().hasErrorOccurred()) << code;
  KernelFinder finder;
  finder.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
  return finder.kernel ? kernelTokens(*finder.kernel) : "no kernel";
}

const std::string plain = "__global__ void kernel(float *a) { a[0] = 2; }";

TEST(KernelTokens, IgnoresLayoutCommentsAndMacros) {
  EXPECT_EQ(tokens(plain),
            tokens("// x\n\n#define TWO 2\n__global__ void\nkernel(float *a) {\n  a[0]  =  TWO; /* y */ }"));
  EXPECT_EQ(tokens(plain), tokens("int unused;\n__device__ void other() {}\n" + plain));
}

TEST(KernelTokens, HoldsTheKernelItself) {
  EXPECT_NE(tokens(plain), tokens("__global__ void kernel(float *a) { a[0] = 3; }"));
  EXPECT_NE(tokens(plain),
            tokens("__global__ __attribute__((launch_bounds(64))) void kernel(float *a) { a[0] = 2; }"));
  EXPECT_NE(tokens(plain),
            tokens("__global__ __attribute__((annotate(\"x\"))) void kernel(float *a) { a[0] = 2; }"));
}

TEST(KernelTokens, ReadsAnnotationsAndNotTheirAddresses) {
  auto with = [](const std::string &text) {
    return tokens("__global__ __attribute__((annotate(\"name\", \"" + text +
                  "\"))) void kernel(float *a) { a[0] = 2; }");
  };
  EXPECT_EQ(with("grid(1)"), with("grid(1)"));
  EXPECT_NE(with("grid(1)"), with("grid(2)"));
  EXPECT_EQ(with("grid(1)").find("0x"), std::string::npos);
}

TEST(KernelTokens, FollowsCallees) {
  auto with = [](const std::string &body) {
    return tokens("__device__ float inner(float x) { return " + body + "; }\n" +
                  "__device__ float outer(float x) { return inner(x); }\n" +
                  "__global__ void kernel(float *a) { a[0] = outer(a[1]); }");
  };
  EXPECT_EQ(with("x + 1"), with("x  + 1"));
  EXPECT_NE(with("x + 1"), with("x + 2"));
}

TEST(KernelTokens, FollowsTypesConstantsAndVariables) {
  auto with = [](const std::string &type, const std::string &constant, const std::string &enumerator) {
    return tokens("struct P { " + type + " x; };\nconstexpr int c = " + constant +
                  ";\nenum E { e = " + enumerator + " };\n__device__ int table[4];\n" +
                  "__global__ void kernel(P *p) { p->x = c + e + table[0]; }");
  };
  std::string base = with("int", "1", "2");
  EXPECT_EQ(base, with("int", "1", "2"));
  EXPECT_NE(base, with("short", "1", "2"));
  EXPECT_NE(base, with("int", "2", "2"));
  EXPECT_NE(base, with("int", "1", "3"));
}

TEST(KernelTokens, HoldsWhatATemplateIsMadeOf) {
  auto with = [](const std::string &argument) {
    return tokens("template <int N> __device__ int scale(int x) { return x * N; }\n"
                  "template <int N> __global__ void kernel(int *a) { a[0] = scale<N>(a[1]); }\n"
                  "template __global__ void kernel<" +
                  argument + ">(int *);");
  };
  EXPECT_NE(with("2"), with("3"));
}

TEST(KernelTokens, EndsWhereFunctionsCallEachOther) {
  EXPECT_NE(
      tokens("__device__ int g(int);\n__device__ int f(int x) { return x ? g(x - 1) : 0; }\n"
             "__device__ int g(int x) { return f(x); }\n__global__ void kernel(int *a) { a[0] = f(3); }"),
      "no kernel");
}

} // namespace
