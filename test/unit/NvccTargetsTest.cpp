#include "analysis/frontend/NvccTargets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The targets as --generate-code spells them, or the error as the only one.
std::vector<std::string> targetsOf(const NvccTargetRequest &request) {
  llvm::Expected<std::vector<NvccTarget>> targets = nvccTargets(request);
  if (!targets)
    return {llvm::toString(targets.takeError())};
  std::vector<std::string> spelled;
  for (const NvccTarget &target : *targets)
    spelled.push_back(target.generateCode());
  return spelled;
}

std::vector<std::string> ofArchitecture(const char *architecture) {
  NvccTargetRequest request;
  request.architecture = architecture;
  return targetsOf(request);
}

std::vector<std::string> ofGenerateCode(std::vector<std::string> codes) {
  NvccTargetRequest request;
  request.generateCodes = std::move(codes);
  return targetsOf(request);
}

TEST(NvccTargets, DefaultIsTheOldestArchitecture) {
  EXPECT_THAT(targetsOf({}), ElementsAre("arch=compute_75,code=sm_75", "arch=compute_75,code=compute_75"));
}

TEST(NvccTargets, RealArchitectureAloneBringsItsPtx) {
  EXPECT_THAT(ofArchitecture("sm_90"),
              ElementsAre("arch=compute_90,code=sm_90", "arch=compute_90,code=compute_90"));
  EXPECT_THAT(ofArchitecture("compute_90"), ElementsAre("arch=compute_90,code=compute_90"));
  EXPECT_THAT(ofArchitecture("lto_90"), ElementsAre("arch=compute_90,code=lto_90"));
}

TEST(NvccTargets, SuffixedArchitectureBringsPtxOfThePlainOneToo) {
  EXPECT_THAT(ofArchitecture("sm_90a"),
              ElementsAre("arch=compute_90,code=compute_90", "arch=compute_90a,code=sm_90a",
                          "arch=compute_90a,code=compute_90a"));
  EXPECT_THAT(ofArchitecture("compute_100f"),
              ElementsAre("arch=compute_100,code=compute_100", "arch=compute_100f,code=compute_100f"));
}

TEST(NvccTargets, AllMajorEndsWithPtxOfTheNewest) {
  EXPECT_THAT(ofArchitecture("all-major"),
              ElementsAre("arch=compute_75,code=sm_75", "arch=compute_80,code=sm_80",
                          "arch=compute_90,code=sm_90", "arch=compute_100,code=sm_100",
                          "arch=compute_110,code=sm_110", "arch=compute_120,code=sm_120",
                          "arch=compute_120,code=compute_120"));
  EXPECT_EQ(ofArchitecture("all").size(), 13u);
}

TEST(NvccTargets, NativeIsTheGpusHereOrTheDefault) {
  EXPECT_THAT(ofArchitecture("native"),
              ElementsAre("arch=compute_75,code=sm_75", "arch=compute_75,code=compute_75"));
  NvccTargetRequest request;
  request.architecture = "native";
  request.nativeArchitectures = {"90"};
  EXPECT_THAT(targetsOf(request), ElementsAre("arch=compute_90,code=sm_90"));
}

TEST(NvccTargets, GenerateCodeTakesBracketsQuotesAndAnyOrder) {
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code=[compute_90,sm_90]",
                              "arch=compute_80,code=\"sm_80,sm_86\"", "code=sm_80,arch=compute_80"}),
              ElementsAre("arch=compute_90,code=compute_90", "arch=compute_90,code=sm_90",
                          "arch=compute_80,code=sm_80", "arch=compute_80,code=sm_86"));
  EXPECT_THAT(ofGenerateCode({"arch=lto_80,code=sm_80"}), ElementsAre("arch=compute_80,code=sm_80"));
}

