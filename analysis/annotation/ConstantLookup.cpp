#include "analysis/annotation/KernelContext.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/SmallVector.h>

namespace warpwright {
namespace {

/// Macros that name macros; deeper than this is a cycle.
constexpr unsigned DeepestMacro = 8;

std::optional<int64_t> narrow(const llvm::APSInt &value) {
  if (!value.isRepresentableByInt64())
    return std::nullopt;
  return value.getExtValue();
}

const clang::TemplateArgument *findArgument(const clang::TemplateParameterList &parameters,
                                            llvm::ArrayRef<clang::TemplateArgument> arguments,
                                            llvm::StringRef name) {
  for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i)
    if (parameters.getParam(i)->getName() == name)
      return &arguments[i];
  return nullptr;
}

/// Scopes from the innermost outwards.
const clang::DeclContext *scopeAround(const clang::DeclContext *scope) {
  return scope->isTranslationUnit() ? nullptr : scope->getLookupParent();
}

} // namespace

ConstantLookup::Found ConstantLookup::find(llvm::StringRef name, unsigned depth) const {
  if (name.consume_front("sizeof("))
    return findSize(name.drop_back());
  if (Found macro = findMacro(name, depth))
    return macro;
  if (name.contains('.'))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> path;
  name.split(path, "::");
  if (path.size() == 1)
    if (const clang::TemplateArgument *argument = findTemplateArgument(name)) {
      if (argument->getKind() == clang::TemplateArgument::Integral)
        return Found(narrow(argument->getAsIntegral()));
      return Found(std::optional<int64_t>());
    }
  return findDeclared(path);
}

