#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

namespace warpwright {

/// A page of the documentation, built into the binary.
struct Page {
  llvm::StringLiteral id;
  llvm::StringLiteral text; ///< Markdown
};

/// All pages, sorted by id.
llvm::ArrayRef<Page> pages();

/// The page of that id, or null.
const Page *findPage(llvm::StringRef id);

} // namespace warpwright
