#include "analysis/frontend/CompileDatabase.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace warpwright;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Words = std::vector<std::string>;

class CompileDatabaseTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("compile-database", folder_)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  std::string fileIn(llvm::StringRef name) const {
    llvm::SmallString<128> file = folder_;
    llvm::sys::path::append(file, name);
    return file.str().str();
  }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code error;
    llvm::raw_fd_ostream(fileIn(name), error) << text;
    ASSERT_FALSE(error);
  }
  std::vector<CompileCommand> commands(llvm::StringRef file) const {
    llvm::Expected<CompileDatabase> database = CompileDatabase::load(folder_);
    if (!database) {
      ADD_FAILURE() << llvm::toString(database.takeError());
      return {};
    }
    llvm::Expected<std::vector<CompileCommand>> found = database->commandsFor(file);
    if (!found) {
      ADD_FAILURE() << llvm::toString(found.takeError());
      return {};
    }
    return *found;
  }
  std::string error(llvm::StringRef file) const {
    llvm::Expected<CompileDatabase> database = CompileDatabase::load(folder_);
    if (!database)
      return llvm::toString(database.takeError());
    llvm::Expected<std::vector<CompileCommand>> found = database->commandsFor(file);
    return found ? "no error" : llvm::toString(found.takeError());
  }

  llvm::SmallString<128> folder_;
};

TEST_F(CompileDatabaseTest, ReadsBothFormsAndStripsLaunchers) {
  write(
      "compile_commands.json",
      R"([{"directory": "/b", "file": "/s/a.cu", "command": "ccache /cuda/bin/nvcc -DN=\"\\\"a b\\\"\" -c /s/a.cu"},
            {"directory": "/b", "file": "../s/b.cu",
             "arguments": ["warpwright", "cc", "--mode", "static", "--", "sccache", "nvcc", "-c", "../s/b.cu"]}])");
  std::vector<CompileCommand> first = commands("/s/a.cu");
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first.front().compiler, CompileCommand::Nvcc);
  EXPECT_EQ(first.front().executable, "/cuda/bin/nvcc");
  EXPECT_EQ(first.front().directory, "/b");
  EXPECT_THAT(first.front().arguments, ElementsAre("-DN=\"a b\"", "-c", "/s/a.cu"));
  std::vector<CompileCommand> second = commands("/s/x/../b.cu");
  ASSERT_EQ(second.size(), 1u);
  EXPECT_THAT(second.front().arguments, ElementsAre("-c", "../s/b.cu"));
}

TEST_F(CompileDatabaseTest, AFileOfTwoTargetsHasTwoCommands) {
  write("compile_commands.json",
        R"([{"directory": "/b", "file": "/s/a.cu", "arguments": ["nvcc", "-DONE", "/s/a.cu"]},
                                     {"directory": "/b", "file": "/s/a.cu", "arguments": ["nvcc", "-DTWO", "/s/a.cu"]}])");
  std::vector<CompileCommand> found = commands("/s/a.cu");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].arguments.front(), "-DONE");
  EXPECT_EQ(found[1].arguments.front(), "-DTWO");
}

TEST_F(CompileDatabaseTest, ClangInCudaModeIsPassedThrough) {
  write(
      "compile_commands.json",
      R"([{"directory": "/b", "file": "/s/a.cu", "arguments": ["clang++-22", "--cuda-gpu-arch=sm_90", "-c", "/s/a.cu"]},
            {"directory": "/b", "file": "/s/b.cpp", "arguments": ["clang++", "-x", "cuda", "-c", "/s/b.cpp"]},
            {"directory": "/b", "file": "/s/c.cpp", "arguments": ["clang++", "-c", "/s/c.cpp"]}])");
  EXPECT_EQ(commands("/s/a.cu").front().compiler, CompileCommand::Clang);
  EXPECT_THAT(commands("/s/a.cu").front().arguments, ElementsAre("--cuda-gpu-arch=sm_90", "-c", "/s/a.cu"));
  EXPECT_EQ(commands("/s/b.cpp").front().compiler, CompileCommand::Clang);
  EXPECT_THAT(error("/s/c.cpp"), HasSubstr("with 'clang++', which is neither nvcc nor Clang compiling CUDA"));
}

TEST_F(CompileDatabaseTest, SaysWhatIsMissing) {
  EXPECT_THAT(error("/s/a.cu"), HasSubstr("there is no compile database"));
  EXPECT_THAT(error("/s/a.cu"), HasSubstr("CMAKE_EXPORT_COMPILE_COMMANDS"));
  write("compile_commands.json",
        R"([{"directory": "/b", "file": "/s/a.cu", "arguments": ["nvcc", "/s/a.cu"]}])");
  EXPECT_THAT(error("/t/a.cu"), HasSubstr("has no entry for '/t/a.cu'"));
  write("compile_commands.json", "[{");
  EXPECT_THAT(error("/s/a.cu"), HasSubstr("is not JSON"));
  write("compile_commands.json", R"([{"directory": "/b"}])");
  EXPECT_THAT(error("/s/a.cu"), HasSubstr("cannot read the compile database"));
  write("compile_commands.json",
        R"([{"directory": "/b", "file": "/s/a.cu", "arguments": ["g++", "/s/a.cu"]}])");
  EXPECT_THAT(error("/s/a.cu"), HasSubstr("with 'g++'"));
}

TEST(FindCompiler, SkipsLaunchers) {
  EXPECT_EQ(findCompiler({"nvcc", "-c"}), 0u);
  EXPECT_EQ(findCompiler({"/usr/bin/ccache", "nvcc-13", "-c"}), 1u);
  EXPECT_EQ(findCompiler({"cmake", "-E", "env", "A=b", "--", "env", "C=d", "-i", "nvcc"}), 8u);
  EXPECT_EQ(findCompiler({"warpwright", "cc", "--launcher", "nvcc", "--", "nvcc"}), 5u);
  EXPECT_EQ(findCompiler({"strange", "nvcc"}), 2u);
  EXPECT_EQ(findCompiler({"warpwright", "cc", "nvcc"}), 3u);
  EXPECT_EQ(findCompiler({}), 0u);
}

} // namespace
