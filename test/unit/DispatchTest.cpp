#include "rewriters/edits/Dispatch.h"
#include "analysis/ast/LaunchSites.h"
#include "rewriters/edits/ApplyEdits.h"
#include "rewriters/edits/LaunchStatement.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using ::testing::HasSubstr;

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
__global__ void kernel(int n) {}
__global__ void kernel_warpwright(int n) {}
bool next();
)";

std::unique_ptr<clang::ASTUnit> parse(const std::string &text) {
  std::vector<std::string> arguments = {"-x",
                                        "cuda",
                                        "--cuda-device-only",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-std=c++17",
                                        "--cuda-gpu-arch=sm_90",
                                        "-Wno-everything",
                                        "-Wdangling-else",
                                        "-Werror"};
  return clang::tooling::buildASTFromCodeWithArgs(text, arguments, "input.cu", "warpwright-test");
}

class NameFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  explicit NameFinder(llvm::StringRef name) : name_(name) {}
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    if (function->getNameAsString() == name_ && function->doesThisDeclarationHaveABody())
      found = function;
    return true;
  }
  const clang::FunctionDecl *found = nullptr;

private:
  std::string name_;
};

const clang::FunctionDecl &function(clang::ASTUnit &unit, llvm::StringRef name) {
  NameFinder finder(name);
  finder.TraverseDecl(unit.getASTContext().getTranslationUnitDecl());
  return *finder.found;
}

/// The launch of a body of `host(int m, int n)`, whose only argument is in the place of `n`.
DispatchedLaunch launchIn(clang::ASTUnit &unit, const LaunchSite &site, const std::string &text) {
  const clang::ASTContext &ast = unit.getASTContext();
  LaunchStatement statement = findLaunchStatement(*site.call, function(unit, "host"), ast);
  DispatchedLaunch launch;
  launch.whyWhole = statement.whyWhole;
  launch.begin = statement.begin;
  launch.needsBraces = statement.needsBraces;
  launch.statement = text.substr(statement.begin, statement.end - statement.begin);
  size_t line = text.rfind('\n', statement.begin) + 1;
  launch.indent = text.substr(line, text.find_first_not_of(' ', line) - line);
  launch.callee.offset = static_cast<unsigned>(launch.statement.find("kernel") + 6);
  if (!site.call->getArg(0)->HasSideEffects(ast))
    launch.integers["n"] = "n";
  return launch;
}

/// A body of `host(int m, int n)` with its launches of `kernel` chosen by a guard, or why there is none.
std::string chosen(llvm::StringRef body, llvm::StringRef guard = "n >= 1024") {
  std::string text = (prelude + "void host(int m, int n) {" + body + "}\n").str();
  std::unique_ptr<clang::ASTUnit> unit = parse(text);
  if (unit->getDiagnostics().hasErrorOccurred())
    return "does not parse";
  ScalarExpression condition = llvm::cantFail(ScalarExpression::parse(guard));
  PlannedLaunch same;
  std::vector<Edit> edits;
  std::string whyNot;
  for (const LaunchSite &site : LaunchSites(unit->getASTContext()).of(function(*unit, "kernel")).sites) {
    DispatchedLaunch launch = launchIn(*unit, site, text);
    if (std::string why = whyNotChosenThere(launch, condition); !why.empty()) {
      whyNot = why;
      continue;
    }
    Edit edit;
    edit.offset = launch.begin;
    edit.length = launch.statement.size();
    edit.text = llvm::cantFail(chosenLaunch(launch, {{"_warpwright", same, condition}}, same));
    edits.push_back(std::move(edit));
  }
  if (edits.empty())
    return whyNot;
  std::string result = llvm::cantFail(applyEdits(text, edits));
  // It means what it says: no `else` of the choice's belongs to an `if` around it.
  if (parse(result)->getDiagnostics().hasErrorOccurred())
    return "no longer parses: " + result;
  llvm::StringRef host = result;
  host = host.substr(host.find("void host(int m, int n) {") + 25);
  return host.drop_back(2).str();
}

TEST(ChosenLaunch, ChoosesInASequenceOfStatements) {
  EXPECT_EQ(chosen("\n  kernel<<<1, 2>>>(n);\n"), "\n"
                                                  "  if (n >= 1024)\n"
                                                  "    kernel_warpwright<<<1, 2>>>(n);\n"
                                                  "  else\n"
                                                  "    kernel<<<1, 2>>>(n);\n");
}

TEST(ChosenLaunch, ComputesProductsInSixtyFourBits) {
  EXPECT_THAT(chosen("kernel<<<1, 2>>>(n);", "n * n >= 1048576 && n % 4 == 0"),
              HasSubstr("if (static_cast<long long>(n) * n >= 1048576 && n % 4 == 0)\n"));
}

