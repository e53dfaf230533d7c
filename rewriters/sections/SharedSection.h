#pragma once

#include "rewriters/edits/CodeLines.h"
#include "rewriters/edits/EditBuilder.h"
#include "rewriters/folds/FoldCode.h"
#include "rewriters/sections/LoneSection.h"

#include <functional>
#include <string>
#include <vector>

namespace warpwright {

class FreshNames;
class PatchedText;

/// Writes a section of one thread so that all threads of the block share its loop.
class SharedSection {
public:
  /// `conflict` says whether two pieces of code may touch the same memory, and one of them writes it: then
  /// the block waits between them. Everything is borrowed.
  SharedSection(const clang::FunctionDecl &kernel, const clang::ASTContext &ast, const Dim3 &block,
                FreshNames &names, std::function<bool(const clang::Stmt &, const clang::Stmt &)> conflict);

  /// The lines in the place of the branch; `values` are what the loop gathers. Nothing where a macro or a
  /// header is in the way.
  std::optional<CodeLines> write(const LoneSection &section, llvm::ArrayRef<FoldedValue> values);

private:
  bool isFlat() const { return block_.y == 1 && block_.z == 1; }
  bool needsBarrierBefore(const LoneSection &section) const;
  bool needsBarrierAfter(const LoneSection &section) const;
  bool move(const clang::Stmt &statement, CodeLines &code, PatchedText *patched = nullptr) const;
  bool writeLoop(const CanonicalLoop &loop, const std::string &thread, CodeLines &code) const;
  bool writeRest(const LoneSection &section, const std::string &barrier, bool &waits, CodeLines &code) const;

  const clang::FunctionDecl &kernel_;
  const clang::ASTContext &ast_;
  const Dim3 &block_;
  FreshNames &names_;
  std::function<bool(const clang::Stmt &, const clang::Stmt &)> conflict_;
  EditBuilder builder_;
};

} // namespace warpwright
