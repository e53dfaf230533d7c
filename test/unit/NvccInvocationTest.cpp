#include "analysis/frontend/NvccInvocation.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Words = std::vector<std::string>;

NvccInvocation adjusted(const Words &arguments, const NvccEnvironment &environment = {},
                        llvm::StringRef directory = "/build") {
  llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments, directory, environment);
  if (invocation)
    return std::move(*invocation);
  ADD_FAILURE() << llvm::toString(invocation.takeError());
  return {};
}

std::string errorOf(const Words &arguments, const NvccEnvironment &environment = {},
                    llvm::StringRef directory = "/build") {
  llvm::Expected<NvccInvocation> invocation = adjustArguments(arguments, directory, environment);
  return invocation ? "no error" : llvm::toString(invocation.takeError());
}

Words droppedOf(const NvccInvocation &invocation) {
  Words spelled;
  for (const DroppedOption &option : invocation.dropped)
    spelled.push_back(option.spelled);
  return spelled;
}

/// A folder for options files, gone at the end of the test.
class Folder {
public:
  Folder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("nvcc-invocation", path_)); }
  ~Folder() { llvm::sys::fs::remove_directories(path_); }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    llvm::SmallString<128> file = path_;
    llvm::sys::path::append(file, name);
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << text;
    EXPECT_FALSE(error);
  }
  llvm::StringRef path() const { return path_; }

private:
  llvm::SmallString<128> path_;
};

// The commands below were made by CMake 3.25 with Ninja; only the paths are shortened.

TEST(NvccInvocation, UnderstandsAReleaseCommandOfCMake) {
  NvccInvocation invocation = adjusted({"-forward-unknown-to-host-compiler",
                                        "-DN=3",
                                        "-DNAME=\"a b\"",
                                        "-I/src/inc",
                                        "-isystem=/opt/lib/include",
                                        "-O3",
                                        "-DNDEBUG",
                                        "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
                                        "--generate-code=arch=compute_90,code=[compute_90,sm_90]",
                                        "-std=c++20",
                                        "--extended-lambda",
                                        "--expt-relaxed-constexpr",
                                        "-Xptxas=-v",
                                        "-lineinfo",
                                        "--use_fast_math",
                                        "-Xcompiler=-Wall,-Wextra",
                                        "-Wno-deprecated-gpu-targets",
                                        "-MD",
                                        "-MT",
                                        "p.dir/plain.cu.o",
                                        "-MF",
                                        "p.dir/plain.cu.o.d",
                                        "-x",
                                        "cu",
                                        "-c",
                                        "/src/plain.cu",
                                        "-o",
                                        "p.dir/plain.cu.o"});
  EXPECT_EQ(invocation.action, NvccAction::Object);
  ASSERT_EQ(invocation.inputs.size(), 1u);
  EXPECT_EQ(invocation.inputs.front().path, "/src/plain.cu");
  EXPECT_EQ(invocation.inputs.front().position, 25u);
  EXPECT_EQ(invocation.output, "p.dir/plain.cu.o");
  EXPECT_THAT(invocation.clangArguments,
              ElementsAre("-std=c++20", "-D__CUDACC_EXTENDED_LAMBDA__", "-D__CUDACC_RELAXED_CONSTEXPR__",
                          "-Wall", "-Wextra", "-I/src/inc", "-isystem", "/opt/lib/include", "-DN=3",
                          "-DNAME=\"a b\"", "-DNDEBUG", "-fgpu-approx-transcendentals",
                          "-fgpu-flush-denormals-to-zero"));
  EXPECT_THAT(droppedOf(invocation),
              ElementsAre("-O3", "-Xptxas=-v", "-lineinfo", "-Wno-deprecated-gpu-targets"));
  EXPECT_EQ(invocation.targets.size(), 4u);
  EXPECT_FALSE(invocation.relocatable);
  EXPECT_EQ(invocation.floatingPoint, (NvccFloatingPoint{true, true, false, false, true}));
  EXPECT_TRUE(invocation.dependencies.wanted);
  EXPECT_EQ(invocation.dependencies.file, "p.dir/plain.cu.o.d");
  EXPECT_EQ(invocation.dependencies.target, "p.dir/plain.cu.o");
  EXPECT_THAT(cubinCommand(invocation, invocation.targets[1], "/tmp/c.cu", "/tmp/c.cubin"),
              ElementsAre("-forward-unknown-to-host-compiler", "-DN=3", "-DNAME=\"a b\"", "-I/src/inc",
                          "-isystem=/opt/lib/include", "-DNDEBUG", "-std=c++20", "--extended-lambda",
                          "--expt-relaxed-constexpr", "-Xptxas=-v", "-lineinfo", "--use_fast_math",
                          "-Xcompiler=-Wall,-Wextra", "-Wno-deprecated-gpu-targets", "-gencode",
                          "arch=compute_80,code=sm_80", "-x", "cu", "-cubin", "-o", "/tmp/c.cubin",
                          "/tmp/c.cu"));
}

