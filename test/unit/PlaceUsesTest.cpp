#include "analysis/annotation/Annotation.h"
#include "analysis/ast/IterationOrder.h"
#include "rewriters/edits/LoopGuard.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

constexpr llvm::StringLiteral prelude = "#define __shared__ __attribute__((shared))\n"
                                        "#define __device__ __attribute__((device))\n"
                                        "__device__ void unknown();\n";

class FunctionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  const clang::FunctionDecl *found = nullptr;
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->getNameAsString() == "f")
      found = function;
    return true;
  }
};

/// The function `f` of the code.
struct Code {
  explicit Code(llvm::StringRef text) {
    std::vector<std::string> arguments = {
        "-x",         "cuda",       "--cuda-device-only",    "-nocudainc",
        "-nocudalib", "-std=c++17", "--cuda-gpu-arch=sm_90", "-Wno-everything"};
    ast = clang::tooling::buildASTFromCodeWithArgs((prelude + "__device__ " + text).str(), arguments,
                                                   "input.cu", "warpwright-test");
    EXPECT_FALSE(ast->getDiagnostics().hasErrorOccurred());
    FunctionFinder finder;
    finder.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
    function = finder.found;
  }
  const clang::Stmt &body() const { return *function->getBody(); }
  const clang::Stmt &last() const {
    return *llvm::cast<clang::CompoundStmt>(function->getBody())->body_back();
  }
  std::string order() const {
    std::vector<CanonicalLoop> loops = findCanonicalLoops(*function, ast->getASTContext(), facts);
    PlaceReader reader(*function);
    return loops.empty() ? "no loop"
                         : readIterationOrder(loops.front(), reader, annotation, ast->getASTContext()).whyNot;
  }
  std::unique_ptr<clang::ASTUnit> ast;
  const clang::FunctionDecl *function = nullptr;
  KernelFacts facts;
  Annotation annotation;
};

/// "read x sure", "update y", "write ? loop", ...
std::vector<std::string> usesOf(const Code &code) {
  constexpr const char *kinds[] = {"read", "write", "update", "escape"};
  std::vector<std::string> words;
  for (const PlaceUse &use : PlaceReader(*code.function).usesOf(code.body()).places)
    words.push_back(std::string(kinds[static_cast<int>(use.kind)]) + " " +
                    (use.root.known() ? use.root.name() : "?") + (use.sure ? " sure" : "") +
                    (use.inLoop ? " loop" : ""));
  return words;
}

using testing::ElementsAre;

TEST(PlaceUses, FollowsPointersToTheirBuffers) {
  Code code("void f(float *x, const int *at, int n) { float *row = x + n; row += 3; *row += row[at[n]]; }");
  EXPECT_THAT(usesOf(code), ElementsAre("read at sure", "read x sure", "update x sure"));
}

TEST(PlaceUses, DoesNotFollowAPointerThatIsSetAnew) {
  Code code("void f(float *x, float *y, int n) { float *p = x; if (n) p = y; p[0] = 1; }");
  EXPECT_THAT(usesOf(code), ElementsAre("write ? sure"));
}

TEST(PlaceUses, KnowsWhatMayNotRun) {
  Code code(
      "void f(float *x, float *y, int n) { for (int i = 0; i < y[0]; ++i) { if (i == n) break; x[i] = 1; } "
      "if (n > 3) return; y[1] = n && x[2]; }");
  EXPECT_THAT(usesOf(code), ElementsAre("read y sure loop", "write x loop", "read x", "write y"));
}

TEST(PlaceUses, TellsSharedMemoryFromBuffers) {
  Code code("void f(float *x) { __shared__ float tile[4]; float own[2]; tile[1] = x[0]; own[0] = tile[1]; }");
  CodeUses uses = PlaceReader(*code.function).usesOf(code.body());
  std::vector<std::string> notes;
  for (size_t i : {size_t(1), size_t(3)}) {
    EXPECT_TRUE(uses.places[i].root.isOnChip());
    EXPECT_FALSE(mayOverlap(uses.places[0].root, uses.places[i].root, code.annotation, notes));
  }
  EXPECT_TRUE(notes.empty());
  EXPECT_TRUE(uses.acts());
}

TEST(PlaceUses, CountsUnknownCalls) {
  Code code("void f(float *x) { unknown(); }");
  EXPECT_EQ(PlaceReader(*code.function).usesOf(code.body()).others.size(), 1u);
}

TEST(IterationOrder, LetsIterationsWithElementsOfTheirOwnGo) {
  EXPECT_EQ(Code("void f(float *x, int n) { for (int i = 0; i < n; ++i) x[2 * i + n] *= 2; }").order(), "");
  EXPECT_EQ(Code("void f(float *x, int n) { float s = 0; for (int i = n; i > 0; --i) s += x[i]; x[0] = s; }")
                .order(),
            "");
}

TEST(IterationOrder, KeepsWhatGoesFromOneToTheNext) {
  EXPECT_EQ(Code("void f(float *x, int n) { for (int i = 1; i < n; ++i) x[i] = x[i - 1]; }").order(),
            "one iteration may write what another reads or writes of 'x'");
  EXPECT_EQ(Code("void f(float *x, int n) { for (int i = 1; i < n; ++i) x[i / 2] = i; }").order(),
            "two iterations may write the same element of 'x'");
  EXPECT_EQ(Code("void f(float *x, float *y, int n) { for (int i = 1; i < n; ++i) x[i] = y[i]; }").order(),
            "one iteration may write what another reads or writes of 'x'");
  EXPECT_EQ(Code("void f(float *x, int n) { float last = 0; for (int i = 1; i < n; ++i) { x[i] = last; last "
                 "= i; } }")
                .order(),
            "'last' goes from one iteration to the next");
}

std::string guardOf(const char *text) {
  Code code(text);
  std::optional<LoopGuard> guard = loopGuard(code.last(), code.ast->getASTContext());
  if (!guard)
    return "none";
  return guard->always() ? "always" : guard->condition + (guard->holdsBehind ? "" : " before");
}

TEST(LoopGuard, SaysWhenALoopRuns) {
  EXPECT_EQ(guardOf("void f(int n) { for (int i = 0; i < n; ++i) ; }"), "0 < n");
  EXPECT_EQ(guardOf("void f(int n) { for (int i = 0; i < 4; ++i) ; }"), "always");
  EXPECT_EQ(guardOf("void f(int n) { for (int i = n - 1; i >= 0; --i) ; }"), "(n - 1) >= 0");
  EXPECT_EQ(guardOf("void f(int n) { while (n-- > 0) ; }"), "n > 0 before");
  EXPECT_EQ(guardOf("void f(int n) { while (--n) ; }"), "(n - 1) before");
  EXPECT_EQ(guardOf("void f(int n) { for (long i = n; i < 9; ++i) ; }"), "none");
  EXPECT_EQ(guardOf("void f(int n) { for (;;) ; }"), "none");
}

} // namespace
