#include "analysis/ast/LaunchSites.h"

#include "analysis/ast/ConstantLocals.h"
#include "analysis/ast/SourcePlace.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>

namespace warpwright {
namespace {

/// Definitions that are compiled, and every name of a function in the main file.
class FunctionCollector : public clang::ConstDynamicRecursiveASTVisitor {
public:
  FunctionCollector() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(const clang::FunctionDecl *function) override {
    names.push_back(function->getLocation());
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      definitions.push_back(function);
    return true;
  }
  bool VisitVarDecl(const clang::VarDecl *variable) override {
    if (variable->isFileVarDecl() && variable->getInit() && !variable->getDeclContext()->isDependentContext())
      initialisers.push_back(variable->getInit());
    return true;
  }
  std::vector<clang::SourceLocation> names;
  std::vector<const clang::FunctionDecl *> definitions;
  std::vector<const clang::Expr *> initialisers;
};

/// Launches and mentions of kernels in one body.
class BodyVisitor : public clang::ConstDynamicRecursiveASTVisitor {
public:
  bool VisitCUDAKernelCallExpr(const clang::CUDAKernelCallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return true;
    calls.push_back(call);
    if (const auto *name = llvm::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts()))
      launching.insert(name);
    return true;
  }
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    if (reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>())
      mentions.push_back(reference);
    return true;
  }
  std::vector<const clang::CUDAKernelCallExpr *> calls;
  llvm::SmallPtrSet<const clang::DeclRefExpr *, 8> launching;
  std::vector<const clang::DeclRefExpr *> mentions;
};

LaunchSite describe(const clang::CUDAKernelCallExpr &call, const ConstantLocals &locals,
                    const clang::ASTContext &ast) {
  LaunchSite site;
  site.kernel = call.getDirectCallee()->getCanonicalDecl();
  site.call = &call;
  site.place = placeOf(call.getBeginLoc(), ast.getSourceManager());
  const clang::CallExpr *configuration = call.getConfig();
  auto argument = [&](unsigned position) {
    return configuration && position < configuration->getNumArgs() ? configuration->getArg(position)
                                                                   : nullptr;
  };
  site.grid = argument(0);
  site.block = argument(1);
  site.sharedBytes = argument(2);
  site.stream = argument(3);
  if (site.grid)
    site.constantGrid = locals.extents(*site.grid);
  if (site.block)
    site.constantBlock = locals.extents(*site.block);
  if (site.sharedBytes)
    site.constantSharedBytes = locals.natural(*site.sharedBytes);
  return site;
}

std::optional<Dim3> common(const std::vector<LaunchSite> &sites, std::optional<Dim3> LaunchSite::*extents) {
  if (sites.empty())
    return std::nullopt;
  std::optional<Dim3> first = sites.front().*extents;
  for (const LaunchSite &site : sites)
    if (site.*extents != first)
      return std::nullopt;
  return first;
}

} // namespace

std::optional<Dim3> KernelLaunches::commonGrid() const {
  return common(sites, &LaunchSite::constantGrid);
}
std::optional<Dim3> KernelLaunches::commonBlock() const {
  return common(sites, &LaunchSite::constantBlock);
}

LaunchSites::LaunchSites(clang::ASTContext &ast) : ast_(ast) {
  const clang::SourceManager &sources = ast.getSourceManager();
  FunctionCollector collector;
  // Only what this file and the user's headers declare: reading the toolkit's headers out of a precompiled
  // one takes long, and nothing in them launches a user's kernel but through its address.
  for (const clang::Decl *declaration : ast.getTranslationUnitDecl()->noload_decls())
    if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())))
      collector.TraverseDecl(declaration);
  auto account = [&](clang::SourceLocation location) {
    location = sources.getSpellingLoc(location);
    if (sources.isInMainFile(location))
      accounted_.insert(sources.getFileOffset(location));
  };
  for (clang::SourceLocation name : collector.names)
    account(name);

  auto visit = [&](const clang::Stmt &body) {
    BodyVisitor visitor;
    visitor.TraverseStmt(&body);
    if (visitor.mentions.empty())
      return;
    ConstantLocals locals(ast, body);
    for (const clang::CUDAKernelCallExpr *call : visitor.calls)
      sites_.push_back(describe(*call, locals, ast));
    for (const clang::DeclRefExpr *mention : visitor.mentions) {
      account(mention->getLocation());
      const auto *kernel = llvm::dyn_cast<clang::FunctionDecl>(mention->getDecl());
      if (kernel && !visitor.launching.contains(mention))
        otherUses_.push_back({kernel->getCanonicalDecl(), placeOf(mention->getLocation(), sources)});
    }
  };
  for (const clang::FunctionDecl *function : collector.definitions)
    visit(*function->getBody());
  for (const clang::Expr *initialiser : collector.initialisers)
    visit(*initialiser);
}

KernelLaunches LaunchSites::of(const clang::FunctionDecl &kernel) const {
  KernelLaunches launches;
  const clang::FunctionDecl *canonical = kernel.getCanonicalDecl();
  launches.internalLinkage = !canonical->isExternallyVisible();
  for (const LaunchSite &site : sites_)
    if (site.kernel == canonical)
      launches.sites.push_back(site);
  for (const Use &use : otherUses_)
    if (use.kernel == canonical && !launches.otherUse)
      launches.otherUse = use.place;
  if (!launches.otherUse)
    launches.otherUse = findStrayMention(kernel);
  return launches;
}

/// A place in the main file where the kernel's name stands and the AST has nothing: a branch of `#if` that is
/// not compiled for the device, a macro that is not used, a template that is not instantiated.
std::optional<Place> LaunchSites::findStrayMention(const clang::FunctionDecl &kernel) const {
  const clang::SourceManager &sources = ast_.getSourceManager();
  const clang::IdentifierInfo *identifier = kernel.getIdentifier();
  if (!identifier)
    return std::nullopt;
  clang::FileID file = sources.getMainFileID();
  clang::Lexer lexer(file, sources.getBufferOrFake(file), sources, ast_.getLangOpts());
  clang::Token token;
  while (!lexer.LexFromRawLexer(token)) {
    if (!token.is(clang::tok::raw_identifier) || token.getRawIdentifier() != identifier->getName())
      continue;
    if (!accounted_.contains(sources.getFileOffset(token.getLocation())))
      return placeOf(token.getLocation(), sources);
  }
  return std::nullopt;
}

} // namespace warpwright