TEST(NvccInvocation, UnderstandsSeparableCompilationOfCMake) {
  NvccInvocation invocation = adjusted({"-forward-unknown-to-host-compiler",
                                        "-Dsep_EXPORTS",
                                        "-g",
                                        "--generate-code=arch=compute_90a,code=[sm_90a]",
                                        "-Xcompiler=-fPIC",
                                        "-Xcompiler=-fvisibility=hidden",
                                        "-maxrregcount=64",
                                        "-Wall",
                                        "-fno-exceptions",
                                        "-Xcompiler",
                                        "-fopenmp",
                                        "-std=c++17",
                                        "-MD",
                                        "-MT",
                                        "s.cu.o",
                                        "-MF",
                                        "s.cu.o.d",
                                        "-x",
                                        "cu",
                                        "-rdc=true",
                                        "-c",
                                        "/src/sep.cu",
                                        "-o",
                                        "s.cu.o"});
  EXPECT_EQ(invocation.action, NvccAction::Object);
  EXPECT_TRUE(invocation.relocatable);
  EXPECT_EQ(invocation.maxRegisters, 64u);
  EXPECT_THAT(invocation.clangArguments, ElementsAre("-std=c++17", "-fgpu-rdc", "-D__CUDACC_RDC__", "-Wall",
                                                     "-fno-exceptions", "-D_OPENMP=201511", "-Dsep_EXPORTS"));
  EXPECT_THAT(droppedOf(invocation), ElementsAre("-g", "-fPIC", "-fvisibility=hidden"));
  ASSERT_EQ(invocation.targets.size(), 1u);
  EXPECT_EQ(invocation.targets.front().architecture, "90a");
}

TEST(NvccInvocation, UnderstandsTheOtherCommandsOfCMake) {
  NvccInvocation link = adjusted({"-forward-unknown-to-host-compiler", "-O3", "-DNDEBUG",
                                  "--generate-code=arch=compute_90a,code=[sm_90a]", "-Xcompiler=-fPIC",
                                  "-Wno-deprecated-gpu-targets", "-shared", "-dlink", "s.cu.o", "-o",
                                  "link.o", "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"});
  EXPECT_EQ(link.action, NvccAction::DeviceLink);
  EXPECT_THAT(link.cudaInputs(), IsEmpty());
  EXPECT_EQ(link.inputs.front().kind, NvccInputKind::Object);

  NvccInvocation ptx = adjusted(
      {"--generate-code=arch=compute_90,code=[compute_90]", "-x", "cu", "-ptx", "/src/p.cu", "-o", "p.ptx"});
  EXPECT_EQ(ptx.action, NvccAction::Ptx);
  EXPECT_EQ(ptx.targets, (std::vector<NvccTarget>{{NvccTarget::Ptx, "90", "90"}}));

  NvccInvocation other = adjusted({"-x", "cu", "-c", "/src/obj.cpp", "-o", "obj.cpp.o"});
  ASSERT_EQ(other.cudaInputs().size(), 1u);
  EXPECT_EQ(other.cudaInputs().front()->path, "/src/obj.cpp");
}

