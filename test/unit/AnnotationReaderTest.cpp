#include "analysis/annotation/AnnotationReader.h"
#include "analysis/annotation/Shapes.h"
#include "test/unit/Paths.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/Tooling.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

constexpr llvm::StringLiteral Prelude = "#include <warpwright/annotate.h>\n"
                                        "#define __global__ __attribute__((global))\n"
                                        "#define __host__ __attribute__((host))\n";
constexpr unsigned PreludeLines = 3;

/// "line:column: message" of every diagnostic, lines counted behind the prelude; notes indented.
class Recorder : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &diagnostic) override {
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    clang::PresumedLoc place = diagnostic.getSourceManager().getPresumedLoc(diagnostic.getLocation());
    if (level == clang::DiagnosticsEngine::Note) {
      text += ("  " + message + "\n").str();
      return;
    }
    text += (level == clang::DiagnosticsEngine::Warning ? "" : "not a warning: ");
    text += std::to_string(place.getLine() - PreludeLines) + ":" + std::to_string(place.getColumn()) + ": ";
    text += (message + "\n").str();
  }
  std::string text;
};

class KernelFinder : public clang::RecursiveASTVisitor<KernelFinder> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl *function) {
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->isThisDeclarationADefinition() &&
        !function->isDependentContext())
      kernels.push_back(function);
    return true;
  }
  std::vector<const clang::FunctionDecl *> kernels;
};