TEST(ChosenLaunch, TakesNoElseOfOthers) {
  EXPECT_EQ(chosen("\n  if (m)\n    kernel<<<1, 2>>>(n);\n  else\n    next();\n"),
            "\n  if (m)\n"
            "    {\n"
            "      if (n >= 1024)\n"
            "        kernel_warpwright<<<1, 2>>>(n);\n"
            "      else\n"
            "        kernel<<<1, 2>>>(n);\n"
            "    }\n"
            "  else\n"
            "    next();\n");
  for (llvm::StringRef body :
       {"for (int i = 0; i < m; ++i) kernel<<<1, 2>>>(n);", "while (next()) kernel<<<1, 2>>>(n);",
        "do kernel<<<1, 2>>>(n); while (next());", "if (m) next(); else kernel<<<1, 2>>>(n);",
        "if (m) { if (next()) kernel<<<1, 2>>>(n); else next(); }"})
    EXPECT_THAT(chosen(body), HasSubstr("{\n  if (n >= 1024)\n    kernel_warpwright<<<1, 2>>>(n);\n  else\n"
                                        "    kernel<<<1, 2>>>(n);\n}"))
        << body.str();
}

TEST(ChosenLaunch, ChoosesBehindLabelsAndInLambdas) {
  EXPECT_THAT(chosen("switch (m) { case 1: kernel<<<1, 2>>>(n); break; default: next(); }"),
              HasSubstr("kernel_warpwright"));
  EXPECT_THAT(chosen("auto run = [=] { kernel<<<1, 2>>>(n); }; run();"), HasSubstr("kernel_warpwright"));
}

TEST(ChosenLaunch, LeavesPartsOfLargerStatements) {
  for (llvm::StringRef body :
       {"kernel<<<1, 2>>>(n), next();", "if (kernel<<<1, 2>>>(n), next()) next();",
        "m ? kernel<<<1, 2>>>(n) : void(next());", "return kernel<<<1, 2>>>(n);",
        "for (kernel<<<1, 2>>>(n); next();) ;", "for (; next(); kernel<<<1, 2>>>(n)) ;"})
    EXPECT_THAT(chosen(body), HasSubstr("it is part of a larger statement")) << body.str();
}

TEST(ChosenLaunch, LeavesMacrosAndDirectives) {
  EXPECT_THAT(chosen("\n#define RUN(...) __VA_ARGS__\n  RUN(kernel<<<1, 2>>>(n));\n"),
              HasSubstr("it comes out of a macro"));
  EXPECT_THAT(chosen("\n#define END ;\n  kernel<<<1, 2>>>(n) END\n"), HasSubstr("it comes out of a macro"));
  EXPECT_THAT(chosen("\n  kernel<<<1,\n#ifdef WIDE\n 4\n#else\n 2\n#endif\n>>>(n);\n"),
              HasSubstr("lines of the preprocessor stand in it"));
}

TEST(ChosenLaunch, LeavesArgumentsWithSideEffects) {
  EXPECT_THAT(chosen("kernel<<<1, 2>>>(n++);"), HasSubstr("its argument for 'n' may have side effects"));
  EXPECT_THAT(chosen("kernel<<<1, 2>>>(next());"), HasSubstr("its argument for 'n' may have side effects"));
}

TEST(ChosenLaunch, SplitsTheOthers) {
  EXPECT_EQ(chosen("kernel<<<1, 2>>>(n), next(); kernel<<<1, 2>>>(n);"),
            "kernel<<<1, 2>>>(n), next(); if (n >= 1024)\n  kernel_warpwright<<<1, 2>>>(n);\nelse\n"
            "  kernel<<<1, 2>>>(n);");
}

Candidate inPlace(unsigned offset) {
  Candidate candidate;
  candidate.rewriter = "unroll-loop";
  Edit edit;
  edit.offset = offset;
  edit.length = 1;
  edit.text = "B";
  edit.reason = "reason";
  candidate.edits = {edit};
  return candidate;
}

/// "k(a){ b }" and a launch "k<n>;" in a block on the next line.
constexpr llvm::StringLiteral source = "k(a){ b }\n{ k<n>; }\n";

Dispatch dispatch() {
  Dispatch result;
  result.whyNot.clear();
  result.copy.emplace();
  result.copy->clone.emplace();
  KernelClone &clone = *result.copy->clone;
  clone.original = "k";
  clone.name = "k_warpwright";
  clone.end = 9;
  clone.at = 10;
  clone.identity = inPlace(1).edits;
  clone.identity.front().length = 0;
  clone.identity.front().text = "_warpwright";
  clone.redirects = clone.identity;
  clone.redirects.front().offset = 13;
  DispatchedLaunch launch;
  launch.begin = 12;
  launch.statement = "k<n>;";
  launch.callee.offset = 1;
  launch.integers = {{"n", "count"}};
  result.launches = {launch};
  result.copy->plan = LaunchPlan::same("k");
  return result;
}

