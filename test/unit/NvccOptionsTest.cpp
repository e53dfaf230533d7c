#include "analysis/frontend/NvccOptions.h"
#include "analysis/frontend/NvccInvocation.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

using namespace warpwright;

namespace {

using Words = std::vector<std::string>;

/// A legal command around one option: what must stand beside it, and a value that is not the default.
struct Example {
  std::string value;
  Words beside;
};

std::string someValue(const NvccOption &option) {
  if (option.values.empty())
    return "some";
  if (option.values.starts_with("number"))
    return "20";
  return option.values.split('|').first.str();
}

Example exampleOf(const NvccOption &option) {
  switch (option.id) {
  case NvccOptionId::CompilerOptions:
    return {"-DX=1", {}};
  case NvccOptionId::DefaultStream:
    return {"per-thread", {}};
  case NvccOptionId::DependencyOutput:
  case NvccOptionId::DependencyTargetName:
  case NvccOptionId::GenerateDependencyTargets:
    return {"some", {"-MD"}};
  case NvccOptionId::Dopt:
    return {"on", {"-G"}};
  case NvccOptionId::Fmad:
  case NvccOptionId::PrecDiv:
  case NvccOptionId::PrecSqrt:
    return {"false", {}};
  case NvccOptionId::ForwardUnknownOpts:
  case NvccOptionId::ForwardUnknownToHostCompiler:
  case NvccOptionId::ForwardUnknownToHostLinker:
    return {"", {"-fsome"}};
  case NvccOptionId::GenerateCode:
    return {"arch=compute_90,code=sm_90", {}};
  case NvccOptionId::GpuArchitecture:
    return {"sm_90", {}};
  case NvccOptionId::GpuCode:
    return {"sm_90", {"-arch=compute_90"}};
  case NvccOptionId::Link:
    return {"", {"-shared"}};
  case NvccOptionId::Ltoir:
    return {"", {"-dlto"}};
  case NvccOptionId::X:
    return {"c++", {}};
  default:
    return {someValue(option), {}};
  }
}

/// Every way in which nvcc takes the option.
std::vector<Words> spellingsOf(const NvccOption &option, const std::string &value) {
  std::string longWord = "--" + option.longName.str();
  std::string shortWord = "-" + option.shortName.str();
  bool hasShort = !option.shortName.empty();
  std::vector<Words> spellings;
  if (!option.takesArgument()) {
    spellings = {{longWord}};
    if (hasShort)
      spellings.push_back({shortWord});
    return spellings;
  }
  spellings = {{longWord, value}, {longWord + "=" + value}};
  if (hasShort) {
    spellings.push_back({shortWord, value});
    spellings.push_back({shortWord + "=" + value});
  }
  if (option.isJoined())
    spellings.push_back({shortWord + value});
  return spellings;
}

/// Everything an invocation says, but for what was dropped and what a device-only compile needs.
std::string describe(const NvccInvocation &invocation) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << toString(invocation.action) << ' ' << invocation.output << ' ' << invocation.outputDirectory
         << ' ' << invocation.relocatable << invocation.deviceDebug << invocation.restrictParameters << ' '
         << invocation.maxRegisters.value_or(0) << ' ' << llvm::join(invocation.entries, ",") << ' '
         << invocation.hostCompiler << '\n';
  for (const NvccInput &input : invocation.inputs)
    stream << input.path << ' ' << static_cast<int>(input.kind) << '\n';
  for (const NvccTarget &target : invocation.targets)
    stream << target.generateCode() << '\n';
  const NvccDependencies &dependencies = invocation.dependencies;
  stream << dependencies.wanted << dependencies.systemHeaders << dependencies.phonyTargets << ' '
         << dependencies.file << ' ' << dependencies.target << '\n';
  const NvccFloatingPoint &floats = invocation.floatingPoint;
  stream << floats.fastMath << floats.flushDenormals << floats.preciseDivision << floats.preciseSquareRoot
         << floats.contract << '\n'
         << llvm::join(invocation.clangArguments, "\n");
  return text;
}

bool isDropped(const NvccInvocation &invocation, const Words &words, llvm::StringRef reason) {
  return llvm::any_of(invocation.dropped, [&](const DroppedOption &dropped) {
    return dropped.spelled == llvm::join(words, " ") && dropped.reason == reason;
  });
}

bool isTaken(const NvccInvocation &invocation, const Words &words) {
  return std::search(invocation.deviceArguments.begin(), invocation.deviceArguments.end(), words.begin(),
                     words.end()) != invocation.deviceArguments.end();
}