TEST(NvccTargets, MalformedGenerateCodeSaysWhy) {
  EXPECT_THAT(ofGenerateCode({"arch=compute_90"}), ElementsAre(HasSubstr("lacks 'code='")));
  EXPECT_THAT(ofGenerateCode({"code=sm_90"}), ElementsAre(HasSubstr("lacks 'arch='")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_80,code=sm_80,sm_86"}), ElementsAre(HasSubstr("'sm_86'")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_80,cod=sm_80"}), ElementsAre(HasSubstr("'cod=sm_80'")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code=sm_90,code=sm_89"}), ElementsAre(HasSubstr("twice")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code=[sm_90"}), ElementsAre(HasSubstr("closing ]")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code="}),
              ElementsAre(HasSubstr("unsupported GPU architecture ''")));
  EXPECT_THAT(ofGenerateCode({"arch=sm_80,code=sm_80"}),
              ElementsAre(HasSubstr("a virtual one (compute_80) is needed")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_80,code=lto_80"}), ElementsAre(HasSubstr("-rdc=true")));
}

TEST(NvccTargets, CodeMustHoldWhatTheArchitecturePromises) {
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code=sm_80"}), ElementsAre(HasSubstr("not compatible")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_90a,code=sm_90"}), ElementsAre(HasSubstr("not compatible")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_80,code=compute_90"}), ElementsAre(HasSubstr("not compatible")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_100f,code=sm_110f"}), ElementsAre(HasSubstr("not compatible")));
  EXPECT_THAT(ofGenerateCode({"arch=compute_90,code=sm_90a"}), ElementsAre("arch=compute_90,code=sm_90a"));
  EXPECT_THAT(ofGenerateCode({"arch=compute_100f,code=sm_103"}),
              ElementsAre("arch=compute_100f,code=sm_103f"));
}

TEST(NvccTargets, CodeNeedsAVirtualArchitecture) {
  NvccTargetRequest request;
  request.codes = {"sm_90"};
  EXPECT_THAT(targetsOf(request), ElementsAre(HasSubstr("without --gpu-architecture")));
  request.architecture = "sm_90";
  EXPECT_THAT(targetsOf(request), ElementsAre(HasSubstr("a virtual one (compute_90) is needed")));
  request.architecture = "native";
  EXPECT_THAT(targetsOf(request), ElementsAre(HasSubstr("cannot be used with --gpu-code")));
  request.architecture = "compute_80";
  EXPECT_THAT(targetsOf(request), ElementsAre("arch=compute_80,code=sm_90"));
}

TEST(NvccTargets, UnknownArchitecturesAreNamed) {
  for (const char *name : {"sm_99", "sm_90f", "compute_100b", "sm_", "90", "", "sm_090"})
    EXPECT_THAT(ofArchitecture(name),
                ElementsAre(HasSubstr(std::string("unsupported GPU architecture '") + name + "'")));
}

TEST(NvccTargets, PtxAndCubinAreOneImage) {
  NvccTargetRequest request;
  request.architecture = "sm_90a";
  request.images = NvccTargetRequest::OneCubin;
  EXPECT_THAT(targetsOf(request), ElementsAre("arch=compute_90a,code=sm_90a"));
  request.images = NvccTargetRequest::OnePtx;
  EXPECT_THAT(targetsOf(request), ElementsAre("arch=compute_90a,code=compute_90a"));
  request.generateCodes = {"arch=compute_80,code=sm_80"};
  EXPECT_THAT(targetsOf(request), ElementsAre(HasSubstr("--ptx needs exactly one")));
  request.images = NvccTargetRequest::OneCubin;
  EXPECT_THAT(targetsOf(request), ElementsAre(HasSubstr("--cubin needs exactly one")));
}

TEST(NvccTargets, LinkTimeOptimisationMakesIntermediateCode) {
  NvccTargetRequest request;
  request.architecture = "sm_90";
  request.linkTimeOptimization = true;
  EXPECT_THAT(targetsOf(request),
              ElementsAre("arch=compute_90,code=lto_90", "arch=compute_90,code=compute_90"));
}

} // namespace
