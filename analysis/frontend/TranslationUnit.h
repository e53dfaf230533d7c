#pragma once

#include "analysis/frontend/Remap.h"

#include <llvm/ADT/StringRef.h>

#include <memory>
#include <string>

namespace clang {
class ASTContext;
class CodeGenerator;
class CompilerInstance;
class Decl;
class DiagnosticConsumer;
class FrontendAction;
} // namespace clang

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace warpwright {

/// One CUDA file, parsed once for one architecture: its AST and the device IR that came out of the same
/// parse. The IR is Clang's at -O1 with line tables; device math functions (`__nv_*`) are left as
/// declarations.
class TranslationUnit {
public:
  TranslationUnit();
  ~TranslationUnit();
  TranslationUnit(const TranslationUnit &) = delete;
  TranslationUnit &operator=(const TranslationUnit &) = delete;

  /// The file as it was named on the command line.
  llvm::StringRef file() const { return file_; }
  /// "sm_90", "sm_90a", ...
  llvm::StringRef architecture() const { return architecture_; }

  /// How the file had to be read: "as written" nearly always, "remapped" or "with __NVCC__" where that
  /// failed.
  llvm::StringRef attempt() const { return attempt_; }
  /// What was changed in the file's text before Clang read it, or null: nothing. Offsets in the AST are those
  /// of the changed text then.
  const RemappedSource *remapped() const { return remapped_ ? &*remapped_ : nullptr; }

  clang::CompilerInstance &compiler() { return *compiler_; }
  clang::ASTContext &ast();
  llvm::Module &module() { return *module_; }
  llvm::TargetMachine &targetMachine() { return *targetMachine_; }

  /// The declaration behind a symbol of the module, or null.
  const clang::Decl *declarationOf(llvm::StringRef symbol);

  /// Diagnostics about this file go to the consumer until stopReporting(); before and after, to nobody.
  void reportTo(clang::DiagnosticConsumer &consumer);
  void stopReporting();

private:
  friend class UnitParser;

  std::string file_;
  std::string architecture_;
  std::string attempt_;
  std::optional<RemappedSource> remapped_;
  // The order matters: the action borrows the compiler, the code generator belongs to the action's consumer,
  // and the module borrows the context.
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<clang::DiagnosticConsumer> parseDiagnostics_;
  std::unique_ptr<clang::CompilerInstance> compiler_;
  std::unique_ptr<clang::FrontendAction> action_;
  clang::CodeGenerator *codeGenerator_ = nullptr;
  std::unique_ptr<llvm::TargetMachine> targetMachine_;
  std::unique_ptr<llvm::Module> module_;
};

} // namespace warpwright
