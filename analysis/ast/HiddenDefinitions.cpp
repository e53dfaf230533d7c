#include "analysis/ast/HiddenDefinitions.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <set>

namespace warpwright {
namespace {

/// The kernels' names as the text defines them, branches of the preprocessor that are skipped included.
class DefinitionScanner {
public:
  DefinitionScanner(clang::FileID file, const clang::SourceManager &sources,
                    const clang::LangOptions &options, llvm::StringRef name)
      : lexer_(file, sources.getBufferOrFake(file), sources, options), sources_(sources), name_(name) {}

  /// Offsets of the name in each definition.
  std::set<unsigned> scan() {
    std::set<unsigned> found;
    bool global = false;
    for (next(); !atEnd(); next()) {
      if (token_.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::r_brace))
        global = false;
      else if (isWord("__global__"))
        global = true;
      else if (global && isWord(name_)) {
        unsigned offset = sources_.getFileOffset(token_.getLocation());
        if (bodyFollows())
          found.insert(offset);
        global = false;
      }
    }
    return found;
  }

private:
  void next() { lexer_.LexFromRawLexer(token_); }
  bool atEnd() const { return token_.is(clang::tok::eof); }
  bool isWord(llvm::StringRef word) const {
    return token_.is(clang::tok::raw_identifier) && token_.getRawIdentifier() == word;
  }

  /// Whether parameters and then a body stand behind the name; ends on the body's brace.
  bool bodyFollows() {
    next();
    if (token_.isNot(clang::tok::l_paren))
      return false;
    for (int depth = 1; depth > 0;) {
      next();
      if (atEnd())
        return false;
      depth += token_.is(clang::tok::l_paren) - token_.is(clang::tok::r_paren);
    }
    next();
    return token_.is(clang::tok::l_brace);
  }

  clang::Lexer lexer_;
  clang::Token token_;
  const clang::SourceManager &sources_;
  llvm::StringRef name_;
};

/// Where the compiler has seen definitions or declarations of functions of that name in the file.
class SeenPlaces {
public:
  SeenPlaces(clang::FileID file, const clang::SourceManager &sources) : file_(file), sources_(sources) {}

  void addAll(const clang::NamedDecl &declaration) {
    if (const auto *described = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
      for (const clang::RedeclarableTemplateDecl *again : described->redecls())
        add(*again->getTemplatedDecl());
      for (const clang::FunctionDecl *specialisation : described->specializations())
        for (const clang::FunctionDecl *again : specialisation->redecls())
          add(*again);
    } else if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      for (const clang::FunctionDecl *again : function->redecls())
        add(*again);
    }
  }
  bool contains(unsigned offset) const { return offsets_.count(offset) != 0; }

private:
  void add(const clang::NamedDecl &declaration) {
    auto [file, offset] = sources_.getDecomposedExpansionLoc(declaration.getLocation());
    if (file == file_)
      offsets_.insert(offset);
  }

  clang::FileID file_;
  const clang::SourceManager &sources_;
  std::set<unsigned> offsets_;
};

} // namespace

bool hasHiddenDefinition(const clang::FunctionDecl &kernel) {
  if (!kernel.getIdentifier())
    return false;
  const clang::ASTContext &ast = kernel.getASTContext();
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::FileID file = sources.getDecomposedExpansionLoc(kernel.getLocation()).first;
  SeenPlaces seen(file, sources);
  // The same name in another namespace or class is another kernel, which may be defined here, too.
  std::vector<const clang::DeclContext *> scopes = {ast.getTranslationUnitDecl()};
  for (size_t i = 0; i < scopes.size(); ++i)
    for (const clang::Decl *declaration : scopes[i]->decls()) {
      if (const auto *named = llvm::dyn_cast<clang::NamedDecl>(declaration);
          named && named->getDeclName() == kernel.getDeclName())
        seen.addAll(*named);
      bool isScope =
          llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl, clang::CXXRecordDecl>(declaration);
      if (isScope && sources.getDecomposedExpansionLoc(declaration->getLocation()).first == file)
        scopes.push_back(llvm::cast<clang::DeclContext>(declaration));
    }
  for (unsigned offset : DefinitionScanner(file, sources, ast.getLangOpts(), kernel.getName()).scan())
    if (!seen.contains(offset))
      return true;
  return false;
}

} // namespace warpwright
