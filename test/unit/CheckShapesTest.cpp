#include "feedback/evaluators/virtual/verify/GuardEdges.h"
#include "feedback/evaluators/virtual/verify/TileShapes.h"

#include "analysis/annotation/AnnotationCheck.h"

#include <gtest/gtest.h>

using namespace warpwright;
using namespace warpwright::vdevice;

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
  return context;
}

CheckShapes choose(llvm::StringRef text) {
  Annotation annotation = checkAnnotation(parseAnnotation(text), context()).annotation;
  return chooseCheckShapes(completeShapes(annotation, context()), annotation, context(), {});
}

std::vector<std::string> labels(const CheckShapes &shapes, bool edges) {
  std::vector<std::string> result;
  for (const CheckShape &shape : shapes.shapes)
    if ((shape.role == CheckShape::Role::Edge) == edges)
      result.push_back(shape.label);
  return result;
}

TEST(CheckShapes, ShrinksAllSizesAlikeAndKeepsPowersOfTwo) {
  CheckShapes shapes =
      choose("grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), out(b[m * n]), "
             "shape(m = 4096, n = 4096, k = 2048), shape(m = 129, n = 65, k = 200), "
             "shape(m = 100, n = 7, k = 64)");
  EXPECT_EQ(labels(shapes, false),
            (std::vector<std::string>{"k = 64, m = 128, n = 128", "k = 200, m = 129, n = 65",
                                      "k = 64, m = 100, n = 7"}));
}

TEST(CheckShapes, KeepsResidues) {
  CheckShapes shapes = choose("grid(ceil_div(n, 256)), block(256), in(a[n]), shape(n = 1000003)");
  ASSERT_FALSE(shapes.shapes.empty());
  int64_t n = std::get<int64_t>(shapes.shapes.front().shape.values.at("n"));
  EXPECT_EQ(n % 64, 1000003 % 64);
  EXPECT_LE(n, 16384);
  EXPECT_GT(n, 4096);
}

TEST(CheckShapes, KeepsCountsOfFewThings) {
  CheckShapes shapes = choose("grid(ceil_div(n, 256)), block(256), in(a[n * m]), shape(n = 1048576, m = 3)");
  EXPECT_EQ(shapes.shapes.front().label, "m = 3, n = 16384");
  std::vector<std::string> edges = labels(shapes, true);
  EXPECT_TRUE(llvm::is_contained(edges, "m = 0, n = 16384"));
  EXPECT_TRUE(llvm::is_contained(edges, "m = 4, n = 16384"));
}

TEST(CheckShapes, StaysInTheDomain) {
  CheckShapes shapes = choose("grid(n / 32), block(32), require(n % 32 == 0), require(m >= 2), in(a[n * m]), "
                              "shape(n = 65536, m = 32)");
  for (const CheckShape &shape : shapes.shapes) {
    EXPECT_EQ(std::get<int64_t>(shape.shape.values.at("n")) % 32, 0) << shape.label;
    EXPECT_GE(std::get<int64_t>(shape.shape.values.at("m")), 2) << shape.label;
  }
}

TEST(CheckShapes, GoesToTheEdges) {
  std::vector<std::string> edges = labels(
      choose("grid(max(ceil_div(n, 128), 1)), block(128), in(a[max(n, 0)]), shape(n = 4096, alpha = 0.5)"),
      true);
  for (const char *edge :
       {"alpha = 0.5, n = 0", "alpha = 0.5, n = 1", "alpha = 0.5, n = -1", "alpha = 0.5, n = 37",
        "alpha = 0.5, n = 127", "alpha = 0.5, n = 129", "alpha = 0, n = 4096", "alpha = -1, n = 4096"})
    EXPECT_TRUE(llvm::is_contained(edges, edge)) << edge;
}

TEST(CheckShapes, SaysWhatCannotBeShrunk) {
  CheckShapes shapes = choose("grid(n), block(32), require(n > 100000), in(a[n]), shape(n = 1048576)");
  EXPECT_TRUE(shapes.shapes.empty());
  EXPECT_NE(shapes.note.find("no small shape like 'n = 1048576' can be launched"), std::string::npos)
      << shapes.note;
}

