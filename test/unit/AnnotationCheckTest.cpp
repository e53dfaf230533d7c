#include "analysis/annotation/AnnotationCheck.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

/// k<TILE>(const float *a, float *b, int *index, Size p {int n; float s;}, int n, int m, unsigned char c,
/// float scale)
AnnotationContext context() {
  AnnotationContext context;
  context.kernel = "k";
  auto add = [&](const char *name, ParameterKind kind, ElementType type, bool isConst = false) {
    context.parameters.push_back({name, kind, type, isConst});
  };
  add("a", ParameterKind::Pointer, {ElementKind::Float, "float", 4, true}, true);
  add("b", ParameterKind::Pointer, {ElementKind::Float, "float", 4, true});
  add("index", ParameterKind::Pointer, {ElementKind::Integer, "int", 4, true});
  add("p", ParameterKind::Struct, {ElementKind::Other, "Size", 8, true});
  add("p.n", ParameterKind::Integer, {ElementKind::Integer, "int", 4, true});
  add("n", ParameterKind::Integer, {ElementKind::Integer, "int", 4, true});
  add("m", ParameterKind::Integer, {ElementKind::Integer, "int", 4, true});
  add("c", ParameterKind::Integer, {ElementKind::Integer, "unsigned char", 1, false});
  add("scale", ParameterKind::Floating, {ElementKind::Float, "float", 4, true});
  context.constants["TILE"] = 16;
  context.constants["Later"] = std::nullopt;
  context.rewriters = {"bound-launch", "pad-shared-array"};
  return context;
}

/// "id@offset: message [note]" of every error, one a line. That a shape leaves parameters open is a warning
/// of every short example and left out here.
std::string mistakesOf(llvm::StringRef text, const AnnotationContext &context = ::context()) {
  std::string all;
  for (const AnnotationDiagnostic &diagnostic : checkAnnotation(parseAnnotation(text), context).diagnostics) {
    if (diagnostic.id == Mistake::ShapeIncomplete)
      continue;
    all += (idOf(diagnostic.id) + "@" + llvm::Twine(diagnostic.offset) + ": " + diagnostic.message).str();
    all += (diagnostic.note.empty() ? "" : " [" + diagnostic.note + "]") + "\n";
  }
  return all;
}

Annotation checked(llvm::StringRef text) {
  return checkAnnotation(parseAnnotation(text), context()).annotation;
}

TEST(AnnotationCheck, AcceptsWhatFits) {
  EXPECT_EQ(
      mistakesOf("grid(ceil_div(n, TILE), m), block(TILE, 16), in(a[n * m]), out(b[p.n]), "
                 "shape(n = 4 * TILE, m = 3, p.n = 7, c = 255, scale = 0.5), require(n % TILE == 0), "
                 "init(a, uniform(0, 1)), init(index, integers(0, n - 1)), aligned(a, 16), may_alias(a, b), "
                 "tolerance(rel = 0.5, abs = 2), forbid(bound-launch)"),
      "");
}

TEST(AnnotationCheck, WantsNamesThatExist) {
  EXPECT_EQ(mistakesOf("grid(nn)"),
            "unknown-name@5: 'nn' is no parameter of the kernel and no constant that it can "
            "see [did you mean 'n'?]\n");
  EXPECT_EQ(mistakesOf("in(x[n])"), "unknown-name@3: 'x' is no parameter of the kernel\n");
  EXPECT_EQ(mistakesOf("in(a[elements])"),
            "unknown-name@5: 'elements' is no parameter of the kernel and no constant that it can see\n");
  EXPECT_EQ(mistakesOf("may_alias(a, indx)"),
            "unknown-name@13: 'indx' is no parameter of the kernel [did you mean 'index'?]\n");
  EXPECT_EQ(mistakesOf("grid(p.m)"),
            "unknown-name@5: 'p.m' is no parameter of the kernel and no constant that it can "
            "see [did you mean 'p.n'?]\n");
  EXPECT_EQ(mistakesOf("grid(n), in(a[n]), in(b[p.n])"), "");
}

TEST(AnnotationCheck, WantsTypesThatFit) {
  EXPECT_EQ(mistakesOf("in(n)"), "not-a-pointer@3: in() takes a pointer, but 'n' is 'int'\n");
  EXPECT_EQ(mistakesOf("init(n, zeros)"), "not-a-pointer@5: init() takes a pointer, but 'n' is 'int'\n");
  EXPECT_EQ(mistakesOf("aligned(scale, 4)"),
            "not-a-pointer@8: aligned() takes a pointer, but 'scale' is 'float'\n");
  EXPECT_EQ(mistakesOf("grid(a)"), "not-a-scalar@5: 'a' is a pointer, not an integer\n");
  EXPECT_EQ(mistakesOf("grid(scale)"), "not-a-scalar@5: 'scale' is a floating number, not an integer\n");
  EXPECT_EQ(mistakesOf("grid(p)"),
            "not-a-scalar@5: 'p' is a struct, not an integer [name one of its members]\n");
}

