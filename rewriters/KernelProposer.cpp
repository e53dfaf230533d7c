#include "rewriters/KernelProposer.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {

KernelProposer::KernelProposer(const RewriteContext &context, llvm::StringRef id)
    : context_(context), analysis_(context.analysis), ast_(context.unit.ast()),
      kernel_(*context.analysis.kernel.declaration), builder_(ast_), id_(id) {}

void KernelProposer::offer(Candidate candidate) {
  candidate.rewriter = id_;
  candidate.kernelKey = analysis_.kernel.key;
  llvm::sort(candidate.edits, [](const Edit &left, const Edit &right) { return left.offset < right.offset; });
  llvm::erase(candidate.assumptions, "");
  llvm::sort(candidate.assumptions);
  candidate.assumptions.erase(llvm::unique(candidate.assumptions), candidate.assumptions.end());
  proposals_.candidates.push_back(std::move(candidate));
}

void KernelProposer::decline(std::string why) {
  decline(analysis_.kernel.place, std::move(why));
}

void KernelProposer::decline(const Place &place, std::string why) {
  proposals_.declines.push_back({id_, analysis_.kernel.key, place, std::move(why)});
}

void KernelProposer::decline(const clang::Stmt &at, std::string why) {
  decline(placeAt(at.getBeginLoc()), std::move(why));
}

void KernelProposer::declineLoop(clang::SourceLocation loop, const std::string &why) {
  decline(placeAt(loop), "the loop at line " + std::to_string(lineOf(loop)) + ": " + why);
}

Place KernelProposer::placeAt(clang::SourceLocation location) const {
  return placeOf(location, ast_.getSourceManager());
}

unsigned KernelProposer::lineOf(const clang::Stmt &statement) const {
  return lineOf(statement.getBeginLoc());
}

std::string KernelProposer::symbolOf(const clang::VarDecl &array) const {
  for (const SharedVariable &variable : analysis_.facts.sharedVariables)
    if (llvm::StringRef(variable.name).contains(array.getName()))
      return variable.name;
  return array.getNameAsString();
}

} // namespace warpwright
