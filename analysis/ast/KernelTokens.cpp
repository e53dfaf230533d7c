#include "analysis/ast/KernelTokens.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace warpwright {
namespace {

/// Follows what a declaration uses, each thing once.
class UsedDeclarations : public clang::RecursiveASTVisitor<UsedDeclarations> {
public:
  explicit UsedDeclarations(const clang::ASTContext &ast) : ast_(ast) {}

  std::vector<const clang::Decl *> startingAt(const clang::FunctionDecl &kernel) {
    add(&kernel);
    for (size_t i = 0; i < found_.size(); ++i)
      follow(*found_[i]);
    return std::move(found_);
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    noteValue(*reference->getDecl());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *member) {
    noteValue(*member->getMemberDecl());
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construction) {
    noteValue(*construction->getConstructor());
    return true;
  }
  bool VisitExpr(clang::Expr *expression) {
    noteType(expression->getType());
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *variable) {
    noteType(variable->getType());
    return true;
  }

private:
  void follow(const clang::Decl &declaration) {
    TraverseDecl(const_cast<clang::Decl *>(&declaration));
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
      noteType(function->getReturnType());
    const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(&declaration);
    if (!record)
      return;
    for (const clang::CXXBaseSpecifier &base : record->bases())
      noteType(base.getType());
    for (const clang::FieldDecl *field : record->fields())
      noteType(field->getType());
  }

  void add(const clang::Decl *declaration) {
    if (!declaration || !seen_.insert(declaration->getCanonicalDecl()).second)
      return;
    const clang::SourceManager &sources = ast_.getSourceManager();
    clang::SourceLocation place = sources.getExpansionLoc(declaration->getLocation());
    if (place.isValid() && !sources.isInSystemHeader(place))
      found_.push_back(declaration);
  }

  void noteValue(const clang::ValueDecl &value) {
    if (const auto *function = llvm::dyn_cast<clang::FunctionDecl>(&value))
      return add(function->getDefinition());
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(&value)) {
      if (variable->hasGlobalStorage() && !variable->isLocalVarDecl())
        add(variable->getDefinition() ? variable->getDefinition() : variable);
      return;
    }
    if (const auto *constant = llvm::dyn_cast<clang::EnumConstantDecl>(&value))
      add(llvm::dyn_cast<clang::EnumDecl>(constant->getDeclContext()));
  }

  void noteType(clang::QualType type) {
    while (!type.isNull() && (type->isAnyPointerType() || type->isReferenceType() || type->isArrayType()))
      type = type->isArrayType() ? clang::QualType(type->getArrayElementTypeNoTypeQual(), 0)
                                 : type->getPointeeType();
    const clang::CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
    if (record && record->hasDefinition() && !record->isLambda())
      add(record->getDefinition());
  }

  const clang::ASTContext &ast_;
  llvm::SmallPtrSet<const clang::Decl *, 32> seen_;
  std::vector<const clang::Decl *> found_;
};

/// The printer writes arguments of annotations as their addresses, which are others in each run; what they
/// say is printed after them instead.
std::string withoutAddresses(llvm::StringRef text) {
  constexpr llvm::StringLiteral head = "annotate(\"";
  std::string result;
  for (size_t found; (found = text.find(head)) != llvm::StringRef::npos;) {
    size_t end = text.find('"', found + head.size());
    result += text.take_front(end + 1);
    text = text.drop_front(std::min(end + 1, text.size()));
    while (text.consume_front(", 0x"))
      text = text.drop_while(llvm::isHexDigit);
  }
  return result + text.str();
}

void printAnnotations(const clang::Decl &declaration, const clang::PrintingPolicy &policy,
                      llvm::raw_ostream &stream) {
  for (const auto *annotation : declaration.specific_attrs<clang::AnnotateAttr>())
    for (const clang::Expr *argument : annotation->args()) {
      argument->printPretty(stream, nullptr, policy);
      stream << "\n";
    }
}

} // namespace

std::string kernelTokens(const clang::FunctionDecl &kernel) {
  const clang::ASTContext &ast = kernel.getASTContext();
  std::string text;
  clang::PrintingPolicy policy = ast.getPrintingPolicy();
  policy.AnonymousTagLocations = false; // paths differ between machines
  for (const clang::Decl *declaration : UsedDeclarations(ast).startingAt(kernel)) {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    declaration->print(stream, policy);
    stream << "\n";
    text += withoutAddresses(printed);
    llvm::raw_string_ostream annotations(text);
    printAnnotations(*declaration, policy, annotations);
  }
  return text;
}

} // namespace warpwright
