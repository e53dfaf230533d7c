#include "clang_plugin/Pages.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

constexpr Page pageTable[] = {
#include "clang_plugin/Pages.inc"
};

} // namespace

llvm::ArrayRef<Page> pages() {
  return pageTable;
}

const Page *findPage(llvm::StringRef id) {
  const Page *found = llvm::find_if(pageTable, [&](const Page &page) { return page.id == id; });
  return found == std::end(pageTable) ? nullptr : found;
}

} // namespace warpwright