TEST(AnnotationCheck, WantsDirectionsThatAgree) {
  EXPECT_EQ(mistakesOf("out(a[n])"), "const-output@4: out() is written, but 'a' points to const 'float'\n");
  EXPECT_EQ(mistakesOf("inout(a[n])"),
            "const-output@6: inout() is written, but 'a' points to const 'float'\n");
  EXPECT_EQ(mistakesOf("in(b[n]), out(b[n])"),
            "conflicting-direction@14: 'b' is named by in() already [a buffer that is read and written is "
            "inout(b[...])]\n");
  EXPECT_TRUE(checked("in(b[n]), out(b[n])").buffers.empty());
  EXPECT_EQ(mistakesOf("in(b[n]), in(b[m])"), "repeated-name@13: 'b' is named twice\n");
  EXPECT_EQ(checked("in(b[n]), in(b[m])").buffers.size(), 1u);
  EXPECT_EQ(mistakesOf("inout(b[n]), in(index[n])"), "");
}

TEST(AnnotationCheck, WantsInitialisationsThatFit) {
  EXPECT_EQ(mistakesOf("init(index, uniform(0, 1))"), "bad-init@0: uniform() draws real numbers, but 'index' "
                                                      "points to 'int' [integers(a, b) draws integers]\n");
  EXPECT_EQ(mistakesOf("init(a, normal(0, -1))"),
            "bad-init@0: the standard deviation of normal() is negative\n");
  EXPECT_EQ(mistakesOf("init(a, uniform(1, 0))"),
            "bad-init@0: the lower bound of uniform() is above the upper one\n");
  EXPECT_EQ(mistakesOf("init(index, integers(5, 4))"),
            "bad-init@0: the lower bound of integers() is above the upper one\n");
  EXPECT_EQ(mistakesOf("init(index, integers(0, x))"),
            "unknown-name@24: 'x' is no parameter of the kernel and no constant that it can see\n");
  EXPECT_EQ(mistakesOf("init(a, zeros), init(a, ones)"), "repeated-name@21: 'a' is initialised twice\n");
  EXPECT_EQ(mistakesOf("out(b[n]), init(b, zeros)"), "useless-init@16: 'b' is only written, so its init() "
                                                     "has no effect [a buffer whose old values matter is "
                                                     "inout(b[...])]\n");
  EXPECT_EQ(mistakesOf("init(a, integers(0, 9)), init(index, permutation), inout(b[n]), init(b, zeros)"), "");
}

TEST(AnnotationCheck, WantsShapesOfScalars) {
  EXPECT_EQ(mistakesOf("shape(q = 3)"), "unknown-name@6: 'q' is no parameter of the kernel\n");
  EXPECT_EQ(mistakesOf("shape(a = 3)"),
            "not-a-scalar@6: a shape gives values to scalars, but 'a' is 'float *'\n");
  EXPECT_EQ(mistakesOf("shape(TILE = 3)"),
            "not-a-scalar@6: 'TILE' is a constant [a shape gives values to scalar parameters]\n");
  EXPECT_EQ(mistakesOf("shape(n = 1.5)"), "bad-value@10: 'n' is 'int', so its value is an integer\n");
  EXPECT_EQ(mistakesOf("shape(n = m)"),
            "unknown-name@10: 'm' is no constant; the values of a shape are constant\n");
  EXPECT_EQ(mistakesOf("shape(n = 1 / 0)"), "bad-value@10: division by zero\n");
  EXPECT_EQ(mistakesOf("grid(n, m), shape(n = 4)"),
            "shape-misses-scalar@12: the shape gives no value to 'm', which other clauses use\n");
  EXPECT_EQ(mistakesOf("grid(n), shape(n = 4)"), "");
  EXPECT_EQ(mistakesOf("shape(scale = 3, n = TILE)"), "");
}

TEST(AnnotationCheck, WantsShapesInTheDomain) {
  EXPECT_EQ(
      mistakesOf("require(n % 32 == 0), shape(n = 64), shape(n = 33)"),
      "shape-breaks-require@37: the shape is outside the domain require(n % 32 == 0) [the condition is false "
      "with n = 33]\n");
  EXPECT_EQ(checked("require(n % 32 == 0), shape(n = 64), shape(n = 33)").shapes.size(), 1u);
  EXPECT_EQ(mistakesOf("require(m / n > 1), shape(n = 0, m = 1)"),
            "bad-value@20: division by zero in 'm / n' with this shape [it gives m = 1, n = 0]\n");
  EXPECT_EQ(mistakesOf("require(m / n > 1), shape(n = 1, m = 2)"), "");
}

