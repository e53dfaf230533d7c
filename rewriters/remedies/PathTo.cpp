#include "rewriters/remedies/Remedy.h"

#include <clang/AST/Stmt.h>

namespace warpwright {
namespace {

bool descend(const clang::Stmt &node, bool (*accepts)(const clang::Stmt &, const void *), const void *data,
             std::vector<const clang::Stmt *> &path) {
  path.push_back(&node);
  if (accepts(node, data))
    return true;
  for (const clang::Stmt *child : node.children())
    if (child && descend(*child, accepts, data, path))
      return true;
  path.pop_back();
  return false;
}

} // namespace

std::vector<const clang::Stmt *>
pathTo(const clang::Stmt &root, bool (*accepts)(const clang::Stmt &, const void *), const void *data) {
  std::vector<const clang::Stmt *> path;
  descend(root, accepts, data, path);
  return path;
}

} // namespace warpwright
