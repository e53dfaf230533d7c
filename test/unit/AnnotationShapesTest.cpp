#include "analysis/annotation/AnnotationCheck.h"
#include "analysis/annotation/Shapes.h"

#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>

using namespace warpwright;

namespace {

/// k(const float *a, float *b, int m, int n, int k, float alpha)
AnnotationContext context() {
  AnnotationContext context;
  context.kernel = "k";
  for (const char *name : {"m", "n", "k"})
    context.parameters.push_back(
        {name, ParameterKind::Integer, {ElementKind::Integer, "int", 4, true}, false});
  context.parameters.push_back(
      {"alpha", ParameterKind::Floating, {ElementKind::Float, "float", 4, true}, false});
  context.parameters.push_back({"a", ParameterKind::Pointer, {ElementKind::Float, "float", 4, true}, true});
  context.parameters.push_back({"b", ParameterKind::Pointer, {ElementKind::Float, "float", 4, true}, false});
  context.constants["Later"] = std::nullopt;
  return context;
}

Annotation read(llvm::StringRef text) {
  return checkAnnotation(parseAnnotation(text), context()).annotation;
}

/// "origin: values" of every shape, one a line, then the note.
std::string familyOf(llvm::StringRef text) {
  ShapeFamily family = completeShapes(read(text), context());
  std::string all;
  for (const Shape &shape : family.shapes)
    all += (toString(shape.origin) + ": " + shape.str() + "\n").str();
  return all + family.note;
}

TEST(AnnotationShapes, KeepsThreeGivenShapes) {
  EXPECT_EQ(familyOf("shape(n = 1), shape(n = 2), shape(n = 3)"),
            "given: n = 1\ngiven: n = 2\ngiven: n = 3\n");
}

TEST(AnnotationShapes, CompletesFewerThanThreeAroundTheMainShape) {
  EXPECT_EQ(familyOf("grid(n), block(32), in(a[n * m]), shape(n = 4096, m = 1024, alpha = 0.5)"),
            "given: alpha = 0.5, m = 1024, n = 4096\n"
            "middle: alpha = 0.5, m = 256, n = 1024\n"
            "short: alpha = 0.5, m = 64, n = 256\n"
            "indivisible: alpha = 0.5, m = 127, n = 503\n");
}

TEST(AnnotationShapes, KeepsSmallCountsOfTheMainShape) {
  EXPECT_EQ(familyOf("grid(n), block(32), shape(n = 4096, m = 3)"), "given: m = 3, n = 4096\n"
                                                                    "middle: m = 3, n = 1024\n"
                                                                    "short: m = 3, n = 256\n"
                                                                    "indivisible: m = 3, n = 503\n");
}

TEST(AnnotationShapes, InventsAFamilyWithinMemory) {
  EXPECT_EQ(familyOf("grid(ceil_div(n, 256)), block(256), in(a[n])"), "long: n = 67108864\n"
                                                                      "middle: n = 16777216\n"
                                                                      "short: n = 4194304\n"
                                                                      "indivisible: n = 8388593\n");
  EXPECT_EQ(familyOf("grid(n, m), block(256), in(a[n * m])"), "long: m = 8192, n = 8192\n"
                                                              "middle: m = 2048, n = 2048\n"
                                                              "short: m = 512, n = 512\n"
                                                              "indivisible: m = 1019, n = 1021\n");
}

TEST(AnnotationShapes, RespectsTheDomain) {
  // The indivisible one is a multiple of 32 with as few factors of two as possible: 31 * 32.
  EXPECT_EQ(familyOf("grid(n / 32), block(32), require(n % 32 == 0), shape(n = 8192)"),
            "given: n = 8192\n"
            "middle: n = 2048\n"
            "short: n = 512\n"
            "indivisible: n = 992\n");
  EXPECT_EQ(familyOf("require(n == m), grid(n), block(32), in(a[n * m]), shape(n = 1024, m = 1024)"),
            "given: m = 1024, n = 1024\n"
            "middle: m = 256, n = 256\n"
            "short: m = 64, n = 64\n"
            "indivisible: m = 127, n = 127\n");
  EXPECT_EQ(familyOf("require(n == 77), shape(n = 77)"),
            "given: n = 77\nfewer than three different shapes were found that fulfil require() and can be "
            "launched");
  for (const Shape &shape :
       completeShapes(read("require(n % 48 == 0 && n < 1000), grid(n / 48), block(n)"), context()).shapes) {
    int64_t n = std::get<int64_t>(shape.values.at("n"));
    EXPECT_TRUE(n % 48 == 0 && n < 1000) << n;
  }
}

TEST(AnnotationShapes, SaysWhyNothingIsCompleted) {
  EXPECT_EQ(familyOf("grid(4), block(32)"), "the annotation uses no integer parameter that could vary");
  EXPECT_EQ(familyOf("grid(n / Later), block(32)"), "a constant depends on the instantiation");
  EXPECT_NE(familyOf("grid(n), block(32), require(n < 0)").find("fewer than three different shapes"),
            std::string::npos);
}

TEST(AnnotationShapes, EveryCompletedShapeCanBeLaunched) {
  for (const char *text :
       {"grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), out(b[m * n])",
        "grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(a[n * n]), out(b[n * n]), shape(n = "
        "96)",
        "grid(1, m), block(min(n, 1024)), shape(m = 70000 / 2, n = 5)",
        "grid(m), block(min(n, 64)), in(a[n << 3])"}) {
    Annotation annotation = read(text);
    ShapeFamily family = completeShapes(annotation, context());
    EXPECT_GE(family.shapes.size(), 3u) << text << ": " << family.note;
    for (const Shape &shape : family.shapes) {
      llvm::Expected<Launch> launch = evaluateLaunch(annotation, shape, context());
      EXPECT_TRUE(static_cast<bool>(launch)) << text << ": " << llvm::toString(launch.takeError());
    }
  }
}

TEST(AnnotationShapes, EvaluatesALaunch) {
  Annotation annotation = read("grid(ceil_div(n, 16), m), block(16, 4), dynamic_shared(4 * n), in(a[n * m]), "
                               "shape(n = 100, m = 7, alpha = 2)");
  llvm::Expected<Shape> shape = resolveShape(annotation.shapes[0], context());
  ASSERT_TRUE(static_cast<bool>(shape));
  llvm::Expected<Launch> launch = evaluateLaunch(annotation, *shape, context());
  ASSERT_TRUE(static_cast<bool>(launch)) << llvm::toString(launch.takeError());
  EXPECT_EQ(launch->kernel, "k");
  EXPECT_EQ(launch->grid, (Dim3{7, 7, 1}));
  EXPECT_EQ(launch->block, (Dim3{16, 4, 1}));
  EXPECT_EQ(launch->dynamicSharedBytes, 400u);
  EXPECT_EQ(std::get<int64_t>(launch->arguments.at("n")), 100);
  // An integer given to a floating parameter is bound as what the parameter is.
  EXPECT_EQ(std::get<double>(launch->arguments.at("alpha")), 2.0);
  llvm::Expected<std::map<std::string, uint64_t>> extents = evaluateExtents(annotation, *shape, context());
  ASSERT_TRUE(static_cast<bool>(extents));
  EXPECT_EQ(extents->at("a"), 700u);
  EXPECT_EQ(unboundScalars(*shape, context()), (std::vector<std::string>{"k"}));
}

TEST(AnnotationShapes, RefusesALaunchThatIsNotDescribed) {
  auto errorOf = [](const char *text) {
    llvm::Expected<Launch> launch = evaluateLaunch(read(text), {}, context());
    return launch ? "no error" : llvm::toString(launch.takeError());
  };
  EXPECT_EQ(errorOf("block(32)"), "the annotation gives no grid");
  EXPECT_EQ(errorOf("grid(32)"), "the annotation gives no block");
  EXPECT_EQ(errorOf("grid(n), block(32)"), "'n' has no value here (at offset 5)");
  EXPECT_EQ(errorOf("grid(3), block(32)"), "no error");
}

TEST(AnnotationShapes, TolerancesComeFromTheAnnotationOrTheType) {
  EXPECT_TRUE(toleranceFor(read("grid(1)"), ElementKind::Float).exact);
  EXPECT_TRUE(toleranceFor(read("allow(dispatch)"), ElementKind::Float).exact);
  EXPECT_TRUE(toleranceFor(read("allow(reassociate)"), ElementKind::Integer).exact);
  EXPECT_EQ(toleranceFor(read("allow(reassociate)"), ElementKind::Double).relative, 1e-9);
  EXPECT_EQ(toleranceFor(read("allow(fast_math)"), ElementKind::Float).relative, 1e-3);
  EXPECT_EQ(toleranceFor(read("allow(fast_math)"), ElementKind::Half).relative, 1e-2);
  EXPECT_EQ(toleranceFor(read("allow(fast_math)"), ElementKind::BFloat16).bias, 1e-3);
  EXPECT_TRUE(toleranceFor(read("allow(reassociate), tolerance(exact)"), ElementKind::Float).exact);
  Tolerance given = toleranceFor(read("tolerance(rel = 1e-2, abs = 1e-6)"), ElementKind::Float);
  EXPECT_EQ(given.relative, 1e-2);
  EXPECT_EQ(given.absolute, 1e-6);
  EXPECT_EQ(given.bias, 1e-3);
}

TEST(AnnotationShapes, BuffersAreFilledAsAnnotatedOrByType) {
  Annotation annotation = read("init(a, normal(0, 3))");
  EXPECT_EQ(initialiserFor(annotation, "a", ElementKind::Float).distribution, Distribution::Normal);
  EXPECT_EQ(initialiserFor(annotation, "b", ElementKind::Float).first, -1);
  Initialiser integers = initialiserFor(annotation, "b", ElementKind::Integer);
  EXPECT_EQ(integers.distribution, Distribution::Integers);
  EXPECT_EQ(integers.high->str(), "255");
}

} // namespace