TEST(AnnotationCheck, WantsLaunchesThatCudaCanMake) {
  EXPECT_EQ(mistakesOf("block(0)"), "bad-launch@6: the block's x is 0, not positive\n");
  EXPECT_EQ(mistakesOf("block(2048)"), "bad-launch@6: the block's x is 2048, but at most 1024\n");
  EXPECT_EQ(mistakesOf("block(64, TILE * 2)"),
            "bad-launch@0: the block has 2048 threads, but at most 1024\n");
  EXPECT_EQ(mistakesOf("block(1, 1, 65)"), "bad-launch@12: the block's z is 65, but at most 64\n");
  EXPECT_EQ(mistakesOf("grid(1, 65536)"), "bad-launch@8: the grid's y is 65536, but at most 65535\n");
  EXPECT_EQ(mistakesOf("grid(2147483648)"),
            "bad-launch@5: the grid's x is 2147483648, but at most 2147483647\n");
  EXPECT_EQ(mistakesOf("block(1024), grid(2147483647, 65535, 65535)"), "");
  EXPECT_EQ(
      mistakesOf("block(n), shape(n = 32), shape(n = 1025)"),
      "bad-launch@25: the block's x is 1025, but at most 1024 in 'n' with this shape [it gives n = 1025]\n");
  EXPECT_EQ(mistakesOf("grid(n / 32), shape(n = 31)"),
            "bad-launch@14: the grid's x is 0, not positive in 'n / 32' with this shape [it gives n = 31]\n");
  EXPECT_EQ(mistakesOf("in(a[n - 9]), shape(n = 8)"),
            "bad-value@14: 'a' has -1 elements in 'n - 9' with this shape [it gives n = 8]\n");
  EXPECT_EQ(
      mistakesOf("shape(n = 1 << 31)"),
      "bad-value@0: 2147483648 does not fit 'n', which is 'int' with this shape [it gives n = 2147483648]\n");
  EXPECT_EQ(mistakesOf("shape(c = -1)"),
            "bad-value@0: -1 does not fit 'c', which is 'unsigned char' with this shape [it gives c = -1]\n");
}

TEST(AnnotationCheck, WantsTolerancesThatJudge) {
  EXPECT_EQ(mistakesOf("tolerance(rel = 0)"),
            "bad-tolerance@0: the tolerance 'rel' is not positive [tolerance(exact) admits no difference]\n");
  EXPECT_EQ(mistakesOf("tolerance(abs = -1)"),
            "bad-tolerance@0: the tolerance 'abs' is not positive [tolerance(exact) admits no difference]\n");
  EXPECT_EQ(mistakesOf("tolerance(rel = 1e3)"),
            "bad-tolerance@0: with 'rel' at 1 or more every result is accepted\n");
  EXPECT_EQ(mistakesOf("tolerance(exact)"), "");
}

TEST(AnnotationCheck, WantsRewritersThatExist) {
  EXPECT_EQ(mistakesOf("forbid(pad-shared-arrays)"),
            "unknown-rewriter@7: no rewriter is called 'pad-shared-arrays' "
            "[did you mean 'pad-shared-array'?]\n");
  AnnotationContext any = context();
  any.rewriters.reset();
  EXPECT_EQ(mistakesOf("forbid(pad-shared-arrays)", any), "");
}

TEST(AnnotationCheck, WarnsOfParametersWithoutValue) {
  ParsedAnnotation parsed =
      checkAnnotation(parseAnnotation("grid(n), shape(n = 4), shape(n = 5)"), context());
  ASSERT_EQ(parsed.diagnostics.size(), 1u);
  EXPECT_EQ(parsed.diagnostics[0].message, "the main shape gives no value to 'p.n', 'm', 'c', 'scale'");
  EXPECT_EQ(parsed.diagnostics[0].severity, AnnotationSeverity::Warning);
  EXPECT_EQ(parsed.annotation.shapes.size(), 2u);
}

TEST(AnnotationCheck, LeavesWhatDependsOnTheInstantiationAlone) {
  EXPECT_EQ(mistakesOf("block(Later), grid(n / Later), shape(n = 0), require(n > Later), shape(n = Later)"),
            "");
  EXPECT_EQ(mistakesOf("block(Latex)"),
            "unknown-name@6: 'Latex' is no parameter of the kernel and no constant that it "
            "can see [did you mean 'Later'?]\n");
}

} // namespace
