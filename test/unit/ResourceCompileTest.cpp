#include "analysis/ptxas/ResourceCompile.h"
#include "analysis/ptxas/Cubin.h"

#include <llvm/ADT/ScopeExit.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

using namespace warpwright;
using testing::HasSubstr;

namespace {

using Kind = ResourceError::Kind;

/// A folder for the sources and scripts of a test, and for all temporary files of what it runs; empty once
/// more when the test ends, or the test fails.
class ResourceCompileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("resource-test", folder_));
    temporary_ = path("temporary");
    ASSERT_FALSE(llvm::sys::fs::create_directory(temporary_));
    if (const char *before = std::getenv("TMPDIR"))
      before_ = before;
    setenv("TMPDIR", temporary_.c_str(), 1);
  }
  void TearDown() override {
    before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR");
    EXPECT_TRUE(nothingLeft());
    llvm::sys::fs::remove_directories(folder_);
  }

  bool nothingLeft() const {
    std::error_code error;
    return llvm::sys::fs::directory_iterator(temporary_, error) == llvm::sys::fs::directory_iterator();
  }
  std::string path(llvm::StringRef name) const {
    llvm::SmallString<128> result(folder_);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  std::string write(llvm::StringRef name, llvm::StringRef text) const {
    std::ofstream(path(name)) << text.str();
    return path(name);
  }
  /// A program in nvcc's place.
  std::string script(llvm::StringRef text) const {
    const std::string file = write("nvcc.sh", ("#!/bin/sh\n" + text).str());
    llvm::sys::fs::setPermissions(file, llvm::sys::fs::all_all);
    return file;
  }
  ResourceRequest request(llvm::StringRef nvcc, llvm::StringRef file) const {
    ResourceRequest result;
    result.nvcc = nvcc.str();
    result.file = file.str();
    result.architecture = "sm_90";
    return result;
  }

  llvm::SmallString<128> folder_;
  std::string temporary_;
  std::optional<std::string> before_;
};

llvm::Expected<ResourceReport> run(const ResourceRequest &request) {
  llvm::Expected<ResourceCompile> job = ResourceCompile::start(request);
  if (!job)
    return job.takeError();
  return job->wait();
}

void expectFailure(llvm::Expected<ResourceReport> result, Kind kind,
                   const testing::Matcher<std::string> &text) {
  ASSERT_FALSE(static_cast<bool>(result));
  llvm::handleAllErrors(result.takeError(), [&](const ResourceError &error) {
    EXPECT_EQ(error.kind, kind);
    EXPECT_THAT(error.text, text);
  });
}

TEST_F(ResourceCompileTest, MissingNvccIsSaid) {
  expectFailure(run(request("no-such-nvcc", "k.cu")), Kind::NotFound, HasSubstr("'no-such-nvcc'"));
}

TEST_F(ResourceCompileTest, FailureIsCutToItsEnds) {
  const std::string nvcc = script("for i in $(seq 1 100); do echo \"line $i\" >&2; done; exit 2\n");
  expectFailure(run(request(nvcc, "k.cu")), Kind::Failed,
                testing::AllOf(testing::StartsWith("line 1\n"),
                               HasSubstr("line 20\n... 70 lines left out ...\nline 91"),
                               testing::EndsWith("line 100")));
  expectFailure(run(request(script("exit 3\n"), "k.cu")), Kind::Failed, testing::Eq("exit code 3"));
}

