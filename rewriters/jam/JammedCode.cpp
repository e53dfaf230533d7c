#include "rewriters/jam/JammedCode.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

namespace warpwright {
namespace {

using clang::VarDecl;

/// Mentions of variables in a piece of code, and the variables that it declares.
class MentionFinder : public clang::ConstDynamicRecursiveASTVisitor {
public:
  std::vector<const clang::DeclRefExpr *> mentions;
  llvm::DenseSet<const VarDecl *> declared;
  bool VisitDeclRefExpr(const clang::DeclRefExpr *reference) override {
    mentions.push_back(reference);
    return true;
  }
  bool VisitVarDecl(const VarDecl *variable) override {
    declared.insert(variable);
    return true;
  }
};

bool isNested(const clang::Stmt &statement) {
  return llvm::isa<clang::CompoundStmt, clang::IfStmt, clang::ForStmt, clang::WhileStmt, clang::DoStmt,
                   clang::AttributedStmt>(statement);
}

} // namespace

JammedCode::JammedCode(const clang::FunctionDecl &function, const clang::ASTContext &ast,
                       const VaryingValues &values, unsigned copies, std::string copy)
    : function_(function), ast_(ast), values_(values), copies_(copies), copy_(std::move(copy)),
      builder_(ast) {
  MentionFinder finder;
  finder.TraverseStmt(function.getBody());
  for (const VarDecl *variable : finder.declared)
    ++declarations_[variable->getName()];
  for (const clang::ParmVarDecl *parameter : function.parameters())
    ++declarations_[parameter->getName()];
}

/// No other variable of the function is called so: it may be declared earlier.
bool JammedCode::hasOwnName(const VarDecl &variable) const {
  return declarations_.lookup(variable.getName()) == 1;
}

bool JammedCode::refuse(std::string why) {
  if (whyNot_.empty())
    whyNot_ = std::move(why);
  return false;
}

PatchedText JammedCode::patched(const clang::Stmt &code, const std::string &copy) const {
  PatchedText text(ast_);
  MentionFinder finder;
  finder.TraverseStmt(&code);
  for (const clang::DeclRefExpr *mention : finder.mentions) {
    const auto *variable = llvm::dyn_cast<VarDecl>(mention->getDecl());
    if (variable && values_.isVarying(*variable) && !finder.declared.contains(variable))
      text.replace(mention->getSourceRange(), variable->getNameAsString() + "[" + copy + "]");
  }
  const clang::SourceManager &sources = ast_.getSourceManager();
  for (const SeedText &seed : seeds_)
    if (sources.isPointWithin(seed.tokens.getBegin(), code.getBeginLoc(), code.getEndLoc()))
      text.replace(seed.tokens, seed.text(copy));
  return text;
}

std::optional<std::string> JammedCode::statementText(const clang::Stmt &statement,
                                                     const std::string &copy) const {
  std::optional<Edit> place = builder_.replaceStatements(statement, statement, "", "its place");
  if (!place)
    return std::nullopt;
  return patched(statement, copy).between(place->offset, place->offset + place->length);
}

bool JammedCode::append(CodeLines &code, llvm::ArrayRef<const clang::Stmt *> statements) {
  return appendAll(code, statements, 0);
}

/// `end`: of what stands before the first; 0: the comments there are not theirs.
bool JammedCode::appendAll(CodeLines &code, llvm::ArrayRef<const clang::Stmt *> statements, unsigned end) {
  for (const clang::Stmt *statement : statements) {
    if (llvm::isa<clang::NullStmt>(statement))
      continue;
    std::optional<Edit> place = builder_.replaceStatements(*statement, *statement, "", "its place");
    if (!place)
      return refuse("part of it comes out of a macro or a header");
    if (end != 0)
      appendComments(code, end, place->offset);
    end = place->offset + place->length;
    if (!appendStatement(code, *statement))
      return false;
  }
  flush(code);
  return true;
}

/// Comments that stand on lines of their own between two statements, or behind the first.
void JammedCode::appendComments(CodeLines &code, unsigned begin, unsigned end) {
  const clang::SourceManager &sources = ast_.getSourceManager();
  llvm::StringRef between = sources.getBufferData(sources.getMainFileID()).slice(begin, end);
  for (llvm::StringRef row : llvm::split(between, '\n'))
    if (row = row.trim(); row.starts_with("//")) {
      flush(code);
      code.line(row);
    }
}

void JammedCode::flush(CodeLines &code) {
  if (pending_.empty())
    return;
  code.line("#pragma unroll");
  code.open("for (int " + copy_ + " = 0; " + copy_ + " < " + std::to_string(copies_) + "; ++" + copy_ +
            ") {");
  code.append(pending_);
  code.close();
  pending_ = CodeLines();
}

bool JammedCode::appendStatement(CodeLines &code, const clang::Stmt &statement) {
  if (const auto *declarations = llvm::dyn_cast<clang::DeclStmt>(&statement))
    return appendDeclarations(code, *declarations);
  const bool varies = values_.mentionsVarying(&statement);
  if (varies && isNested(statement) && values_.isShared(statement)) {
    flush(code);
    return appendShared(code, statement);
  }
  if (!varies)
    flush(code);
  std::optional<std::string> text = statementText(statement, copy_);
  if (!text)
    return refuse("part of it comes out of a macro or a header");
  (varies ? pending_ : code).moved(*text, indentationAt(statement.getBeginLoc(), function_, ast_).base);
  return true;
}

/// A statement that stands once, with copies in it.
bool JammedCode::appendShared(CodeLines &code, const clang::Stmt &statement) {
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&statement)) {
    code.open("{");
    bool whole = appendBody(code, *compound);
    code.close();
    return whole;
  }
  const clang::SourceManager &sources = ast_.getSourceManager();
  if (const auto *attributed = llvm::dyn_cast<clang::AttributedStmt>(&statement)) {
    for (const clang::Attr *attribute : attributed->getAttrs()) {
      if (!llvm::isa<clang::LoopHintAttr>(attribute))
        return refuse("a statement has an attribute");
      llvm::StringRef file = sources.getBufferData(sources.getMainFileID());
      unsigned offset = sources.getFileOffset(attribute->getLocation());
      size_t begin = file.rfind('\n', offset) + 1;
      code.line(file.slice(begin, file.find('\n', offset)).trim());
    }
    return appendShared(code, *attributed->getSubStmt());
  }
  auto header = [&](clang::SourceLocation begin, clang::SourceLocation end) {
    return builder_.textOf({begin, end}).value_or("");
  };
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement)) {
    code.open(header(branch->getIfLoc(), branch->getRParenLoc()) + " {");
    if (!appendBody(code, *branch->getThen()))
      return false;
    if (branch->getElse()) {
      code.otherwise();
      if (!appendBody(code, *branch->getElse()))
        return false;
    }
    code.close();
    return true;
  }
  if (const auto *loop = llvm::dyn_cast<clang::DoStmt>(&statement)) {
    code.open("do {");
    bool whole = appendBody(code, *loop->getBody());
    code.close("} " + header(loop->getWhileLoc(), loop->getRParenLoc()) + ";");
    return whole;
  }
  const clang::Stmt *body = nullptr;
  if (const auto *loop = llvm::dyn_cast<clang::ForStmt>(&statement)) {
    code.open(header(loop->getForLoc(), loop->getRParenLoc()) + " {");
    body = loop->getBody();
  } else {
    const auto &whileLoop = llvm::cast<clang::WhileStmt>(statement);
    code.open(header(whileLoop.getWhileLoc(), whileLoop.getRParenLoc()) + " {");
    body = whileLoop.getBody();
  }
  bool whole = appendBody(code, *body);
  code.close();
  return whole;
}

