#include "clang_plugin/Pages.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr Page table[] = {
#include "clang_plugin/Pages.inc"
};

} // namespace

llvm::ArrayRef<Page> pages() {
  return table;
}

const Page *findPage(llvm::StringRef id) {
  const Page *found = llvm::find_if(table, [&](const Page &page) { return page.id == id; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace warpwright