/// A parsed file with its kernels' annotations and all that was said about them.
struct Unit {
  explicit Unit(llvm::StringRef code, std::vector<std::string> extra = {}) {
    std::vector<std::string> arguments = {"-x",
                                          "cuda",
                                          "--cuda-device-only",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "-std=c++17",
                                          "--cuda-gpu-arch=sm_90",
                                          "-Wno-everything",
                                          "-I" WARPWRIGHT_SOURCE_DIR "/include"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    ast = clang::tooling::buildASTFromCodeWithArgs((Prelude + code).str(), arguments, "kernel.cu");
    parsed = ast && !ast->getDiagnostics().hasErrorOccurred();
    if (!parsed)
      return;
    clang::DiagnosticsEngine &engine = ast->getDiagnostics();
    engine.setClient(&recorder, /*ShouldOwnClient=*/false);
    engine.setIgnoreAllWarnings(false);
    AnnotationReader::Options options;
    options.preprocessor = &ast->getPreprocessor();
    options.rewriters = {"pad-shared-array"};
    AnnotationReader reader(ast->getASTContext(), options);
    KernelFinder finder;
    finder.TraverseDecl(ast->getASTContext().getTranslationUnitDecl());
    for (const clang::FunctionDecl *kernel : finder.kernels)
      if (std::optional<KernelAnnotation> annotation = reader.read(*kernel))
        annotations.push_back(std::move(*annotation));
    reader.reportMisplaced();
  }

  std::string sourceOf(const KernelAnnotation &annotation, TextRange range) const {
    return clang::Lexer::getSourceText(annotation.source.rangeOf(range), ast->getSourceManager(),
                                       ast->getLangOpts())
        .str();
  }

  Recorder recorder;
  std::unique_ptr<clang::ASTUnit> ast;
  bool parsed = false;
  std::vector<KernelAnnotation> annotations;
};

std::string mistakesOf(llvm::StringRef code) {
  Unit unit(code);
  return unit.parsed ? unit.recorder.text : "does not parse";
}

TEST(AnnotationReader, ReadsTheAnnotationOfAKernel) {
  Unit unit("KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(x[n]), out(y[n]), shape(n = 1000))\n"
            "__global__ void scale(const float *x, float *y, int n) {}\n");
  ASSERT_TRUE(unit.parsed);
  EXPECT_EQ(unit.recorder.text, "");
  ASSERT_EQ(unit.annotations.size(), 1u);
  const KernelAnnotation &read = unit.annotations[0];
  EXPECT_EQ(read.context.kernel, "scale");
  EXPECT_TRUE(read.context.find("x")->pointeeIsConst);
  EXPECT_EQ(read.context.find("y")->type.kind, ElementKind::Float);
  llvm::Expected<Shape> shape = resolveShape(read.annotation.shapes[0], read.context);
  ASSERT_TRUE(static_cast<bool>(shape));
  llvm::Expected<Launch> launch = evaluateLaunch(read.annotation, *shape, read.context);
  ASSERT_TRUE(static_cast<bool>(launch)) << llvm::toString(launch.takeError());
  EXPECT_EQ(launch->grid, (Dim3{4, 1, 1}));
}

TEST(AnnotationReader, PointsAtTheClauseInTheFile) {
  EXPECT_EQ(
      mistakesOf("KERNEL_OPTIMIZE(grid(n), // one block a row\n"
                 "                blok(256), /* threads */ in(q[n]),\n"
                 "                out(x[n\n"
                 "                      * m]))\n"
                 "__global__ void k(const float *x, int n) {}\n"),
      "2:17: unknown clause 'blok' [warpwright-annotation]\n  did you mean 'block'?\n"
      "2:45: 'q' is no parameter of the kernel [warpwright-annotation]\n"
      "3:21: out() is written, but 'x' points to const 'float' [warpwright-annotation]\n"
      "4:25: 'm' is no parameter of the kernel and no constant that it can see [warpwright-annotation]\n");
}

TEST(AnnotationReader, PointsAtTheMacroWhereTheTextIsNotInTheFile) {
  EXPECT_EQ(
      mistakesOf("#define ROWS(...) KERNEL_OPTIMIZE(block(256), __VA_ARGS__)\n"
                 "  ROWS(grid(m))\n"
                 "__global__ void k(int n) {}\n"),
      "2:3: 'm' is no parameter of the kernel and no constant that it can see [warpwright-annotation]\n");
  EXPECT_EQ(mistakesOf("#define ROWS(...) KERNEL_OPTIMIZE(block(256), __VA_ARGS__)\n"
                       "  ROWS(grid(n))\n"
                       "__global__ void k(int n) {}\n"),
            "");
}

TEST(AnnotationReader, LeadsRangesBackToTheFile) {
  Unit unit("KERNEL_OPTIMIZE(block(/* x */ 16,\n   16), grid(n))\n__global__ void k(int n) {}\n");
  ASSERT_EQ(unit.annotations.size(), 1u);
  const KernelAnnotation &read = unit.annotations[0];
  EXPECT_TRUE(read.source.exact());
  EXPECT_EQ(unit.sourceOf(read, read.annotation.block->range), "block(/* x */ 16,\n   16)");
  EXPECT_EQ(unit.sourceOf(read, read.annotation.grid->extents[0].range()), "n");
}

TEST(AnnotationReader, StandsWhereKernelsAreDeclared) {
  Unit unit(
      "namespace a { namespace { KERNEL_OPTIMIZE(block(1)) __global__ void one(int n) {} } }\n"
      "extern \"C\" KERNEL_OPTIMIZE(block(2)) __global__ void two(int n) {}\n"
      "extern \"C\" { KERNEL_OPTIMIZE(block(3)) __global__ void three(int n) {} }\n"
      "KERNEL_OPTIMIZE(block(4)) static __global__ void four(int n) {}\n"
      "__global__ KERNEL_OPTIMIZE(block(5)) void five(int n) {}\n"
      "template <int T> KERNEL_OPTIMIZE(block(T)) __global__ void six(int n) {}\n"
      "template __global__ void six<6>(int);\n"
      "struct S { template <int T> KERNEL_OPTIMIZE(block(T)) static __global__ void seven(int n) {} };\n"
      "template __global__ void S::seven<7>(int);\n"
      "KERNEL_OPTIMIZE(block(8)) __global__ void eight(int n);\n"
      "__global__ void eight(int n) {}\n");
  ASSERT_TRUE(unit.parsed);
  EXPECT_EQ(unit.recorder.text, "");
  std::vector<int64_t> blocks;
  std::vector<std::string> names;
  for (const KernelAnnotation &read : unit.annotations) {
    ScalarValues constants = read.context.constantValues();
    llvm::Expected<int64_t> block = read.annotation.block->extents[0].evaluate(constants);
    ASSERT_TRUE(static_cast<bool>(block)) << llvm::toString(block.takeError());
    blocks.push_back(*block);
    names.push_back(read.context.kernel);
  }
  llvm::sort(blocks);
  EXPECT_EQ(blocks, (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(llvm::is_contained(names, "six<6>"));
  EXPECT_TRUE(llvm::is_contained(names, "S::seven<7>"));
}

TEST(AnnotationReader, KnowsTheConstantsThatAKernelSees) {
  Unit unit("#define ROWS 4\n#define THREADS (ROWS * kWarp)\n"
            "constexpr int kWarp = 32;\nenum { Many = 3 };\nenum class E { Few = 2 };\n"
            "namespace cfg { const int tile = 16; struct Policy { static constexpr int unroll = 8; }; }\n"
            "using Default = cfg::Policy;\n"
            "namespace n { using namespace cfg; constexpr int own = 5;\n"
            "template <class P, typename T, int N>\n"
            "KERNEL_OPTIMIZE(grid(THREADS, Many, E::Few), block(P::unroll, Default::unroll, tile),\n"
            "                dynamic_shared(own + cfg::tile + sizeof(T) + N + sizeof(float)))\n"
            "__global__ void k(T *x) {}\n"
            "template __global__ void k<Default, double, 7>(double *);\n}\n");
  ASSERT_TRUE(unit.parsed);
  EXPECT_EQ(unit.recorder.text, "");
  ASSERT_EQ(unit.annotations.size(), 1u);
  const KernelAnnotation &read = unit.annotations[0];
  llvm::Expected<Launch> launch = evaluateLaunch(read.annotation, {}, read.context);
  ASSERT_TRUE(static_cast<bool>(launch)) << llvm::toString(launch.takeError());
  EXPECT_EQ(launch->grid, (Dim3{128, 3, 2}));
  EXPECT_EQ(launch->block, (Dim3{8, 8, 16}));
  EXPECT_EQ(launch->dynamicSharedBytes, 5u + 16 + 8 + 7 + 4);
  EXPECT_EQ(read.context.find("x")->type.kind, ElementKind::Double);
}

TEST(AnnotationReader, TakesNoVariableForAConstant) {
  EXPECT_EQ(mistakesOf("int count = 3; extern const int later;\n"
                       "KERNEL_OPTIMIZE(grid(count), block(later))\n"
                       "__global__ void k() {}\n"),
            "2:22: 'count' is no parameter of the kernel and no constant that it can see "
            "[warpwright-annotation]\n");
}

TEST(AnnotationReader, DescribesStructsAndNumbers) {
  Unit unit("struct __half { unsigned short x; }; struct float4 { float x, y, z, w; };\n"
            "struct Base { long base; }; struct Inner { int m; };\n"
            "struct Size : Base { int n; float s; Inner inner; const float *data; };\n"
            "KERNEL_OPTIMIZE(grid(p.n * p.inner.m + p.base), in(p.data[p.n]), in(h[n]), in(v[n]))\n"
            "__global__ void k(Size p, const __half *h, const float4 *v, __half alpha, unsigned char n, "
            "double s) {}\n");
  ASSERT_TRUE(unit.parsed);
  EXPECT_EQ(unit.recorder.text, "");
  ASSERT_EQ(unit.annotations.size(), 1u);
  const AnnotationContext &context = unit.annotations[0].context;
  EXPECT_EQ(context.find("p")->kind, ParameterKind::Struct);
  EXPECT_EQ(context.find("p.data")->kind, ParameterKind::Pointer);
  EXPECT_EQ(context.find("p.inner.m")->kind, ParameterKind::Integer);
  EXPECT_EQ(context.find("h")->type.kind, ElementKind::Half);
  EXPECT_EQ(context.find("v")->type.kind, ElementKind::Float);
  EXPECT_EQ(context.find("v")->type.bytes, 16u);
  EXPECT_EQ(context.find("alpha")->kind, ParameterKind::Floating);
  EXPECT_FALSE(context.find("n")->type.isSigned);
  EXPECT_EQ(context.find("s")->type.kind, ElementKind::Double);
}

TEST(AnnotationReader, SaysAMistakeOfATemplateOnce) {
  EXPECT_EQ(
      mistakesOf("template <int T> KERNEL_OPTIMIZE(grid(q)) __global__ void k(int n) {}\n"
                 "template __global__ void k<1>(int);\ntemplate __global__ void k<2>(int);\n"),
      "1:39: 'q' is no parameter of the kernel and no constant that it can see [warpwright-annotation]\n");
}

TEST(AnnotationReader, ReportsWhatIsMisplaced) {
  EXPECT_EQ(mistakesOf("KERNEL_OPTIMIZE(grid(1)) void host() {}\n"),
            "1:1: 'host' is annotated, but it is no kernel [warpwright-annotation]\n"
            "  the annotation stands before a function with __global__\n");
  EXPECT_EQ(mistakesOf("namespace n { KERNEL_OPTIMIZE(grid(1)) int variable; }\n"),
            "1:15: 'variable' is annotated, but it is no kernel [warpwright-annotation]\n"
            "  the annotation stands before a function with __global__\n");
  EXPECT_EQ(
      mistakesOf("KERNEL_OPTIMIZE(grid(1)) __global__ void k(int n);\n"),
      "1:1: the kernel 'k' is annotated, but has no body in this translation unit [warpwright-annotation]\n"
      "  annotate the definition\n");
  EXPECT_EQ(mistakesOf("template <int T> KERNEL_OPTIMIZE(grid(1)) __global__ void k(int n) {}\n"),
            "1:18: the kernel template 'k' is annotated, but never instantiated in this translation unit "
            "[warpwright-annotation]\n");
  EXPECT_EQ(mistakesOf("KERNEL_OPTIMIZE(grid(1)) KERNEL_OPTIMIZE(grid(2)) __global__ void k() {}\n"),
            "1:26: the kernel is annotated twice [warpwright-annotation]\n  the first annotation counts\n");
}

TEST(AnnotationReader, SaysNothingOfOtherAttributes) {
  Unit unit("__attribute__((annotate(\"mine\"))) __global__ void k() {}\n");
  ASSERT_TRUE(unit.parsed);
  EXPECT_TRUE(unit.annotations.empty());
  EXPECT_EQ(unit.recorder.text, "");
}

TEST(AnnotationReader, ReadsWhileTheToolPretendsToBeNvcc) {
  constexpr llvm::StringLiteral Code = "KERNEL_OPTIMIZE(grid(1)) __global__ void k() {}\n";
  EXPECT_EQ(Unit(Code, {"-D__WARPWRIGHT__=1", "-D__NVCC__=1"}).annotations.size(), 1u);
  EXPECT_EQ(Unit(Code, {"-D__NVCC__=1"}).annotations.size(), 0u);
}

/// The annotations of twelve kernels as their authors wrote them.
constexpr llvm::StringLiteral Suite = R"cuda(
KERNEL_OPTIMIZE(grid(seq / 32, heads), block(32, 8), require(seq % 32 == 0),
                in(q[heads * seq * 64]), in(k[heads * seq * 64]), in(v[heads * seq * 64]), out(o[heads * seq * 64]),
                shape(heads = 64, seq = 512), shape(heads = 16, seq = 2048), shape(heads = 2, seq = 64),
                init(q, normal(0, 1)), init(k, normal(0, 1)), init(v, normal(0, 1)), tolerance(rel = 1e-3), allow(reassociate))
__global__ void attention(const float* q, const float* k, const float* v, float* o, int heads, int seq) {}
KERNEL_OPTIMIZE(grid(ceil_div(rows * cols, 128)), block(128), in(x[rows * cols]), in(bias[cols]), out(y[rows * cols]),
                shape(rows = 4096, cols = 4096), shape(rows = 1024, cols = 16384), shape(rows = 7, cols = 33),
                tolerance(rel = 1e-3, abs = 1e-6))
__global__ void bias_gelu(const float* x, const float* bias, float* y, int rows, int cols) {}
KERNEL_OPTIMIZE(grid(ceil_div(w, 16), ceil_div(h, 16), batch * outputs), block(16, 16),
                in(x[batch * channels * h * w]), in(weight[outputs * channels * 9]), out(y[batch * outputs * h * w]),
                shape(batch = 16, channels = 64, outputs = 64, h = 56, w = 56),
                shape(batch = 2, channels = 3, outputs = 16, h = 224, w = 224),
                shape(batch = 1, channels = 2, outputs = 3, h = 5, w = 7), tolerance(rel = 1e-3), allow(reassociate))
__global__ void conv2d(const float* x, const float* weight, float* y, int batch, int channels, int outputs, int h, int w) {}
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16),
                in(a[m * k]), in(b[k * n]), out(c[m * n]),
                shape(m = 4096, n = 4096, k = 4096), shape(m = 1024, n = 1024, k = 1024),
                shape(m = 129, n = 65, k = 200), shape(m = 16, n = 4096, k = 1000),
                tolerance(rel = 1e-3), allow(reassociate))
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {}
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(data[n]), inout(bins[256]), init(data, integers(0, 255)), init(bins, zeros),
                shape(n = 16777216), shape(n = 100000), shape(n = 13), tolerance(exact))