bool JammedCode::appendBody(CodeLines &code, const clang::Stmt &body) {
  if (const auto *compound = llvm::dyn_cast<clang::CompoundStmt>(&body)) {
    const clang::SourceManager &sources = ast_.getSourceManager();
    return appendAll(code, std::vector<const clang::Stmt *>(compound->body_begin(), compound->body_end()),
                     sources.getFileOffset(sources.getExpansionLoc(compound->getLBracLoc())) + 1);
  }
  return append(code, {&body});
}

/// Each variable gets a statement of its own once one of them varies.
bool JammedCode::appendDeclarations(CodeLines &code, const clang::DeclStmt &statement) {
  bool any = llvm::any_of(statement.decls(), [&](const clang::Decl *declared) {
    const auto *variable = llvm::dyn_cast<VarDecl>(declared);
    return !variable || values_.isVarying(*variable);
  });
  if (!any) {
    flush(code);
    std::optional<std::string> text = statementText(statement, copy_);
    if (!text)
      return refuse("part of it comes out of a macro or a header");
    code.moved(*text, indentationAt(statement.getBeginLoc(), function_, ast_).base);
    return true;
  }
  for (const clang::Decl *declared : statement.decls()) {
    const auto *variable = llvm::dyn_cast<VarDecl>(declared);
    if (!variable || !appendDeclaration(code, *variable))
      return refuse("a declaration cannot be copied");
  }
  return true;
}

