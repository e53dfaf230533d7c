#include "feedback/evaluators/cuda/runner/ProbeKernels.h"
#include "analysis/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Program.h>

#include <fstream>

using namespace warpwright;

namespace {

std::string ptxas() {
  for (llvm::StringRef folder : {"", "/usr/local/cuda/bin"}) {
    llvm::SmallVector<llvm::StringRef> folders;
    if (!folder.empty())
      folders.push_back(folder);
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas", folders))
      return *found;
  }
  return {};
}

} // namespace

/// The driver has the same compiler; no device is needed to hear its complaints.
TEST(ProbeKernelsTest, AreWhatPtxasTakes) {
  std::string program = ptxas();
  if (program.empty())
    GTEST_SKIP() << "ptxas was not found";
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create({});
  ASSERT_TRUE(bool(folder)) << llvm::toString(folder.takeError());
  const std::pair<const char *, std::string> probes[] = {
      {"sm_75", runner::readProbe("cg")},
      {"sm_75", runner::readProbe("ca")},
      {"sm_75", runner::writeProbe()},
      {"sm_75", runner::sharedReadProbe()},
      {"sm_75", runner::chaseProbe("cg")},
      {"sm_75", runner::sharedChaseProbe()},
      {"sm_75", runner::arithmeticProbe({"fp64", "fma.rn.f64", "f64", "cvt.rn.f64.u32", 3, 2})},
      {"sm_75", runner::arithmeticProbe({"fp16", "fma.rn.f16x2", "b32", "mov.b32", 3, 4})},
      {"sm_75", runner::arithmeticProbe({"special", "ex2.approx.ftz.f32", "f32", "cvt.rn.f32.u32", 1, 1})},
      {"sm_75", runner::emptyProbe()},
      {"sm_80", runner::tensorProbe()},
  };
  for (const auto &[architecture, text] : probes) {
    std::string path = folder->path() + "/probe.ptx", cubin = folder->path() + "/probe.cubin";
    std::ofstream(path) << text;
    std::string flag = std::string("-arch=") + architecture;
    EXPECT_EQ(llvm::sys::ExecuteAndWait(program, {program, flag, path, "-o", cubin}), 0) << text;
  }
}