/// Tile shapes of a kernel that makes `accesses` on a main shape of 32 each.
std::vector<std::string> tiles(llvm::StringRef text, llvm::function_ref<double(const Shape &)> accesses) {
  Annotation annotation = checkAnnotation(parseAnnotation(text), context()).annotation;
  Shape main = completeShapes(annotation, context()).shapes.front();
  std::vector<std::string> sizes;
  for (auto &[name, value] : main.values)
    if (std::holds_alternative<int64_t>(value)) {
      value = int64_t(32);
      sizes.push_back(name);
    }
  std::vector<std::string> labels;
  for (const CheckShape &shape : chooseTileShapes(main, sizes, annotation, context(), {}, accesses))
    labels.push_back(shape.label);
  return labels;
}

double product(const Shape &shape) {
  double all = 2;
  for (const auto &[name, value] : shape.values)
    if (const auto *integer = std::get_if<int64_t>(&value))
      all *= static_cast<double>(*integer);
  return all;
}

TEST(TileShapes, HasSeveralTilesInEachDirection) {
  std::vector<std::string> labels =
      tiles("grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), out(b[m * n]), "
            "shape(m = 512, n = 512, k = 512)",
            product);
  for (const char *label :
       {"k = 32, m = 256, n = 256", "k = 128, m = 128, n = 128", "k = 4, m = 161, n = 161"})
    EXPECT_TRUE(llvm::is_contained(labels, label)) << label;
  for (const char *part : {"k = 293", "m = 293", "n = 293", "k = 2085", "m = 2085", "n = 2085"})
    EXPECT_TRUE(llvm::any_of(labels, [&](const std::string &label) {
      return llvm::StringRef(label).contains(part);
    })) << part;
}

TEST(TileShapes, TakesOneDirectionAloneWhereAllAreTooMuch) {
  std::vector<std::string> labels = tiles("grid(m, n), block(32), out(b[m * n]), shape(m = 512, n = 512)",
                                          [](const Shape &shape) { return 400 * product(shape); });
  EXPECT_TRUE(llvm::is_contained(labels, "m = 64, n = 32"));
  EXPECT_TRUE(llvm::is_contained(labels, "m = 32, n = 64"));
}

TEST(TileShapes, StaysInTheDomain) {
  std::vector<std::string> labels =
      tiles("grid(n / 32), block(32), require(n % 32 == 0), in(a[n]), shape(n = 1048576)", product);
  EXPECT_TRUE(llvm::is_contained(labels, "n = 288"));
  EXPECT_FALSE(llvm::is_contained(labels, "n = 293"));
}

/// Labels of the shapes on both sides of a guard, around m = n = 512, k = 20.
std::vector<std::string> guardEdges(llvm::StringRef guard, llvm::StringRef require = "m >= 0") {
  Annotation annotation =
      checkAnnotation(
          parseAnnotation(("grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), require(" + require +
                           "), in(a[m * k]), out(b[m * n]), shape(m = 512, n = 512, k = 20)")
                              .str()),
          context())
          .annotation;
  std::vector<std::string> result;
  for (const CheckShape &shape : chooseGuardEdges(llvm::cantFail(ScalarExpression::parse(guard)),
                                                  completeShapes(annotation, context()).shapes.front(),
                                                  annotation, context(), TileBudget().fit))
    result.push_back(shape.label);
  return result;
}

using Labels = std::vector<std::string>;

TEST(GuardEdges, LieOnBothSides) {
  EXPECT_EQ(guardEdges("m >= 1024"),
            (Labels{"k = 20, m = 1023, n = 37", "k = 20, m = 1024, n = 37", "k = 20, m = 1025, n = 37"}));
  EXPECT_EQ(guardEdges("n % 4 == 0"),
            (Labels{"k = 20, m = 37, n = 3", "k = 20, m = 37, n = 4", "k = 20, m = 37, n = 5"}));
  // 1000 / 37 is 27 and a part.
  EXPECT_EQ(guardEdges("m * n >= 1000"),
            (Labels{"k = 20, m = 27, n = 37", "k = 20, m = 28, n = 37", "k = 20, m = 29, n = 37"}));
}

TEST(GuardEdges, StayInTheDomain) {
  EXPECT_EQ(guardEdges("m >= 1024", "m % 2 == 0"), (Labels{"k = 20, m = 1024, n = 37"}));
  EXPECT_EQ(guardEdges("m >= 1099511627776"), Labels());
  EXPECT_EQ(guardEdges("1"), Labels());
  EXPECT_EQ(guardEdges("z >= 64"), Labels());
}

} // namespace