/// "float sums[2][8]", with what stands before the type.
std::string JammedCode::declarator(const VarDecl &variable) const {
  std::string text = variable.getNameAsString();
  clang::QualType type = variable.getType();
  if (type->getContainedAutoType())
    type = type.getCanonicalType();
  if (values_.isVarying(variable)) {
    text += "[" + std::to_string(copies_) + "]";
    type = type.getUnqualifiedType();
  }
  clang::PrintingPolicy policy(ast_.getLangOpts());
  type.getAsStringInternal(text, policy);
  std::string before;
  if (variable.hasAttr<clang::CUDASharedAttr>())
    before = "__shared__ ";
  if (const auto *aligned = variable.getAttr<clang::AlignedAttr>())
    before += "__align__(" +
              std::to_string(aligned->getAlignment(const_cast<clang::ASTContext &>(ast_)) / 8) + ") ";
  return before + text;
}

bool JammedCode::appendDeclaration(CodeLines &code, const VarDecl &variable) {
  if (variable.isConstexpr() || variable.hasExternalStorage() || !variable.getType().isTrivialType(ast_))
    return false;
  // The text of a template serves other types, too.
  if (variable.getType()->getAs<clang::SubstTemplateTypeParmType>())
    return false;
  const clang::Expr *init = variable.getInit();
  const bool varies = values_.isVarying(variable),
             evaluates = init && (!varies || variable.getType()->isArrayType());
  if (evaluates || !hasOwnName(variable))
    flush(code);
  if (!init || variable.hasAttr<clang::CUDASharedAttr>()) {
    code.line(declarator(variable) + ";");
    return true;
  }
  if (evaluates) {
    std::string values;
    for (unsigned i = 0; i < (varies ? copies_ : 1); ++i) {
      std::optional<std::string> text = patched(*init, std::to_string(i)).of(init->getSourceRange());
      if (!text)
        return false;
      values += (i == 0 ? "" : ", ") + *text;
    }
    code.line(declarator(variable) + " = " + (varies ? "{" + values + "}" : values) + ";");
    return true;
  }
  std::optional<std::string> text = patched(*init, copy_).of(init->getSourceRange());
  if (!text || variable.getInitStyle() != VarDecl::CInit || llvm::isa<clang::InitListExpr>(init))
    return false;
  code.line(declarator(variable) + ";");
  pending_.line(variable.getNameAsString() + "[" + copy_ + "] = " + *text + ";");
  return true;
}

} // namespace warpwright
