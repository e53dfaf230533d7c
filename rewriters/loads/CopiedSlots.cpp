#include "rewriters/loads/CopiedSlots.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::Stmt;
using clang::VarDecl;

class Search {
public:
  Search(const KernelAnalysis &analysis, const clang::ASTContext &ast, const PlaceReader &reader)
      : analysis_(analysis), ast_(ast), reader_(reader) {}

  std::vector<CopiedSlot> found;

  void scan(const Stmt *code) {
    if (!code || llvm::isa<clang::LambdaExpr>(code))
      return;
    if (const auto *scope = llvm::dyn_cast<clang::CompoundStmt>(code))
      for (size_t i = 0; i < scope->size(); ++i)
        if (const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(scope->body_begin()[i]);
            binary && binary->getOpcode() == clang::BO_Assign)
          readStore(*scope, i, *binary);
    for (const Stmt *child : code->children())
      scan(child);
  }

private:
  void readStore(const clang::CompoundStmt &scope, size_t position, const clang::BinaryOperator &store) {
    MemoryRoot root = reader_.rootOf(*store.getLHS());
    bool shared = root.known() && root.variable->hasAttr<clang::CUDASharedAttr>() &&
                  llvm::isa<clang::ArraySubscriptExpr>(store.getLHS()->IgnoreParens());
    if (!shared || root.variable->hasExternalStorage() || !isSaidToBeCopied(*root.variable))
      return;
    moved_ = false;
    CopiedSlot slot{root.variable, declarationOf(*root.variable), &store, store.getRHS(), {}};
    VariableChanges valueChanges(*store.getRHS());
    if (!slot.declaration || !valueChanges.changed().empty() || valueChanges.mentionsOf(root.variable) != 0)
      return;
    unsigned mentions = 1;
    for (size_t i = position + 1; i < scope.size(); ++i)
      if (!readBehind(*scope.body_begin()[i], store, slot, mentions))
        return;
    if (!slot.reads.empty() && reader_.changes().mentionsOf(root.variable) == mentions)
      found.push_back(std::move(slot));
  }

  bool readBehind(const Stmt &statement, const clang::BinaryOperator &store, CopiedSlot &slot,
                  unsigned &mentions) const {
    VariableChanges changes(statement);
    bool here = false;
    for (const PlaceUse &use : reader_.usesOf(statement).places) {
      if (use.root.variable != slot.array)
        continue;
      if (use.kind != PlaceUse::Kind::Read || use.isVolatile || !areAlike(use.place, store.getLHS(), ast_) ||
          use.spelled->getBeginLoc().isMacroID() || use.spelled->getEndLoc().isMacroID())
        return false;
      slot.reads.push_back(use.spelled);
      ++mentions;
      here = true;
    }
    // What the index depends on may change behind the last read, but then in no statement that reads.
    bool moved = llvm::any_of(variablesIn(store.getLHS()), [&](const VarDecl *variable) {
      return variable != slot.array && (changes.isChanged(variable) || reader_.changes().isExposed(variable));
    });
    if (moved)
      moved_ = true;
    return !(here && moved_);
  }

  bool isSaidToBeCopied(const VarDecl &array) const {
    return llvm::any_of(analysis_.findings, [&](const Finding &finding) {
      return llvm::StringRef(finding.id) == "redundant-copy" &&
             llvm::StringRef(finding.message).contains("'" + array.getNameAsString() + "'");
    });
  }

  const Stmt *declarationOf(const VarDecl &array) const {
    std::vector<const Stmt *> work = {analysis_.kernel.declaration->getBody()};
    while (!work.empty()) {
      const Stmt *code = work.back();
      work.pop_back();
      if (const auto *declaration = llvm::dyn_cast_or_null<clang::DeclStmt>(code);
          declaration && declaration->isSingleDecl() && declaration->getSingleDecl() == &array)
        return declaration;
      if (code)
        llvm::append_range(work, code->children());
    }
    return nullptr;
  }

  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  const PlaceReader &reader_;
  mutable bool moved_ = false;
};

} // namespace

std::vector<CopiedSlot> findCopiedSlots(const KernelAnalysis &analysis, const clang::ASTContext &ast,
                                        const PlaceReader &reader) {
  Search search(analysis, ast, reader);
  search.scan(analysis.kernel.declaration->getBody());
  return std::move(search.found);
}

} // namespace warpwright