__global__ void histogram(const int* data, int* bins, int n) {}
KERNEL_OPTIMIZE(grid(rows), block(256), in(x[rows * cols]), in(gain[cols]), in(bias[cols]), out(y[rows * cols]),
                shape(rows = 4096, cols = 4096), shape(rows = 16384, cols = 768), shape(rows = 3, cols = 1000),
                tolerance(rel = 1e-3), allow(reassociate))
__global__ void layernorm(const float* x, const float* gain, const float* bias, float* y, int rows, int cols) {}
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(a[rows * cols]), in(x[cols]), out(y[rows]),
                shape(rows = 8192, cols = 8192), shape(rows = 300, cols = 20000), shape(rows = 9, cols = 5),
                tolerance(rel = 1e-3), allow(reassociate))
__global__ void matvec(const float* a, const float* x, float* y, int rows, int cols) {}
KERNEL_OPTIMIZE(grid(ceil_div(n, 256)), block(256), in(in[n]), inout(out[1]), init(in, uniform(0, 1)), init(out, zeros),
                shape(n = 134217728), shape(n = 1048576), shape(n = 1000), shape(n = 7),
                tolerance(rel = 1e-3), allow(reassociate))
__global__ void reduce_sum(const float* in, float* out, int n) {}
KERNEL_OPTIMIZE(grid(ceil_div(rows, 128)), block(128), in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 4096, cols = 4096), shape(rows = 1024, cols = 16384), shape(rows = 65536, cols = 64),
                shape(rows = 5, cols = 3), init(in, normal(0, 3)), tolerance(rel = 1e-3), allow(reassociate))
