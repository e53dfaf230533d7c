#include "rewriters/sections/LoneSection.h"

#include "analysis/KernelAnalysis.h"
#include "analysis/ast/BlockFolds.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"
#include "rewriters/Rewriter.h"

#include <clang/AST/ASTContext.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

/// With no more iterations, sharing them out costs what it gains.
constexpr int64_t fewIterations = 32;

bool isShort(const CanonicalLoop &loop) {
  return loop.facts && loop.facts->tripCount.known() &&
         loop.facts->tripCount.value().asConstant().value_or(fewIterations + 1) <= fewIterations;
}

class Finder {
public:
  Finder(const RewriteContext &context, llvm::ArrayRef<CanonicalLoop> loops, const std::optional<Dim3> &block)
      : analysis_(context.analysis), ast_(context.unit.ast()), loops_(loops) {
    if (block)
      folds_.emplace(ast_, KnownBlock{block->x, block->y, block->z},
                     FoldSite{analysis_.kernel.declaration, {}});
  }

  std::vector<LoneSection> find() {
    scan(analysis_.kernel.declaration->getBody(), true);
    return std::move(found_);
  }

private:
  void scan(const clang::Stmt *code, bool outermost) {
    const auto *scope = llvm::dyn_cast_or_null<clang::CompoundStmt>(code);
    for (size_t i = 0; scope && i < scope->size(); ++i)
      if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(scope->body_begin()[i]))
        if (std::optional<LoneSection> section = read(*scope, i, *branch)) {
          section->outermost = outermost;
          found_.push_back(std::move(*section));
        }
    if (code)
      for (const clang::Stmt *child : code->children())
        scan(child, false);
  }

  /// Nothing where it is no section of one thread with a loop that is worth sharing.
  std::optional<LoneSection> read(const clang::CompoundStmt &scope, size_t position,
                                  const clang::IfStmt &branch) const {
    if (branch.getElse() || branch.getInit() || branch.getConditionVariable())
      return std::nullopt;
    LoneSection section;
    section.scope = &scope;
    section.position = position;
    section.branch = &branch;
    std::vector<const clang::Stmt *> body = {branch.getThen()};
    if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(branch.getThen()))
      body.assign(compound->body_begin(), compound->body_end());
    for (const clang::Stmt *statement : body) {
      const CanonicalLoop *loop = loopOf(statement);
      if (section.loop)
        section.rest.push_back(statement);
      else if (loop)
        section.loop = loop;
      else if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(statement))
        section.declarations.push_back(declaration);
      else
        return std::nullopt;
    }
    if (!section.loop || isShort(*section.loop) || !isOfOneThread(section))
      return std::nullopt;
    return section;
  }

  bool isOfOneThread(LoneSection &section) const {
    const clang::SourceManager &sources = ast_.getSourceManager();
    unsigned first = placeOf(section.branch->getBeginLoc(), sources).line;
    unsigned last = placeOf(section.branch->getThen()->getBeginLoc(), sources).line;
    if (!folds_)
      return llvm::any_of(analysis_.facts.sections, [&](const SingleThreadSection &fact) {
        return fact.place.place.line >= first && fact.place.place.line <= last;
      });
    BlockInterpreter interpreter = folds_->interpreter();
    std::optional<BlockInterpreter::Lanes> lanes =
        interpreter.lanesWhere(section.branch->getCond(), interpreter.allLanes());
    if (!lanes || lanes->size() != 1)
      return false;
    section.thread = lanes->front();
    return true;
  }

  const CanonicalLoop *loopOf(const clang::Stmt *statement) const {
    const auto *found =
        llvm::find_if(loops_, [&](const CanonicalLoop &loop) { return loop.statement == statement; });
    return found == loops_.end() ? nullptr : found;
  }

  const KernelAnalysis &analysis_;
  const clang::ASTContext &ast_;
  llvm::ArrayRef<CanonicalLoop> loops_;
  std::optional<BlockFolds> folds_;
  std::vector<LoneSection> found_;
};

} // namespace

std::vector<LoneSection> findLoneSections(const RewriteContext &context, llvm::ArrayRef<CanonicalLoop> loops,
                                          const std::optional<Dim3> &block) {
  return Finder(context, loops, block).find();
}

} // namespace warpwright
