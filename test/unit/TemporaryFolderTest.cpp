#include "analysis/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

using namespace warpwright;

TEST(TemporaryFolder, GoesWithEverythingInIt) {
  std::string path;
  {
    llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
    ASSERT_TRUE(static_cast<bool>(folder));
    path = folder->path();
    EXPECT_TRUE(isTemporaryFolder(path));
    std::error_code error;
    llvm::raw_fd_ostream stream(path + "/file", error);
    ASSERT_FALSE(error);
    TemporaryFolder moved = std::move(*folder);
    EXPECT_TRUE(folder->path().empty());
    EXPECT_TRUE(llvm::sys::fs::exists(path + "/file"));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}

TEST(TemporaryFolder, NothingElseIsTakenForOne) {
  llvm::SmallString<128> root;
  llvm::sys::path::system_temp_directory(true, root);
  EXPECT_TRUE(isTemporaryFolder((root + "/warpwright-0f3a2b").str()));
  EXPECT_FALSE(isTemporaryFolder(""));
  EXPECT_FALSE(isTemporaryFolder("/"));
  EXPECT_FALSE(isTemporaryFolder(root));
  EXPECT_FALSE(isTemporaryFolder((root + "/other").str()));
  EXPECT_TRUE(isTemporaryFolder((root + "/warpwright-0f3a2b/warpwright-5c").str()));
  EXPECT_FALSE(isTemporaryFolder((root + "/other/warpwright-0f3a2b").str()));
  EXPECT_FALSE(isTemporaryFolder((root + "/warpwright-0f3a2b/below").str()));
  EXPECT_FALSE(isTemporaryFolder("/usr/local/warpwright-0f3a2b"));
  EXPECT_FALSE(isTemporaryFolder("warpwright-0f3a2b"));
}