__global__ void softmax_rows(const float* in, float* out, int rows, int cols) {}
KERNEL_OPTIMIZE(grid(ceil_div(n, 16), ceil_div(n, 16)), block(16, 16), in(in[n * n]), inout(out[n * n]), init(out, zeros),
                shape(n = 8192), shape(n = 1000), shape(n = 5), tolerance(rel = 1e-5), allow(reassociate))
__global__ void stencil2d(const float* in, float* out, int n) {}
KERNEL_OPTIMIZE(grid(ceil_div(cols, 32), ceil_div(rows, 8)), block(32, 8),
                in(in[rows * cols]), out(out[rows * cols]),
                shape(rows = 8192, cols = 8192), shape(rows = 1000, cols = 4001), shape(rows = 33, cols = 31),
                tolerance(exact))
__global__ void transpose(const float* in, float* out, int rows, int cols) {}
KERNEL_OPTIMIZE(grid(n / 32, n / 32), block(32, 8), require(n % 32 == 0), in(in[n * n]), out(out[n * n]),
                shape(n = 8192), shape(n = 1024), shape(n = 96), tolerance(exact))
__global__ void transpose_tile(const float* in, float* out, int n) {}
)cuda";

TEST(AnnotationReader, AcceptsTheSuite) {
  Unit unit(Suite);
  ASSERT_TRUE(unit.parsed);
  EXPECT_EQ(unit.recorder.text, "");
  EXPECT_EQ(unit.annotations.size(), 12u);
  for (const KernelAnnotation &read : unit.annotations) {
    ShapeFamily family = completeShapes(read.annotation, read.context);
    EXPECT_GE(family.shapes.size(), 3u) << read.context.kernel;
    for (const Shape &shape : family.shapes) {
      EXPECT_FALSE(shape.completed()) << read.context.kernel;
      EXPECT_TRUE(unboundScalars(shape, read.context).empty()) << read.context.kernel;
      llvm::Expected<Launch> launch = evaluateLaunch(read.annotation, shape, read.context);
      EXPECT_TRUE(static_cast<bool>(launch)) << llvm::toString(launch.takeError());
      llvm::Expected<std::map<std::string, uint64_t>> extents =
          evaluateExtents(read.annotation, shape, read.context);
      ASSERT_TRUE(static_cast<bool>(extents)) << llvm::toString(extents.takeError());
      EXPECT_EQ(extents->size(), read.annotation.buffers.size());
    }
  }
}

} // namespace
