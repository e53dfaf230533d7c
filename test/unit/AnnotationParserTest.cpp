#include "analysis/annotation/Annotation.h"
#include "analysis/annotation/AnnotationCheck.h"
#include "analysis/annotation/Shapes.h"
#include "test/unit/Paths.h"

#include <gtest/gtest.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>

#include <random>

using namespace warpwright;

namespace {

constexpr const char *Gemm =
    "grid(ceil_div(n, 16), ceil_div(m, 16)), block(16, 16), in(a[m * k]), in(b[k * n]), "
    "out(c[m * n]), shape(m = 4096, n = 4096, k = 4096), shape(m = 129, n = 65, k = 200), "
    "tolerance(rel = 1e-3), allow(reassociate)";

/// "id@offset: message" of every diagnostic, one a line; with the note in brackets.
std::string mistakesOf(const ParsedAnnotation &parsed) {
  std::string all;
  for (const AnnotationDiagnostic &diagnostic : parsed.diagnostics) {
    all += (idOf(diagnostic.id) + "@" + llvm::Twine(diagnostic.offset) + ": " + diagnostic.message).str();
    all += (diagnostic.note.empty() ? "" : " [" + diagnostic.note + "]") + "\n";
  }
  return all;
}
std::string mistakesOf(llvm::StringRef text) {
  return mistakesOf(parseAnnotation(text));
}

llvm::StringRef textAt(const Annotation &annotation, TextRange range) {
  return llvm::StringRef(annotation.text).substr(range.offset, range.length);
}

TEST(AnnotationParser, ReadsAWholeAnnotation) {
  ParsedAnnotation parsed = parseAnnotation(Gemm);
  EXPECT_EQ(mistakesOf(parsed), "");
  const Annotation &annotation = parsed.annotation;
  ASSERT_TRUE(annotation.grid && annotation.block);
  EXPECT_EQ(annotation.grid->extents[1].str(), "ceil_div(m, 16)");
  EXPECT_EQ(textAt(annotation, annotation.grid->range), "grid(ceil_div(n, 16), ceil_div(m, 16))");
  EXPECT_EQ(textAt(annotation, annotation.grid->extents[1].range()), "ceil_div(m, 16)");
  EXPECT_EQ(annotation.block->extents.size(), 2u);
  ASSERT_EQ(annotation.buffers.size(), 3u);
  EXPECT_EQ(annotation.buffers[2].direction, BufferDirection::Out);
  EXPECT_EQ(annotation.buffers[2].extent->str(), "m * n");
  EXPECT_EQ(textAt(annotation, annotation.buffers[2].range), "c[m * n]");
  ASSERT_EQ(annotation.shapes.size(), 2u);
  EXPECT_EQ(annotation.shapes[1].bindings[2].name, "k");
  EXPECT_EQ(annotation.tolerance->relative, 1e-3);
  EXPECT_TRUE(annotation.allows(Permission::Reassociate));
  EXPECT_FALSE(annotation.allows(Permission::FastMath));
  EXPECT_TRUE(annotation.areDistinct("a", "c"));
  EXPECT_FALSE(annotation.areDistinct("a", "a"));
  EXPECT_FALSE(annotation.areDistinct("a", "d"));
}

TEST(AnnotationParser, ReadsEveryClause) {
  ParsedAnnotation parsed = parseAnnotation(
      "dynamic_shared(4 * n), inout(p.data[n], q), init(a, uniform(-1, 2.5)), init(b, normal(0, 3e-1f)), "
      "init(c, integers(0, n - 1)), init(d, zeros), init(e, ones), init(f, permutation), require(n % 32 == "
      "0), "
      "aligned(a, 16), may_alias(a, b), forbid(pad-shared-array, bound-launch), max_registers(64), "
      "goal(latency), "
      "reference(cub::DeviceReduce::Sum), shape(n = -3, scale = -0.5), tolerance(abs = 1e-6, bias = 1e-4), "
      "allow(fast_math, dispatch)");
  EXPECT_EQ(mistakesOf(parsed), "");
  const Annotation &annotation = parsed.annotation;
  EXPECT_EQ(annotation.dynamicShared->value.str(), "4 * n");
  EXPECT_EQ(annotation.buffers[0].name, "p.data");
  EXPECT_FALSE(annotation.buffers[1].extent);
  EXPECT_EQ(annotation.findInit("a")->initialiser.first, -1);
  EXPECT_EQ(annotation.findInit("a")->initialiser.second, 2.5);
  EXPECT_NEAR(annotation.findInit("b")->initialiser.second, 0.3, 1e-12);
  EXPECT_EQ(annotation.findInit("c")->initialiser.high->str(), "n - 1");
  EXPECT_EQ(annotation.findInit("f")->initialiser.distribution, Distribution::Permutation);
  EXPECT_EQ(annotation.requirements[0].value.str(), "n % 32 == 0");
  EXPECT_EQ(annotation.alignmentOf("a"), 16u);
  EXPECT_EQ(annotation.alignmentOf("b"), 0u);
  EXPECT_TRUE(annotation.mayAlias("b", "a"));
  EXPECT_FALSE(annotation.mayAlias("a", "c"));
  EXPECT_TRUE(annotation.forbids("bound-launch"));
  EXPECT_FALSE(annotation.forbids("demote-double"));
  EXPECT_EQ(textAt(annotation, annotation.forbidden[1].range), "bound-launch");
  EXPECT_EQ(annotation.maxRegisters->count, 64u);
  EXPECT_EQ(annotation.goal->goal, Goal::Latency);
  EXPECT_EQ(annotation.reference->call, "cub::DeviceReduce::Sum");
  EXPECT_EQ(std::get<double>(annotation.shapes[0].bindings[1].value), -0.5);
  EXPECT_EQ(annotation.tolerance->absolute, 1e-6);
  EXPECT_TRUE(annotation.allows(Permission::Dispatch));
}

TEST(AnnotationParser, AcceptsTextAsPeopleWriteIt) {
  EXPECT_EQ(mistakesOf(""), "");
  EXPECT_EQ(mistakesOf("grid(n), // blocks )\n  /* threads ( */ block(\n 16 ),"), "");
  EXPECT_EQ(mistakesOf("reference(\"cublasSgemm(\"), grid(1)"), "");
  EXPECT_EQ(mistakesOf("in(in[block]), out(out[grid]), shape(block = 3, grid = 4)"), "");
  EXPECT_EQ(mistakesOf("block(1'024)"), "");
}

TEST(AnnotationParser, RecoversAtTheNextClause) {
  ParsedAnnotation parsed = parseAnnotation(
      "grid(n +), blok(16), in(a[), shape(n = ), block(16), out(b[n]), goal(fast), allow(magic)");
  EXPECT_EQ(mistakesOf(parsed),
            "bad-expression@8: expected a number, a name or '(', found the end of the clause\n"
            "unknown-clause@11: unknown clause 'blok' [did you mean 'block'?]\n"
            "bad-expression@26: expected a number, a name or '(', found the end of the clause\n"
            "bad-expression@39: expected a number, a name or '(', found the end of the clause\n"
            "unknown-word@69: unknown goal 'fast' [latency and throughput are known]\n"
            "unknown-word@82: unknown permission 'magic' [dispatch, fast_math, launch_change, reassociate, "
            "tensor_cores are known]\n");
  EXPECT_TRUE(parsed.annotation.block);
  EXPECT_FALSE(parsed.annotation.grid);
  ASSERT_EQ(parsed.annotation.buffers.size(), 1u);
  EXPECT_EQ(parsed.annotation.buffers[0].name, "b");
}

TEST(AnnotationParser, NamesEachMistakeInTheTextItself) {
  EXPECT_EQ(mistakesOf("grid(1) block(1)"), "missing-comma@8: expected ',' before 'block'\n");
  EXPECT_EQ(mistakesOf("grid(1); block(1)"), "unknown-clause@7: expected ',' or a clause, found ';'\n");
  EXPECT_EQ(mistakesOf("grid(1), 16, block(1)"), "unknown-clause@9: expected a clause, found '16'\n");
  EXPECT_EQ(mistakesOf("grid, block(1)"), "bad-argument@0: 'grid' needs arguments in parentheses\n");
  EXPECT_EQ(mistakesOf("grid((1), block(1)"), "bad-argument@0: the '(' of 'grid' is never closed\n");
  EXPECT_EQ(mistakesOf("block(1), block(2)"),
            "repeated-clause@10: 'block' is given twice [the first one counts]\n");
  EXPECT_EQ(mistakesOf("grid(1, 2, 3, 4)"), "bad-argument@14: there are at most three extents\n");
  EXPECT_EQ(mistakesOf("grid(1,)"), "bad-argument@6: nothing follows the ','\n");
  EXPECT_EQ(mistakesOf("dynamic_shared(1, 2)"), "bad-argument@16: too many arguments\n");
  EXPECT_EQ(mistakesOf("require(n = 3)"),
            "bad-expression@10: '=' is not an operator of expressions [did you mean '=='?]\n");
  EXPECT_EQ(mistakesOf("in(3)"), "bad-argument@3: expected the name of a pointer, found '3'\n");
  EXPECT_EQ(mistakesOf("in(a[m][n])"),
            "bad-argument@7: a buffer has one extent [multiply the extents: a[rows * columns]]\n");
  EXPECT_EQ(mistakesOf("shape(n)"),
            "bad-argument@7: expected '=' and a value, found the end of the clause\n");
  EXPECT_EQ(mistakesOf("shape(n = 1, n = 2)"), "repeated-name@13: 'n' is given twice\n");
  EXPECT_EQ(mistakesOf("init(a)"),
            "bad-argument@6: expected ',' and an initialisation, found the end of the clause\n");
  EXPECT_EQ(mistakesOf("init(a, unifrom(0, 1))"),
            "unknown-word@8: unknown initialisation 'unifrom' [did you mean 'uniform'?]\n");
  EXPECT_EQ(mistakesOf("init(a, uniform(0))"),
            "bad-argument@17: expected ',' as in uniform(a, b), found ')'\n");
  EXPECT_EQ(mistakesOf("aligned(a, 12)"), "bad-alignment@11: an alignment is a power of two, not 12\n");
  EXPECT_EQ(mistakesOf("aligned(a, n)"), "bad-value@11: a constant is needed here\n");
  EXPECT_EQ(mistakesOf("may_alias(a)"), "bad-alias@10: may_alias takes at least two pointers\n");
  EXPECT_EQ(mistakesOf("may_alias(a, a)"), "bad-alias@13: 'a' is named twice\n");
  EXPECT_EQ(mistakesOf("max_registers(300)"), "bad-value@14: a thread has 1 to 255 registers, not 300\n");
  EXPECT_EQ(mistakesOf("tolerance(rell = 1)"),
            "unknown-word@10: unknown tolerance 'rell' [did you mean 'rel'?]\n");
  EXPECT_EQ(mistakesOf("tolerance(exact, rel = 1)"),
            "bad-tolerance@10: 'exact' stands alone: nothing may differ\n");
  EXPECT_EQ(mistakesOf("forbid(3)"), "bad-argument@7: expected the id of a rewriter, found '3'\n");
  EXPECT_EQ(mistakesOf("reference()"), "bad-argument@10: expected the name of a library call\n");
  EXPECT_EQ(mistakesOf("allow()"),
            "unknown-word@6: unknown permission the end of the clause "
            "[dispatch, fast_math, launch_change, reassociate, tensor_cores are known]\n");
}

TEST(AnnotationParser, StaysOnTheSafeSideOfALostRestriction) {
  const char *buffers = "in(a[n]), out(b[n]), ";
  auto parse = [&](const char *rest) { return parseAnnotation(std::string(buffers) + rest).annotation; };
  EXPECT_TRUE(parse("goal(latency)").areDistinct("a", "b"));
  EXPECT_FALSE(parse("may_alias(a b)").areDistinct("a", "b"));
  EXPECT_FALSE(parse("may_alais(a, b)").areDistinct("a", "b"));
  EXPECT_FALSE(parse("goal(latency)").forbids("bound-launch"));
  EXPECT_TRUE(parse("forbid(+)").forbids("bound-launch"));
  EXPECT_FALSE(toleranceFor(parse("allow(reassociate)"), ElementKind::Float).exact);
  EXPECT_TRUE(toleranceFor(parse("allow(reassociate), tolerance(rel)"), ElementKind::Float).exact);
}

TEST(AnnotationParser, TableIsSorted) {
  EXPECT_TRUE(llvm::is_sorted(allClauses(), [](auto &a, auto &b) { return a.name < b.name; }));
  EXPECT_TRUE(llvm::is_sorted(allMistakes(), [](Mistake a, Mistake b) { return idOf(a) < idOf(b); }));
}

/// The tables of docs/annotation.md as the code knows them.
std::string documentedTables() {
  std::string tables = "| clause | repeatable | says |\n|---|---|---|\n";
  for (const ClauseInfo &info : allClauses())
    tables +=
        ("| `" + info.name + "` | " + (info.repeatable ? "yes" : "no") + " | " + info.doc + " |\n").str();
  tables += "\n| allow | admits to |\n|---|---|\n";
#define WARPWRIGHT_PERMISSION(Enumerator, name, doc) tables += "| `" name "` | " doc " |\n";
#include "analysis/annotation/Permissions.def"
  tables += "\n| mistake | clause | what it is |\n|---|---|---|\n";
#define WARPWRIGHT_MISTAKE(Enumerator, id, severity, doc)                                                    \
  tables += std::string("| " id " | ") +                                                                     \
            (severityOf(Mistake::Enumerator) == AnnotationSeverity::Error ? "left out" : "stands") +         \
            " | " doc " |\n";
#include "analysis/annotation/Mistakes.def"
  return tables;
}

TEST(AnnotationParser, IsDocumented) {
  auto page = llvm::MemoryBuffer::getFile(WARPWRIGHT_SOURCE_DIR "/docs/annotation.md");
  ASSERT_TRUE(static_cast<bool>(page));
  std::string tables;
  bool inTable = false;
  for (llvm::StringRef line : llvm::split((*page)->getBuffer(), '\n')) {
    bool isRow = line.starts_with("|");
    if (isRow && !inTable && !tables.empty())
      tables += "\n";
    inTable = isRow;
    if (isRow)
      tables += (line + "\n").str();
  }
  EXPECT_EQ(tables, documentedTables());
}

AnnotationContext contextForMutants() {
  AnnotationContext context;
  context.kernel = "k";
  for (const char *name : {"m", "n", "k"})
    context.parameters.push_back(
        {name, ParameterKind::Integer, {ElementKind::Integer, "int", 4, true}, false});
  for (const char *name : {"a", "b", "c"})
    context.parameters.push_back(
        {name, ParameterKind::Pointer, {ElementKind::Float, "float", 4, true}, false});
  context.constants["T"] = 16;
  return context;
}

/// One to four random edits: a byte changed, removed or put in, a piece moved from another text.
std::string mutate(std::string text, llvm::ArrayRef<std::string> texts, std::mt19937 &random) {
  static constexpr llvm::StringLiteral Bytes = "()[],=+-*/%<>&|^~!?:.'\"\\ \n0189axn_e\x80";
  auto pick = [&](size_t below) { return below ? random() % below : 0; };
  for (size_t edits = 1 + pick(4); edits > 0; --edits) {
    size_t at = pick(text.size() + 1);
    const std::string &other = texts[pick(texts.size())];
    switch (pick(4)) {
    case 0:
      text.insert(text.begin() + at, Bytes[pick(Bytes.size())]);
      break;
    case 1:
      text.erase(at, 1 + pick(6));
      break;
    case 2:
      if (at < text.size())
        text[at] = Bytes[pick(Bytes.size())];
      break;
    default:
      text.insert(at, other.substr(pick(other.size()), pick(30)));
    }
  }
  return text;
}

TEST(AnnotationParser, SurvivesMutatedText) {
  const std::vector<std::string> texts = {
      Gemm,
      "dynamic_shared((T + 1) * sizeof(float)), inout(c), init(a, integers(0, n - 1)), require(n % 32 == 0), "
      "aligned(a, 16), may_alias(a, b), forbid(pad-shared-array), max_registers(64), goal(latency)",
      "reference(\"x\"), shape(n = 1 << 20, k = 0x10), init(b, normal(-1.5e3f, .5)), tolerance(rel = 1e-3), "
      "block(n > m ? 1'024 : min(T, max(n, 1))), grid(!(n & ~m) || (k ^ 3) >= 2 && n != m)"};
  AnnotationContext context = contextForMutants();
  std::mt19937 random(20240229);
  size_t accepted = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    std::string text = mutate(texts[i % texts.size()], texts, random);
    ParsedAnnotation parsed = checkAnnotation(parseAnnotation(text), context);
    for (const AnnotationDiagnostic &diagnostic : parsed.diagnostics) {
      ASSERT_LE(diagnostic.offset + diagnostic.length, text.size()) << text;
      ASSERT_FALSE(diagnostic.message.empty()) << text;
    }
    accepted += parsed.diagnostics.empty();
    // What the check lets through can be used.
    if (i % 50 == 0)
      for (const Shape &shape : completeShapes(parsed.annotation, context).shapes)
        llvm::consumeError(evaluateLaunch(parsed.annotation, shape, context).takeError());
  }
  // Both ways are taken.
  EXPECT_GT(accepted, 100u);
  EXPECT_LT(accepted, 15000u);
}

} // namespace
