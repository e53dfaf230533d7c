#include "clang_plugin/Emit.h"

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

Edit replace(unsigned offset, unsigned length, const char *text) {
  Edit edit;
  edit.offset = offset;
  edit.length = length;
  edit.text = text;
  edit.reason = "test";
  return edit;
}

EmitRequest request(const char *text) {
  EmitRequest result;
  result.original = text;
  result.originalPath = "k.cu";
  result.generatedPath = "out/k.cu";
  return result;
}

std::string emit(const EmitRequest &request) {
  llvm::Expected<std::string> text = emitSource(request);
  return text ? *text : "error: " + llvm::toString(text.takeError());
}

TEST(Emit, MapsUntouchedTextToTheOriginal) {
  EXPECT_EQ(emit(request("a\nb\n")), "#line 1 \"k.cu\"\na\nb\n");
}

// Line 2 of the original is line 4 of the output: two directives stand before it.
TEST(Emit, KeepsGeneratedLinesWhereTextWasRewritten) {
  EmitRequest one = request("a\nb\nc\n");
  one.edits = {replace(2, 1, "B")};
  EXPECT_EQ(emit(one), "#line 1 \"k.cu\"\na\n#line 4 \"out/k.cu\"\nB\n#line 3 \"k.cu\"\nc\n");
}

TEST(Emit, WidensAnEditToItsWholeDefinition) {
  EmitRequest one = request("a\nvoid f()\n{ b }\nc\n");
  one.definitions = {{2, 16}};
  one.edits = {replace(13, 1, "B")};
  EXPECT_EQ(emit(one), "#line 1 \"k.cu\"\na\n#line 4 \"out/k.cu\"\nvoid f()\n{ B }\n#line 4 \"k.cu\"\nc\n");
}

TEST(Emit, EndsAFileWithoutANewline) {
  EmitRequest one = request("a");
  one.edits = {replace(0, 1, "b")};
  EXPECT_EQ(emit(one), "#line 1 \"k.cu\"\n#line 3 \"out/k.cu\"\nb\n#line 1 \"k.cu\"\n");
}

TEST(Emit, RefusesEditsThatOverlap) {
  EmitRequest one = request("abc\n");
  one.edits = {replace(0, 2, "x"), replace(1, 1, "y")};
  EXPECT_EQ(emit(one), "error: two edits meet at offset 1: 'test' and 'test'");
}

TEST(Emit, EscapesNamesInDirectives) {
  EmitRequest one = request("a\n");
  one.originalPath = "odd\"name\\.cu";
  EXPECT_EQ(emit(one), "#line 1 \"odd\\\"name\\\\.cu\"\na\n");
}

TEST(Emit, KeepsAByteOrderMarkInFront) {
  EmitRequest one = request("\xEF\xBB\xBF"
                            "a\nb\n");
  one.edits = {replace(3, 1, "A")};
  EXPECT_EQ(emit(one), "\xEF\xBB\xBF#line 1 \"k.cu\"\n#line 3 \"out/k.cu\"\nA\n#line 2 \"k.cu\"\nb\n");
}

// The author's own directives go on to hold behind a rewritten region.
TEST(Emit, FollowsTheOriginalsOwnDirectives) {
  EmitRequest one = request("a\n#line 70 \"g.y\"\nb\nc\nd\n");
  one.origins = {{17, 70, "g.y"}};
  one.edits = {replace(19, 1, "C")};
  EXPECT_EQ(emit(one),
            "#line 1 \"k.cu\"\na\n#line 70 \"g.y\"\nb\n#line 6 \"out/k.cu\"\nC\n#line 72 \"g.y\"\nd\n");
}

TEST(Emit, FollowsNoDirectiveFurtherDown) {
  EmitRequest one = request("a\nb\n#line 70 \"g.y\"\nc\n");
  one.origins = {{19, 70, "g.y"}};
  one.edits = {replace(0, 1, "A")};
  EXPECT_EQ(emit(one),
            "#line 1 \"k.cu\"\n#line 3 \"out/k.cu\"\nA\n#line 2 \"k.cu\"\nb\n#line 70 \"g.y\"\nc\n");
}

} // namespace
