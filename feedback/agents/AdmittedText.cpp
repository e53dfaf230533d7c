#include "feedback/agents/AdmittedText.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright::agents {
namespace {

const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  return pattern ? pattern : function;
}

class FunctionCollector {
public:
  FunctionCollector(clang::ASTContext &ast, const clang::FunctionDecl *kernel)
      : ast_(ast), sources_(ast.getSourceManager()), kernel_(kernel ? patternOf(kernel) : nullptr) {}

  std::vector<ChangeableFunction> collect() {
    visit(*ast_.getTranslationUnitDecl());
    llvm::sort(found_, [](const auto &left, const auto &right) { return left.begin < right.begin; });
    return std::move(found_);
  }

private:
  /// Declarations of precompiled headers are not read for this: none of them is in the main file.
  void visit(const clang::DeclContext &context) {
    for (const clang::Decl *declaration : context.noload_decls()) {
      if (const auto *nested = llvm::dyn_cast<clang::NamespaceDecl>(declaration))
        visit(*nested);
      else if (const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration))
        visit(*linkage);
      else if (const auto *described = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
        take(*described->getTemplatedDecl(), described->getBeginLoc());
      else if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
        take(*function, function->getOuterLocStart());
    }
  }

  void take(const clang::FunctionDecl &function, clang::SourceLocation begin) {
    const bool isKernel = &function == kernel_;
    const bool isDevice = function.hasAttr<clang::CUDADeviceAttr>() &&
                          !function.hasAttr<clang::CUDAHostAttr>() &&
                          !function.hasAttr<clang::CUDAGlobalAttr>();
    if (function.isImplicit() || (!isKernel && !isDevice))
      return;
    for (const clang::Attr *attribute : function.attrs())
      if (const auto *annotation = llvm::dyn_cast<clang::AnnotateAttr>(attribute))
        begin = earlier(begin, annotation->getLocation());
    if (const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(function.getLexicalDeclContext()))
      if (!linkage->hasBraces())
        begin = linkage->getBeginLoc();
    clang::FileIDAndOffset first = sources_.getDecomposedExpansionLoc(begin);
    // Out of a macro it cannot be changed apart from it.
    if (first.first != sources_.getMainFileID() || function.getEndLoc().isMacroID() ||
        function.getLocation().isMacroID())
      return;
    clang::SourceLocation end =
        clang::Lexer::getLocForEndOfToken(function.getEndLoc(), 0, sources_, ast_.getLangOpts());
    if (!function.doesThisDeclarationHaveABody()) {
      clang::SourceLocation behind = clang::Lexer::findLocationAfterToken(
          function.getEndLoc(), clang::tok::semi, sources_, ast_.getLangOpts(), false);
      end = behind.isValid() ? behind : end;
    }
    found_.push_back({&function, function.getQualifiedNameAsString(),
                      function.getQualifiedNameAsString() + " " + function.getType().getAsString() +
                          (function.doesThisDeclarationHaveABody() ? "" : ";"),
                      first.second, sources_.getDecomposedExpansionLoc(end).second, isKernel});
  }

  clang::SourceLocation earlier(clang::SourceLocation left, clang::SourceLocation right) const {
    return sources_.getDecomposedExpansionLoc(right).second < sources_.getDecomposedExpansionLoc(left).second
               ? right
               : left;
  }

  clang::ASTContext &ast_;
  const clang::SourceManager &sources_;
  const clang::FunctionDecl *kernel_;
  std::vector<ChangeableFunction> found_;
};

} // namespace

const ChangeableFunction *AdmittedText::kernel() const {
  auto found = llvm::find_if(functions, [](const ChangeableFunction &one) { return one.isKernel; });
  return found == functions.end() ? nullptr : &*found;
}

const ChangeableFunction *AdmittedText::find(llvm::StringRef signature) const {
  auto found =
      llvm::find_if(functions, [&](const ChangeableFunction &one) { return one.signature == signature; });
  return found == functions.end() ? nullptr : &*found;
}

const ChangeableFunction *AdmittedText::holderOf(const SourceToken &token) const {
  auto found = llvm::find_if(functions, [&](const ChangeableFunction &one) { return one.contains(token); });
  return found == functions.end() ? nullptr : &*found;
}

std::string AdmittedText::textOf(const ChangeableFunction &function) const {
  std::string text;
  for (const SourceToken &token : tokens)
    if (!token.isComment && function.contains(token))
      text += token.text + " ";
  return text;
}

std::vector<const SourceToken *> AdmittedText::rest() const {
  std::vector<const SourceToken *> rest;
  for (const SourceToken &token : tokens)
    if (!token.isComment && !holderOf(token))
      rest.push_back(&token);
  return rest;
}

AdmittedText readText(const AdmissionSide &side) {
  clang::ASTContext &ast = *side.ast;
  const clang::SourceManager &sources = ast.getSourceManager();
  AdmittedText text;
  text.tokens = tokensOf(sources.getBufferData(sources.getMainFileID()), ast.getLangOpts());
  text.functions = FunctionCollector(ast, side.kernel).collect();
  return text;
}

} // namespace warpwright::agents
