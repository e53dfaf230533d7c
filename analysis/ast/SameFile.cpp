#include "analysis/ast/SameFile.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

namespace warpwright {

bool inSameFile(const Place &left, const Place &right) {
  if (left.file == right.file)
    return true;
  llvm::SmallString<256> one(left.file), other(right.file);
  for (llvm::SmallString<256> *path : {&one, &other}) {
    llvm::sys::fs::make_absolute(*path);
    llvm::sys::path::remove_dots(*path, /*remove_dot_dot=*/true);
  }
  return one == other;
}

} // namespace warpwright
