#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace warpwright {

TranslationUnit::TranslationUnit() = default;

TranslationUnit::~TranslationUnit() {
  module_.reset();
  // The parse stays open for as long as the AST is in use; it ends here, where nobody can look at it any
  // more.
  if (action_)
    action_->EndSourceFile();
}

clang::ASTContext &TranslationUnit::ast() {
  return compiler_->getASTContext();
}

const clang::Decl *TranslationUnit::declarationOf(llvm::StringRef symbol) {
  return codeGenerator_->GetDeclForMangledName(symbol);
}

void TranslationUnit::reportTo(clang::DiagnosticConsumer &consumer) {
  clang::DiagnosticsEngine &engine = compiler_->getDiagnostics();
  engine.setClient(&consumer, /*ShouldOwnClient=*/false);
  engine.Reset(/*soft=*/true);
  consumer.BeginSourceFile(compiler_->getLangOpts(), &compiler_->getPreprocessor());
}

void TranslationUnit::stopReporting() {
  clang::DiagnosticsEngine &engine = compiler_->getDiagnostics();
  engine.getClient()->EndSourceFile();
  engine.setClient(parseDiagnostics_.get(), /*ShouldOwnClient=*/false);
}

} // namespace warpwright