TEST(NvccInvocation, OfSeveralActionsTheEarliestStageWins) {
  EXPECT_EQ(adjusted({"-cubin", "-ptx", "a.cu"}).action, NvccAction::Ptx);
  EXPECT_EQ(adjusted({"-c", "-E", "a.cu"}).action, NvccAction::Preprocess);
  EXPECT_EQ(adjusted({"-M", "-E", "a.cu"}).action, NvccAction::Dependencies);
  EXPECT_EQ(adjusted({"-fatbin", "-cubin", "a.cu"}).action, NvccAction::Cubin);
  EXPECT_EQ(adjusted({"-c", "-lib", "a.cu"}).action, NvccAction::Object);
  EXPECT_EQ(adjusted({"-dryrun", "-c", "a.cu"}).action, NvccAction::Query);
  EXPECT_EQ(adjusted({"a.cu"}).action, NvccAction::Link);
  NvccInvocation deviceObject = adjusted({"-dc", "a.cu"});
  EXPECT_EQ(deviceObject.action, NvccAction::DeviceObject);
  EXPECT_TRUE(deviceObject.relocatable);
  EXPECT_THAT(deviceObject.deviceArguments, ElementsAre("-rdc=true"));
}

TEST(NvccInvocation, FastMathGivesWayToWhatIsSaid) {
  EXPECT_EQ(adjusted({"a.cu"}).floatingPoint, NvccFloatingPoint());
  EXPECT_EQ(adjusted({"-ftz=false", "-use_fast_math", "--prec-div=true", "a.cu"}).floatingPoint,
            (NvccFloatingPoint{true, false, true, false, true}));
  EXPECT_THAT(adjusted({"-fmad", "false", "a.cu"}).clangArguments, ElementsAre("-ffp-contract=off"));
}

TEST(NvccInvocation, MacrosKeepTheirOrder) {
  EXPECT_THAT(adjusted({"-DX=1", "-UX", "-D", "X=2,Y", "--define-macro=Z", "a.cu"}).clangArguments,
              ElementsAre("-DX=1", "-UX", "-DX=2", "-DY", "-DZ"));
}

TEST(NvccInvocation, AnArgumentIsTheNextWordWhateverItLooksLike) {
  NvccInvocation invocation = adjusted({"-I", "-c", "a.cu"});
  EXPECT_EQ(invocation.action, NvccAction::Link);
  EXPECT_THAT(invocation.clangArguments, ElementsAre("-I-c"));
}

TEST(NvccInvocation, UnknownOptionsGoWhereTheyAreForwarded) {
  EXPECT_THAT(errorOf({"-Wall", "a.cu"}), HasSubstr("unknown option '-Wall'"));
  EXPECT_THAT(adjusted({"-Wall", "-fno-rtti", "a.cu", "-forward-unknown-to-host-compiler"}).clangArguments,
              ElementsAre("-Wall", "-fno-rtti"));
  NvccInvocation linker = adjusted({"-forward-unknown-to-host-linker", "-Wall", "a.cu"});
  EXPECT_THAT(linker.clangArguments, IsEmpty());
  EXPECT_THAT(droppedOf(linker), ElementsAre("-Wall"));
  // nvcc takes the word after an unknown option for an input.
  EXPECT_THAT(errorOf({"-forward-unknown-to-host-compiler", "-iquote", "q", "a.cu"}), HasSubstr("'q'"));
}

TEST(NvccInvocation, HostOptionsPassTheShell) {
  EXPECT_THAT(adjusted({"-Xcompiler", "-I q,-include", "-Xcompiler=h.h", "-Xcompiler",
                        "-DA=\\\\\\\"x\\\\\\\"", "a.cu"})
                  .clangArguments,
              ElementsAre("-I", "q", "-include", "h.h", "-DA=\"x\""));
  NvccInvocation expanded = adjusted({"-Xcompiler", "-DA=$HOME", "a.cu"});
  EXPECT_THAT(expanded.clangArguments, IsEmpty());
  EXPECT_THAT(droppedOf(expanded), ElementsAre("-DA=$HOME"));
}

