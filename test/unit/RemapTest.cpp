#include "analysis/frontend/Remap.h"

#include <clang/Basic/DiagnosticSema.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;

namespace {

std::string mended(llvm::StringRef text) {
  RemappedSource source(text);
  for (Mend &mend : findMends(text))
    EXPECT_TRUE(source.add(std::move(mend)));
  return source.text();
}

std::string withSharedObject(llvm::StringRef text, llvm::StringRef name) {
  RemappedSource source(text);
  for (Mend &mend : mendSharedObject(text, text.find(name)))
    EXPECT_TRUE(source.add(std::move(mend)));
  return source.text();
}

TEST(Remap, SeparatesLinkageFromAttributeInPlace) {
  EXPECT_EQ(mended("extern \"C\"__global__ void k();"), "extern\"C\" __global__ void k();");
  EXPECT_EQ(mended("extern\"C\"__global__ void k();"), "extern\"C\" __global__ void k();");
  EXPECT_EQ(mended("#define API extern \"C\"__device__\n"), "#define API extern\"C\" __device__\n");
}

TEST(Remap, LeavesLiteralsAlone) {
  for (const char *text :
       {"extern \"C\" __global__ void k();", "auto a = \"C\"_suffix;", "// extern \"C\"__global__\n",
        "auto b = \"C\";", "auto c = R\"(\"C\"__global__)\";"})
    EXPECT_EQ(mended(text), text);
}

TEST(Remap, EscapesSpecialRegistersInPlaceWhereABlankIsIdle) {
  EXPECT_EQ(mended("asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t));"),
            "asm volatile(\"mov.u64 %0,%%globaltimer;\" : \"=l\"(t));");
  EXPECT_EQ(mended("asm(\"mov.u32 %0,%smid;\" : \"=r\"(s));"), "asm(\"mov.u32 %0,%%smid;\" : \"=r\"(s));");
  EXPECT_EQ(mended("#define LANE(x) asm(\"mov.u32 %0, %laneid;\" \\\n : \"=r\"(x))\n"),
            "#define LANE(x) asm(\"mov.u32 %0,%%laneid;\" \\\n : \"=r\"(x))\n");
  EXPECT_EQ(mended("asm(\"{ mov.u32 %0, \" \"%clock; }\" :: \"r\"(a));"),
            "asm(\"{ mov.u32 %0, \" \"%%clock; }\" :: \"r\"(a));");
}

TEST(Remap, LeavesOperandsAndOtherPercentsAlone) {
  for (const char *text :
       {"asm(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));",
        "asm(\"add.u32 %0, %1, %h2;\" : \"=r\"(a) : \"r\"(b), \"r\"(c));",
        "asm(\"mov.u32 %[out], %%smid;\" : [out] \"=r\"(s));", "printf(\"%smid %clock\", a);",
        "asm(\"bar.sync %smid;\");", "asm volatile(\"\" ::: \"memory\");"})
    EXPECT_EQ(mended(text), text);
}

TEST(Remap, TurnsSharedObjectIntoStorageAndReference) {
  EXPECT_EQ(withSharedObject("void f() {\n  __shared__ cuda::barrier<block> bar;\n}\n", "bar;"),
            "void f() {\n  __shared__ __warpwright_storage<cuda::barrier<block> > bar__storage; auto &bar = "
            "bar__storage.value;\n}\n");
  EXPECT_EQ(withSharedObject("{ static __shared__ alignas(16) Pair pairs[2][N]; }", "pairs["),
            "{ static __shared__ alignas(16) __warpwright_storage<Pair [2][N]> pairs__storage; auto &pairs = "
            "pairs__storage.value; }");
  EXPECT_EQ(withSharedObject("#pragma nv_diag_suppress x\n__shared__ __align__(8)\n T\n t;", "t;"),
            "#pragma nv_diag_suppress x\n__shared__ __align__(8)\n __warpwright_storage<T\n > t__storage; "
            "auto &t = "
            "t__storage.value;");
}

TEST(Remap, LeavesOtherDeclarationsAlone) {
  EXPECT_TRUE(mendSharedObject("{ __shared__ T a, b; }", 15).empty());
  EXPECT_TRUE(mendSharedObject("{ __shared__ T a(1); }", 15).empty());
  EXPECT_TRUE(mendSharedObject("{ __shared__ int x; T abc; }", 22).empty());
  EXPECT_TRUE(mendSharedObject("{ __shared__ T a; }", 3).empty());
}

TEST(Remap, NamesDependentTemplates) {
  llvm::StringRef text = "{ Cast<T, U>::run<n>(a < b); }";
  RemappedSource source(text);
  for (Mend &mend : mendDependentTemplate(text, 2))
    EXPECT_TRUE(source.add(std::move(mend)));
  EXPECT_EQ(source.text(), "{ Cast<T, U>::template run<n>(a < b); }");
  EXPECT_TRUE(mendDependentTemplate("{ Cast<T, U>::run(n); }", 2).empty());
  EXPECT_TRUE(mendDependentTemplate("{ names::run<n>(a); }", 2).empty());
  EXPECT_TRUE(mendDependentTemplate("{ Cast<T>::template run<n>(a); }", 2).empty());
}

TEST(Remap, MapsOffsetsBack) {
  RemappedSource source("0123456789");
  ASSERT_TRUE(source.add({6, 1, "YY", ""}));
  ASSERT_TRUE(source.add({2, 0, "xxx", ""}));
  ASSERT_EQ(source.text(), "01xxx2345YY789");
  std::string mapped;
  for (size_t i = 0; i < source.text().size(); ++i)
    mapped += source.toOriginal(i) ? source.original()[*source.toOriginal(i)] : '.';
  EXPECT_EQ(mapped, "01...2345..789");
  EXPECT_FALSE(source.mends().front().keepsColumns());
}

TEST(Remap, KnowsWhichRangesItChanged) {
  RemappedSource source("0123456789");
  ASSERT_TRUE(source.add({6, 2, "YY", ""}));
  ASSERT_TRUE(source.add({2, 0, "x", ""}));
  EXPECT_TRUE(source.touches(0, 3));
  EXPECT_TRUE(source.touches(7, 8));
  EXPECT_FALSE(source.touches(0, 2));
  EXPECT_FALSE(source.touches(3, 6));
  EXPECT_FALSE(source.touches(8, 10));
}

TEST(Remap, RefusesOverlapsAndLostLines) {
  RemappedSource source("01\n3456789");
  ASSERT_TRUE(source.add({4, 3, "abc", ""}));
  EXPECT_FALSE(source.add({5, 1, "x", ""}));
  EXPECT_FALSE(source.add({3, 2, "x", ""}));
  EXPECT_FALSE(source.add({4, 0, "x", ""}));
  EXPECT_FALSE(source.add({1, 2, "x", ""}));
  EXPECT_FALSE(source.add({8, 9, "x", ""}));
  EXPECT_EQ(source.text(), "01\n3abc789");
}

TEST(Remap, LearnsOnlyWhatIsNew) {
  ParseErrors errors;
  errors.texts["a.cu"] = "extern \"C\"__global__ void k();";
  errors.texts["b.cuh"] = "int plain;";
  errors.sites.push_back({clang::diag::err_shared_var_init, "b.cuh", 4});
  Remapping remapping;
  EXPECT_TRUE(remapping.learn(errors));
  EXPECT_FALSE(remapping.learn(errors));
  ASSERT_EQ(remapping.files().size(), 1u);
  EXPECT_EQ(remapping.files().begin()->first, "a.cu");
}

} // namespace