TEST(Guarded, CopiesWhatChangesTheKernelInPlace) {
  ScalarExpression guard = llvm::cantFail(ScalarExpression::parse("n >= 8"));
  llvm::Expected<Candidate> result = guarded({inPlace(6)}, dispatch(), guard);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->plan->guard->str(), "n >= 8");
  llvm::Expected<std::string> text = applyCandidates(source, {&*result});
  ASSERT_TRUE(bool(text)) << llvm::toString(text.takeError());
  EXPECT_EQ(*text, "k(a){ b }\n\n// 'k' as it is launched in this file where n >= 8: unroll-loop.\n"
                   "k_warpwright(a){ B }\n{ if (count >= 8)\n  k_warpwright<n>;\nelse\n  k<n>; }\n");
}

TEST(Chain, AsksGuardsInTheirOrder) {
  auto variant = [](llvm::StringRef guard, unsigned copy) {
    return llvm::cantFail(
        guarded({inPlace(6)}, dispatch(), llvm::cantFail(ScalarExpression::parse(guard)), copy));
  };
  std::vector<Candidate> variants = {variant("n <= 2", 1), variant("n >= 8", 0)};
  ASSERT_FALSE(bool(chain(variants, dispatch())));
  EXPECT_EQ(llvm::cantFail(applyCandidates(source, {&variants[0], &variants[1]})),
            "k(a){ b }\n\n// 'k' as it is launched in this file where n <= 2: unroll-loop.\n"
            "k_warpwright_2(a){ B }\n"
            "\n// 'k' as it is launched in this file where n >= 8: unroll-loop.\n"
            "k_warpwright(a){ B }\n"
            "{ if (count <= 2)\n  k_warpwright_2<n>;\nelse if (count >= 8)\n  k_warpwright<n>;\nelse\n"
            "  k<n>; }\n");
  // What always holds needs no original behind it.
  variants = {variant("n <= 2", 1), variant("1", 0)};
  ASSERT_FALSE(bool(chain(variants, dispatch())));
  EXPECT_THAT(llvm::cantFail(applyCandidates(source, {&variants[0], &variants[1]})),
              HasSubstr("{ if (count <= 2)\n  k_warpwright_2<n>;\nelse\n  k_warpwright<n>; }"));
}

TEST(Chain, RefusesCopiesOfOneName) {
  ScalarExpression guard = llvm::cantFail(ScalarExpression::parse("n >= 8"));
  Candidate one = llvm::cantFail(guarded({inPlace(6)}, dispatch(), guard)), other = one;
  llvm::Expected<std::string> text = applyCandidates(source, {&one, &other});
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()), "two candidates change the launch");
}

TEST(ChosenLaunch, WritesExtentsOfTheirOwn) {
  DispatchedLaunch launch;
  launch.statement = "k<<<blocks, 64>>>(count);";
  launch.callee.offset = 1;
  launch.grid = {4, 6};
  launch.block = {12, 2};
  launch.shared = {14, 0};
  launch.arguments = launch.integers = {{"n", "count"}};
  auto expressions = [](llvm::StringRef text) {
    return ExtentsClause{{llvm::cantFail(ScalarExpression::parse(text))}, {}};
  };
  PlannedLaunch original, planned;
  original.grid = expressions("ceil_div(n, 64)");
  original.block = expressions("64");
  planned.grid = expressions("ceil_div(n, 128)");
  planned.block = expressions("64");
  planned.dynamicShared = ValueClause{llvm::cantFail(ScalarExpression::parse("n * 4")), {}};
  ScalarExpression guard = llvm::cantFail(ScalarExpression::parse("n >= 8"));
  EXPECT_EQ(llvm::cantFail(chosenLaunch(launch, {{"_warpwright", planned, guard}}, original)),
            "if (count >= 8)\n"
            "  k_warpwright<<<(count + 127LL) / 128, 64, static_cast<long long>(count) * 4>>>(count);\n"
            "else\n"
            "  k<<<blocks, 64>>>(count);");
}

TEST(Guarded, RefusesEditsBeyondTheKernel) {
  llvm::Expected<Candidate> result =
      guarded({inPlace(14)}, dispatch(), llvm::cantFail(ScalarExpression::parse("n >= 8")));
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("edits more than the kernel"));
}

TEST(Guarded, RefusesWhatNoLaunchSays) {
  llvm::Expected<Candidate> result =
      guarded({inPlace(6)}, dispatch(), llvm::cantFail(ScalarExpression::parse("m >= 8")));
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("its argument for 'm'"));
}

} // namespace