TEST(NvccInvocation, NvccsStandardWinsOverTheHostCompilers) {
  EXPECT_THAT(adjusted({"-Xcompiler=-std=gnu++20", "-std=c++17", "a.cu"}).clangArguments,
              ElementsAre("-std=c++17"));
  EXPECT_THAT(adjusted({"-Xcompiler=-std=gnu++20", "a.cu"}).clangArguments, ElementsAre("-std=gnu++20"));
}

TEST(NvccInvocation, OfARepeatedValueTheLastCountsAndTheFirstIsNamed) {
  NvccInvocation invocation = adjusted({"-std=c++14", "-std=c++17", "-std=c++17", "a.cu"});
  EXPECT_THAT(invocation.clangArguments, ElementsAre("-std=c++17"));
  EXPECT_THAT(droppedOf(invocation), ElementsAre("-std=c++14"));
}

TEST(NvccInvocation, TheEnvironmentComesFirstAndLast) {
  NvccEnvironment environment;
  environment.prependFlags = "-DPRE=\"1 2\" -std=c++14";
  environment.appendFlags = "-DPOST -std=c++20 b.cu";
  NvccInvocation invocation = adjusted({"-DMID", "a.cu"}, environment);
  EXPECT_THAT(invocation.clangArguments, ElementsAre("-std=c++20", "-DPRE=\"1 2\"", "-DMID", "-DPOST"));
  ASSERT_EQ(invocation.inputs.size(), 2u);
  EXPECT_EQ(invocation.inputs[0].position, 1u);
  EXPECT_FALSE(invocation.inputs[1].position.has_value());
}

TEST(NvccInvocation, OptionsFilesAreReadInPlace) {
  Folder folder;
  folder.write("one.rsp", "-DA=\"x y\"\n-I/inc -isystem=/sys");
  folder.write("two.rsp", "--options-file one.rsp -DB a.cu");
  folder.write("self.rsp", "-optf=./self.rsp");
  NvccInvocation invocation = adjusted({"-DX", "--options-file", "two.rsp", "-DY"}, {}, folder.path());
  EXPECT_THAT(invocation.clangArguments,
              ElementsAre("-I/inc", "-isystem", "/sys", "-DX", "-DA=x y", "-DB", "-DY"));
  ASSERT_EQ(invocation.inputs.size(), 1u);
  EXPECT_FALSE(invocation.inputs.front().position.has_value());
  EXPECT_THAT(errorOf({"-optf=self.rsp"}, {}, folder.path()), HasSubstr("'./self.rsp' includes itself"));
  EXPECT_THAT(errorOf({"-optf=none.rsp"}, {}, folder.path()),
              HasSubstr("cannot read the options file 'none.rsp'"));
}

TEST(NvccInvocation, OutputsAndDependencyFilesAreNamedAsNvccNamesThem) {
  EXPECT_EQ(adjusted({"-c", "dir/a.cu"}).output, "a.o");
  EXPECT_EQ(adjusted({"-c", "-odir", "out", "dir/a.cu"}).output, "out/a.o");
  EXPECT_EQ(adjusted({"-ptx", "a.cu"}).output, "a.ptx");
  EXPECT_EQ(adjusted({"-E", "a.cu"}).output, "");
  EXPECT_EQ(adjusted({"-MD", "-c", "a.cu", "-o", "q/x.o"}).dependencies.file, "q/x.d");
  EXPECT_EQ(adjusted({"-MMD", "-c", "a.cu"}).dependencies.file, "a.d");
  EXPECT_FALSE(adjusted({"-MMD", "-c", "a.cu"}).dependencies.systemHeaders);
  EXPECT_EQ(adjusted({"-M", "a.cu"}).dependencies.file, "");
}