TEST_F(ResourceCompileTest, TimeLimitEndsTheWholeGroup) {
  // The child writes its id, so that the test can ask whether it lives on.
  const std::string nvcc =
      script("sleep 100 & echo $! > " + path("child") + "; touch $TMPDIR/left-behind; wait\n");
  ResourceRequest slow = request(nvcc, "k.cu");
  slow.limit = std::chrono::milliseconds(1500);
  const auto start = std::chrono::steady_clock::now();
  expectFailure(run(slow), Kind::TimedOut, testing::Eq("more than 1500 ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  int child = 0;
  std::ifstream(path("child")) >> child;
  ASSERT_NE(child, 0);
  // A killed process may take a moment to go, and stay as a zombie until its new parent looks; its command
  // line is empty then.
  std::string command = "?";
  for (int tries = 0; tries < 500 && !command.empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    command.clear();
    std::getline(std::ifstream("/proc/" + std::to_string(child) + "/cmdline"), command);
  }
  EXPECT_EQ(command, "");
}

TEST_F(ResourceCompileTest, LeavingEarlyEndsIt) {
  const std::string nvcc = script("touch $TMPDIR/left-behind; sleep 100\n");
  const auto start = std::chrono::steady_clock::now();
  {
    llvm::Expected<ResourceCompile> job = ResourceCompile::start(request(nvcc, "k.cu"));
    ASSERT_TRUE(static_cast<bool>(job));
    const ResourceCompile moved = std::move(*job);
    EXPECT_FALSE(nothingLeft());
  }
  EXPECT_TRUE(nothingLeft());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(ResourceCompileTest, SignalIsSaid) {
  expectFailure(run(request(script("kill -9 $$\n"), "k.cu")), Kind::Killed, HasSubstr("Killed"));
}

TEST_F(ResourceCompileTest, OutputThatIsNotUnderstoodIsSaid) {
  expectFailure(run(request(script("echo 'ptxas info    : Used your time' >&2\n"), "k.cu")),
                Kind::NotUnderstood, HasSubstr("registers of no kernel"));
  expectFailure(run(request(script("exit 0\n"), "k.cu")), Kind::NotUnderstood,
                HasSubstr("there is no cubin"));
}

TEST_F(ResourceCompileTest, PassesWhatItWasGiven) {
  ResourceRequest given =
      request(script("echo \"$(pwd)\"; for a in \"$@\"; do echo \"<$a>\"; done; exit 1\n"), "a b.cu");
  given.directory = path("temporary");
  given.virtualArchitecture = "compute_80";
  given.arguments = {"-DX=\"a b\"", "-dc"};
  expectFailure(run(given), Kind::Failed,
                testing::AllOf(HasSubstr(temporary_), HasSubstr("<-DX=\"a b\">\n<-rdc=true>\n<-cubin>"),
                               HasSubstr("<-gencode=arch=compute_80,code=sm_90>"), HasSubstr("<a b.cu>")));
}

TEST(ResourceArguments, SeparateCompilationIsRecognised) {
  EXPECT_TRUE(compilesSeparately({"-O3", "-rdc=true"}));
  EXPECT_TRUE(compilesSeparately({"--relocatable-device-code", "true"}));
  EXPECT_TRUE(compilesSeparately({"-dc"}));
  EXPECT_FALSE(compilesSeparately({"-rdc=false"}));
  EXPECT_FALSE(compilesSeparately({"-rdc", "false"}));
  EXPECT_FALSE(compilesSeparately({"-O3", "true"}));
}

TEST(ResourceArguments, ShortTextsAreNotCut) {
  EXPECT_EQ(excerpt("a\nb\n"), "a\nb");
  EXPECT_EQ(excerpt("1\n2\n3\n4\n5", 2, 1), "1\n2\n... 2 lines left out ...\n5");
  EXPECT_EQ(excerpt("1\n2\n3", 2, 1), "1\n2\n3");
}

TEST(Cubin, OtherFilesAreRefused) {
  const auto errorOf = [](llvm::StringRef bytes) {
    llvm::Expected<Cubin> cubin = readCubin(llvm::MemoryBufferRef(bytes, "test"));
    return cubin ? "no error" : llvm::toString(cubin.takeError());
  };
  EXPECT_NE(errorOf(""), "no error");
  EXPECT_EQ(errorOf(std::string(4096, 'x')), "cubin: this is not an ELF file for CUDA devices");
  auto self = llvm::MemoryBuffer::getFile("/proc/self/exe");
  ASSERT_TRUE(static_cast<bool>(self));
  EXPECT_EQ(errorOf((*self)->getBuffer()), "cubin: this is not an ELF file for CUDA devices");
}

/// With the real nvcc.
class NvccTest : public ResourceCompileTest {
protected:
  void SetUp() override {
    ResourceCompileTest::SetUp();
    if (!llvm::sys::findProgramByName("nvcc"))
      GTEST_SKIP() << "there is no nvcc in PATH";
  }
};

constexpr const char *kernels = R"(
template <class T, int N> __global__ void reverse(T *p) {
  __shared__ T s[N];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[N - 1 - threadIdx.x];
}
template __global__ void reverse<double, 64>(double *);
extern "C" __global__ void __launch_bounds__(1024, 2) bounded(float *p) {
  float a[64], r = 0;
#pragma unroll
  for (int i = 0; i < 64; i++) a[i] = ((volatile float *)p)[i];
#pragma unroll
  for (int i = 0; i < 64; i++) r = r * a[63 - i] + a[i];
  p[0] = r;
}
)";

TEST_F(NvccTest, KernelsHaveTheirResourcesOnEachArchitecture) {
  const std::string file = write("k.cu", kernels);
  std::vector<ResourceCompile> jobs; // beside one another
  for (const char *architecture : {"sm_80", "sm_90"}) {
    ResourceRequest one = request("nvcc", file);
    one.architecture = architecture;
    llvm::Expected<ResourceCompile> job = ResourceCompile::start(one);
    ASSERT_TRUE(static_cast<bool>(job)) << llvm::toString(job.takeError());
    jobs.push_back(std::move(*job));
  }
  for (auto [job, architecture] : llvm::zip(jobs, std::vector<const char *>{"sm_80", "sm_90"})) {
    llvm::Expected<ResourceReport> report = job.wait();
    ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
    EXPECT_FALSE(report->beforeLinking);
    const KernelResources *reverse = report->ptxas.find("_Z7reverseIdLi64EEvPT_", architecture);
    ASSERT_NE(reverse, nullptr);
    EXPECT_EQ(reverse->staticSharedBytes, 512u);
    EXPECT_EQ(reverse->barriers, 1u);
    ASSERT_TRUE(reverse->instructions.has_value());
    EXPECT_GT(*reverse->instructions, 8u);
    EXPECT_LT(*reverse->instructions * 16, *reverse->codeBytes); // padding is not counted
    const KernelResources *bounded = report->ptxas.find("bounded", architecture);
    ASSERT_NE(bounded, nullptr);
    EXPECT_EQ(bounded->registers, 32u);
    EXPECT_TRUE(bounded->spills());
  }
}

TEST_F(NvccTest, ArgumentsCount) {
  ResourceRequest limited = request("nvcc", write("k.cu", kernels));
  limited.arguments = {"-maxrregcount=24", "-rdc=true", "-Xptxas=-warn-spills"};
  llvm::Expected<ResourceReport> report = run(limited);
  ASSERT_TRUE(static_cast<bool>(report)) << llvm::toString(report.takeError());
  EXPECT_TRUE(report->beforeLinking);
  const KernelResources *bounded = report->ptxas.find("bounded", "sm_90");
  ASSERT_NE(bounded, nullptr);
  EXPECT_THAT(bounded->warnings, testing::ElementsAre(HasSubstr("Registers are spilled to local memory")));
}

TEST_F(NvccTest, BrokenSourceFails) {
  expectFailure(run(request("nvcc", write("k.cu", "__global__ void k() { undeclared(); }\n"))), Kind::Failed,
                HasSubstr("undeclared"));
}

TEST_F(NvccTest, TooMuchSharedMemoryFails) {
  const char *source = "__global__ void k(float *p) { __shared__ float s[20000]; s[threadIdx.x] = p[0];\n"
                       "__syncthreads(); p[1] = s[threadIdx.x ^ 1]; }\n";
  expectFailure(run(request("nvcc", write("k.cu", source))), Kind::Failed, HasSubstr("too much shared data"));
}

} // namespace
