#pragma once

#include "analysis/Place.h"

#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <string>

namespace warpwright {

/// Prints messages as Clang does, with source line and caret; each file is read once.
class SourcePrinter {
public:
  /// Without source line where the file cannot be read.
  void print(llvm::raw_ostream &stream, const Place &place, llvm::SourceMgr::DiagKind kind,
             const std::string &text);

  /// The text of a line, or nothing where it cannot be read.
  llvm::StringRef line(const Place &place);
  /// The text of a file, or nothing.
  llvm::StringRef text(const std::string &file);

private:
  llvm::SMLoc locate(const Place &place);
  /// 0 where the file cannot be read.
  unsigned open(const std::string &file);

  llvm::SourceMgr manager_;
  std::map<std::string, unsigned> buffers_;
};

} // namespace warpwright