TEST(NvccInvocation, ErrorsNameTheOptionAndSayWhy) {
  EXPECT_EQ(errorOf({"-arch"}), "nvcc arguments: an argument is missing after '-arch'");
  EXPECT_EQ(errorOf({"-c=true", "a.cu"}), "nvcc arguments: '-c=true': this option takes no argument");
  EXPECT_EQ(errorOf({"-std=c++23", "a.cu"}),
            "nvcc arguments: '--std' takes c++03, c++11, c++14, c++17, c++20, not 'c++23'");
  EXPECT_EQ(errorOf({"-Ofast", "a.cu"}), "nvcc arguments: 'fast' is not a number, which '--optimize' takes");
  EXPECT_EQ(errorOf({"-rdc=yes", "a.cu"}),
            "nvcc arguments: '--relocatable-device-code' takes true, false, not 'yes'");
  EXPECT_EQ(errorOf({"-MF", "x.d", "a.cu"}), "nvcc arguments: '-MF' needs one of -M, -MM, -MD and -MMD");
  EXPECT_EQ(errorOf({"-c", "a.xyz"}), "nvcc arguments: nvcc knows no such kind of input: 'a.xyz'");
  EXPECT_THAT(errorOf({"-c", "-o", "x.o", "a.cu", "b.cu"}),
              HasSubstr("'-o' names one output, but there are 2 inputs"));
  EXPECT_THAT(errorOf({"-dc", "-rdc=false", "a.cu"}), HasSubstr("'--device-c' contradicts"));
  EXPECT_THAT(errorOf({"-dc", "-dw", "a.cu"}), HasSubstr("contradict each other"));
  EXPECT_THAT(errorOf({"-MD", "-E", "a.cu"}), HasSubstr("'-MD' and '-MMD' need a compile"));
  EXPECT_THAT(errorOf({"-ewp", "-dc", "a.cu"}), HasSubstr("'--extensible-whole-program' contradicts"));
  EXPECT_THAT(errorOf({"-ltoir", "a.cu"}), HasSubstr("'--ltoir' needs '--dlink-time-opt'"));
  EXPECT_THAT(errorOf({"-jtd", "200", "a.cu"}), HasSubstr("'200' is not a number<=101"));
  EXPECT_THAT(errorOf({"-run", "a.cu"}), HasSubstr("'-run' is refused: "));
}

TEST(NvccInvocation, ReplacesTheInputAndNothingElse) {
  Words arguments = {"-I", "a.cu", "-DX=a.cu", "a.cu", "-c", "-o", "a.cu.o"};
  NvccInvocation invocation = adjusted(arguments);
  llvm::Expected<Words> replaced =
      withInputReplaced(arguments, invocation, invocation.inputs.front(), "/gen/a.cu");
  ASSERT_TRUE(static_cast<bool>(replaced)) << llvm::toString(replaced.takeError());
  EXPECT_THAT(*replaced, ElementsAre("-I", "a.cu", "-DX=a.cu", "/gen/a.cu", "-c", "-o", "a.cu.o"));
}

TEST(NvccInvocation, AReplacedInputDoesNotRenameTheOutput) {
  Words arguments = {"dir/a.cu", "-c"};
  NvccInvocation invocation = adjusted(arguments);
  llvm::Expected<Words> replaced =
      withInputReplaced(arguments, invocation, invocation.inputs.front(), "/gen/b.cu");
  ASSERT_TRUE(static_cast<bool>(replaced)) << llvm::toString(replaced.takeError());
  EXPECT_THAT(*replaced, ElementsAre("/gen/b.cu", "-c", "-o", "a.o"));

  Words two = {"a.cu", "b.cu", "-c"};
  NvccInvocation several = adjusted(two);
  llvm::Expected<Words> unnamed = withInputReplaced(two, several, several.inputs.front(), "/gen/b.cu");
  ASSERT_FALSE(static_cast<bool>(unnamed));
  EXPECT_THAT(llvm::toString(unnamed.takeError()), HasSubstr("cannot be named"));
}

TEST(NvccInvocation, AnInputOutsideTheCommandLineIsNotReplaced) {
  NvccEnvironment environment;
  environment.appendFlags = "a.cu";
  Words arguments = {"-c", "-o", "a.o"};
  NvccInvocation invocation = adjusted(arguments, environment);
  llvm::Expected<Words> replaced =
      withInputReplaced(arguments, invocation, invocation.inputs.front(), "/gen/a.cu");
  ASSERT_FALSE(static_cast<bool>(replaced));
  EXPECT_THAT(llvm::toString(replaced.takeError()),
              HasSubstr("'a.cu' is not written on the command line itself"));
}

} // namespace