llvm::Expected<NvccInvocation> adjust(const Words &before, const Words &words) {
  Words arguments = before;
  llvm::append_range(arguments, words);
  arguments.push_back("kernel.cu");
  return adjustArguments(arguments, "/nowhere", NvccEnvironment());
}

class NvccOptionRow : public testing::TestWithParam<NvccOption> {};

TEST_P(NvccOptionRow, LandsAsItsRowSays) {
  const NvccOption &option = GetParam();
  llvm::SmallString<128> optionsFile;
  Example example = exampleOf(option);
  if (option.id == NvccOptionId::OptionsFile) {
    int descriptor = 0;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("options", "rsp", descriptor, optionsFile));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << "-DX";
    example.value = optionsFile.str().str();
  }
  for (const Words &words : spellingsOf(option, example.value)) {
    SCOPED_TRACE(llvm::join(words, " "));
    llvm::Expected<NvccInvocation> invocation = adjust(example.beside, words);
    if (option.disposition == NvccOptionDisposition::Refused) {
      ASSERT_FALSE(static_cast<bool>(invocation));
      std::string message = llvm::toString(invocation.takeError());
      EXPECT_NE(message.find(words.front()), std::string::npos) << message;
      EXPECT_NE(message.find(option.reason.str()), std::string::npos) << message;
      continue;
    }
    ASSERT_TRUE(static_cast<bool>(invocation)) << llvm::toString(invocation.takeError());
    bool dropped = option.disposition == NvccOptionDisposition::Dropped;
    EXPECT_EQ(isDropped(*invocation, words, option.reason), dropped);
    if (option.id != NvccOptionId::OptionsFile)
      EXPECT_EQ(isTaken(*invocation, words), option.deviceCompile == NvccDeviceCompile::Taken);
    // Without an option that decides how others are read there is nothing to compare with, and linking is the
    // default.
    bool nothingToCompare = option.longName.starts_with("forward-unknown") || option.id == NvccOptionId::Link;
    if (nothingToCompare)
      continue;
    llvm::Expected<NvccInvocation> without = adjust(example.beside, {});
    ASSERT_TRUE(static_cast<bool>(without)) << llvm::toString(without.takeError());
    EXPECT_EQ(describe(*invocation) == describe(*without), dropped);
    if (option.disposition == NvccOptionDisposition::Kept)
      EXPECT_NE(invocation->clangArguments, without->clangArguments);
  }
  if (!optionsFile.empty())
    llvm::sys::fs::remove(optionsFile);
}

INSTANTIATE_TEST_SUITE_P(All, NvccOptionRow, testing::ValuesIn(nvccOptions().begin(), nvccOptions().end()),
                         [](const testing::TestParamInfo<NvccOption> &info) {
                           std::string name;
                           for (char c : info.param.longName)
                             name += llvm::isAlnum(c) ? c : '_';
                           return name;
                         });

TEST(NvccOptions, AreSortedAndGiveReasons) {
  llvm::ArrayRef<NvccOption> options = nvccOptions();
  EXPECT_TRUE(llvm::is_sorted(
      options, [](const NvccOption &a, const NvccOption &b) { return a.longName < b.longName; }));
  for (const NvccOption &option : options) {
    EXPECT_EQ(option.reason.empty(), option.disposition == NvccOptionDisposition::Kept)
        << option.longName.str();
    EXPECT_EQ(nvccOption(option.id).longName, option.longName);
  }
}

TEST(NvccOptions, AreFoundOnlyAsNvccSpellsThem) {
  EXPECT_EQ(findNvccOption("--gpu-architecture=sm_90")->id, NvccOptionId::GpuArchitecture);
  EXPECT_EQ(findNvccOption("-arch")->id, NvccOptionId::GpuArchitecture);
  EXPECT_EQ(findNvccOption("-DX=1")->id, NvccOptionId::DefineMacro);
  EXPECT_EQ(findNvccOption("-libdir")->id, NvccOptionId::Library);
  EXPECT_EQ(findNvccOption("-lib")->id, NvccOptionId::Lib);
  for (const char *word : {"--arch=sm_90", "-gpu-architecture", "--D", "-ox.o", "-isystem/x", "-xcu", "-m32",
                           "-maxrregcount64", "-no-align-double", "-", "--", "kernel.cu", ""})
    EXPECT_EQ(findNvccOption(word), nullptr) << word;
}

} // namespace
