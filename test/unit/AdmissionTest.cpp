#include "feedback/agents/Admission.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;
using namespace warpwright::agents;

namespace {

class KernelFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->getNameAsString() == "kernel" && function->doesThisDeclarationHaveABody())
      kernel = function;
    return true;
  }
  const clang::FunctionDecl *kernel = nullptr;
};

const std::string prelude = R"(#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
__device__ int clock(); __device__ int printf(const char *, ...);
__device__ int counter; struct Box { static __device__ int kept; int own; };
__constant__ int table[4];
__device__ int twice(int x) { return 2 * x; }
__device__ int alone(int x) { return x + 1; }
__global__ void other(int *a) { a[0] = twice(1); }
)";
const std::string kernel =
    "__global__ void kernel(int *a) { a[0] = twice(a[1]) + alone(a[2]) + table[0]; }\n";
const std::string tail = "void host() {}\n";

struct Parsed {
  std::unique_ptr<clang::ASTUnit> unit;
  AdmissionSide side;
};

Parsed parse(const std::string &code) {
  std::vector<std::string> arguments = {
      "-x",         "cuda",       "--cuda-device-only",    "-nocudainc",
      "-nocudalib", "-std=c++17", "--cuda-gpu-arch=sm_90", "-Wno-everything"};
  Parsed parsed;
  parsed.unit = clang::tooling::buildASTFromCodeWithArgs(
      code, arguments, "input.cu", "warpwright-test", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), {{"x.h", ""}});
  EXPECT_FALSE(parsed.unit->getDiagnostics().hasErrorOccurred()) << code;
  KernelFinder finder;
  finder.TraverseDecl(parsed.unit->getASTContext().getTranslationUnitDecl());
  parsed.side = {&parsed.unit->getASTContext(), finder.kernel};
  return parsed;
}

/// The code that a whole file is refused with; "admitted" where it is not.
std::string judge(const std::string &changed, const AgentPolicy &policy = {}, bool launchChanges = false) {
  Parsed before = parse(prelude + kernel + tail), after = parse(changed);
  std::optional<Refusal> refusal = findRefusal(before.side, after.side, policy, launchChanges);
  return refusal ? refusal->code : "admitted";
}

/// Of a file in which the kernel's body is another, and something stands before it.
std::string body(const std::string &text, const std::string &before = "", const AgentPolicy &policy = {}) {
  return judge(prelude + before + "__global__ void kernel(int *a) { " + text + " }\n" + tail, policy);
}

TEST(Admission, AdmitsTheKernelAndItsDeviceFunctions) {
  EXPECT_EQ(judge(prelude + kernel + tail), "admitted");
  EXPECT_EQ(body("__shared__ int s[32]; s[0] = a[1]; a[0] = s[0] + table[0];"), "admitted");
  EXPECT_EQ(body("a[0] = fresh(1);", "__device__ int fresh(int x) { return x; }\n"), "admitted");
  EXPECT_EQ(body("\n#pragma unroll 4\nfor (int i = 0; i < 4; ++i) a[i] = 0;"), "admitted");
  std::string changed = prelude + kernel + tail;
  size_t at = changed.find("return x + 1");
  EXPECT_EQ(judge(std::string(changed).replace(at, 12, "return 1 + x")), "admitted");
  EXPECT_EQ(judge(std::string(changed).replace(at, 12, "return 1 + x"), {}, /*launchChanges=*/true),
            "shared-helper");
}

TEST(Admission, RefusesWhatIsNotTheKernels) {
  EXPECT_EQ(judge(prelude + kernel + "void host() { for (;;) ; }\n"), "foreign-change");
  EXPECT_EQ(judge(prelude + kernel + tail + "int more;\n"), "foreign-change");
  EXPECT_EQ(judge(prelude + kernel), "foreign-change");
  EXPECT_EQ(judge(prelude + "static " + kernel + tail), "admitted"); // part of the definition; facts judge it
  std::string changed = prelude + kernel + tail;
  EXPECT_EQ(judge(changed.replace(changed.find("2 * x"), 5, "3 * x")), "shared-helper");
  EXPECT_EQ(body("a[0] = 1;", "__device__ float twice(float x) { return x; }\n"), "taken-name");
  EXPECT_EQ(body("a[0] = 1;", "__host__ __device__ int both() { return 1; }\n"), "foreign-change");
  EXPECT_EQ(body("a[0] = 1;", "__global__ void more(int *a) {}\n"), "foreign-change");
}

TEST(Admission, RefusesDirectivesAndMacros) {
  EXPECT_EQ(judge("#define __syncthreads()\n" + prelude + kernel + tail), "macros");
  EXPECT_EQ(judge("#include \"x.h\"\n" + prelude + kernel + tail), "includes");
  EXPECT_EQ(body("\n#define N 1\na[0] = N;"), "macros");
  EXPECT_EQ(body("\n#if 1\na[0] = 1;\n#endif\n"), "macros");
  EXPECT_EQ(body("\n#pragma nv_diag_suppress 1\na[0] = 1;"), "macros");
  EXPECT_EQ(body("a[0] = __LINE__;"), "macros");
  EXPECT_EQ(body("a[0] = __clang__;"), "macros");
  EXPECT_EQ(body("_Pragma(\"unroll\") for (;;) a[0] = 1;"), "macros");
  EXPECT_EQ(body("a[0] = __func__[0];"), "macros");
  EXPECT_EQ(body("a[0] = 1; // warpwright: accept(bank-conflict) trust me\n"), "suppression");
  AgentPolicy policy;
  policy.allowed = {"macros"};
  EXPECT_EQ(body("\n#define N 1\na[0] = N;", "", policy), "admitted");
}

TEST(Admission, RefusesWhatReachesBeyondTheLaunch) {
  EXPECT_EQ(body("asm volatile(\"\");"), "inline-asm");
  EXPECT_EQ(body("a[0] = counter++;"), "device-state");
  EXPECT_EQ(body("Box box; a[0] = box.kept++;"), "device-state");
  EXPECT_EQ(body("Box box; box.own = 1; a[0] = box.own;"), "admitted");
  EXPECT_EQ(body("static int calls; a[0] = ++calls;"), "device-state");
  EXPECT_EQ(body("a[0] = 1;", "__device__ int mine;\n"), "foreign-change");
  EXPECT_EQ(body("a[0] = clock();"), "clock-reads");
  EXPECT_EQ(body("a[0] = printf(\"x\");"), "device-runtime");
  EXPECT_EQ(body("int *p = new int; a[0] = *p;"), "device-runtime");
  EXPECT_EQ(body("a[0] = *(int *)0x1234;"), "forged-pointer");
  EXPECT_EQ(body("a[0] = sneak();", "__device__ int sneak() { return clock(); }\n"), "clock-reads");
  EXPECT_EQ(body("a[0] = here();", "__attribute__((used)) __device__ int here() { return 1; }\n"),
            "attributes");
  AgentPolicy policy;
  policy.allowed = {"inline-asm"};
  EXPECT_EQ(body("asm volatile(\"\");", "", policy), "admitted");
}

TEST(Admission, SaysWhere) {
  Parsed before = parse(prelude + kernel + tail);
  Parsed after = parse(prelude + "__global__ void kernel(int *a) {\n  a[0] = 1;\n  asm(\"\");\n}\n" + tail);
  std::optional<Refusal> refusal = findRefusal(before.side, after.side, {}, false);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->line, 14u);
}

} // namespace