ConstantLookup::Found ConstantLookup::findMacro(llvm::StringRef name, unsigned depth) const {
  if (!preprocessor_ || depth > DeepestMacro)
    return std::nullopt;
  const clang::MacroInfo *macro = preprocessor_->getMacroInfo(preprocessor_->getIdentifierInfo(name));
  if (!macro || !macro->isObjectLike())
    return std::nullopt;
  std::string text;
  for (const clang::Token &token : macro->tokens())
    text += preprocessor_->getSpelling(token) + " ";
  llvm::Expected<ScalarExpression> expression = ScalarExpression::parse(text);
  if (!expression) {
    llvm::consumeError(expression.takeError());
    return std::nullopt;
  }
  ScalarValues values;
  for (const NameUse &use : expression->names()) {
    Found found = find(use.name, depth + 1);
    if (!found)
      return std::nullopt;
    if (!*found)
      return found;
    values[use.name] = **found;
  }
  llvm::Expected<int64_t> value = expression->evaluate(values);
  if (value)
    return Found(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

ConstantLookup::Found ConstantLookup::findSize(llvm::StringRef type) const {
  std::optional<clang::QualType> found = findType(type);
  if (!found)
    return std::nullopt;
  if ((*found)->isDependentType() || (*found)->isIncompleteType() || (*found)->isFunctionType())
    return Found(std::optional<int64_t>());
  return Found(kernel_.getASTContext().getTypeSizeInChars(*found).getQuantity());
}

const clang::TemplateArgument *ConstantLookup::findTemplateArgument(llvm::StringRef name) const {
  // A member template's own parameters are spelled where it was first written.
  if (const clang::FunctionTemplateDecl *primary = kernel_.getPrimaryTemplate()) {
    while (const clang::FunctionTemplateDecl *member = primary->getInstantiatedFromMemberTemplate())
      primary = member;
    if (const clang::TemplateArgumentList *arguments = kernel_.getTemplateSpecializationArgs())
      if (const auto *found = findArgument(*primary->getTemplateParameters(), arguments->asArray(), name))
        return found;
  }
  for (const clang::DeclContext *scope = kernel_.getDeclContext(); scope; scope = scopeAround(scope)) {
    const auto *record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(scope);
    if (!record)
      continue;
    auto from = record->getInstantiatedFrom();
    const auto *partial = llvm::dyn_cast_if_present<clang::ClassTemplatePartialSpecializationDecl *>(from);
    const clang::TemplateParameterList *parameters =
        partial ? partial->getTemplateParameters()
                : record->getSpecializedTemplate()->getTemplateParameters();
    if (const auto *found = findArgument(*parameters, record->getTemplateInstantiationArgs().asArray(), name))
      return found;
  }
  return nullptr;
}

std::vector<const clang::NamedDecl *> ConstantLookup::lookUp(const clang::DeclContext &scope,
                                                             llvm::StringRef name) const {
  clang::DeclarationName identifier = &kernel_.getASTContext().Idents.get(name);
  std::vector<const clang::NamedDecl *> found;
  for (const clang::NamedDecl *declaration : scope.lookup(identifier))
    found.push_back(declaration->getUnderlyingDecl());
  if (!found.empty())
    return found;
  for (const clang::UsingDirectiveDecl *directive : scope.using_directives())
    for (const clang::NamedDecl *declaration : directive->getNominatedNamespace()->lookup(identifier))
      found.push_back(declaration->getUnderlyingDecl());
  return found;
}

ConstantLookup::Found ConstantLookup::valueOf(const clang::NamedDecl &declaration) const {
  if (const auto *enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(&declaration))
    return Found(narrow(enumerator->getInitVal()));
  const auto *variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
  if (!variable || !variable->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  if (!variable->getType().isConstQualified() && !variable->isConstexpr())
    return std::nullopt;
  const clang::VarDecl *initialised = nullptr;
  const clang::Expr *initialiser = variable->getAnyInitializer(initialised);
  bool unknown = !initialiser || initialiser->isValueDependent() || initialised->getType()->isDependentType();
  const clang::APValue *value = unknown ? nullptr : initialised->evaluateValue();
  if (!value || !value->isInt())
    return Found(std::optional<int64_t>());
  return Found(narrow(value->getInt()));
}

ConstantLookup::Found ConstantLookup::findIn(const clang::DeclContext &scope,
                                             llvm::ArrayRef<llvm::StringRef> path) const {
  for (const clang::NamedDecl *declaration : lookUp(scope, path.front())) {
    if (path.size() == 1) {
      if (Found value = valueOf(*declaration))
        return value;
      continue;
    }
    const clang::DeclContext *inner = llvm::dyn_cast<clang::DeclContext>(declaration);
    if (const auto *alias = llvm::dyn_cast<clang::NamespaceAliasDecl>(declaration))
      inner = alias->getNamespace();
    if (const auto *type = llvm::dyn_cast<clang::TypedefNameDecl>(declaration))
      inner = llvm::dyn_cast_or_null<clang::DeclContext>(type->getUnderlyingType()->getAsTagDecl());
    if (!inner)
      continue;
    if (Found value = findIn(*inner, path.drop_front()))
      return value;
  }
  return std::nullopt;
}

ConstantLookup::Found ConstantLookup::findDeclared(llvm::ArrayRef<llvm::StringRef> path) const {
  if (path.size() > 1)
    if (const clang::TemplateArgument *argument = findTemplateArgument(path.front())) {
      if (argument->getKind() != clang::TemplateArgument::Type || argument->getAsType()->isDependentType())
        return Found(std::optional<int64_t>());
      const clang::TagDecl *tag = argument->getAsType()->getAsTagDecl();
      const auto *scope = llvm::dyn_cast_or_null<clang::DeclContext>(tag);
      return scope ? findIn(*scope, path.drop_front()) : std::nullopt;
    }
  for (const clang::DeclContext *scope = kernel_.getDeclContext(); scope; scope = scopeAround(scope))
    if (Found value = findIn(*scope, path))
      return value;
  return std::nullopt;
}

std::optional<clang::QualType> ConstantLookup::findType(llvm::StringRef name) const {
  if (const clang::TemplateArgument *argument = findTemplateArgument(name)) {
    if (argument->getKind() == clang::TemplateArgument::Type)
      return argument->getAsType();
    return std::nullopt;
  }
  for (const clang::DeclContext *scope = kernel_.getDeclContext(); scope; scope = scopeAround(scope))
    for (const clang::NamedDecl *declaration : lookUp(*scope, name))
      if (const auto *type = llvm::dyn_cast<clang::TypeDecl>(declaration))
        return kernel_.getASTContext().getTypeDeclType(type);
  return std::nullopt;
}

} // namespace warpwright
