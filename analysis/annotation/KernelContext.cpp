#include "analysis/annotation/KernelContext.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright {
namespace {

/// Structs deeper than this are no argument that an annotation describes.
constexpr unsigned DeepestMember = 4;

std::optional<ElementKind> kindOfNamedRecord(llvm::StringRef name) {
  // cuda_fp16.h and cuda_bf16.h wrap their numbers into classes of one integer.
  return llvm::StringSwitch<std::optional<ElementKind>>(name)
      .Cases({"__half", "__half2", "half", "half2"}, ElementKind::Half)
      .Cases({"__nv_bfloat16", "__nv_bfloat162"}, ElementKind::BFloat16)
      .Default(std::nullopt);
}

ElementKind kindOf(clang::QualType type);

/// A struct whose members are all of one kind is a vector of them: float4, a complex number, a point.
ElementKind kindOfRecord(const clang::RecordDecl &record) {
  if (std::optional<ElementKind> named = kindOfNamedRecord(record.getName()))
    return *named;
  const auto *definition = record.getDefinition();
  const auto *derived = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(definition);
  if (!definition || (derived && derived->getNumBases() != 0))
    return ElementKind::Other;
  std::optional<ElementKind> common;
  for (const clang::FieldDecl *field : definition->fields()) {
    clang::QualType type = field->getType();
    while (const clang::ArrayType *array = type->getAsArrayTypeUnsafe())
      type = array->getElementType();
    ElementKind kind = kindOf(type);
    if (common && *common != kind)
      return ElementKind::Other;
    common = kind;
  }
  return common.value_or(ElementKind::Other);
}

ElementKind kindOf(clang::QualType type) {
  type = type.getCanonicalType();
  if (type->isIntegralOrEnumerationType())
    return ElementKind::Integer;
  if (const auto *builtin = type->getAs<clang::BuiltinType>())
    switch (builtin->getKind()) {
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16:
      return ElementKind::Half;
    case clang::BuiltinType::BFloat16:
      return ElementKind::BFloat16;
    case clang::BuiltinType::Float:
      return ElementKind::Float;
    case clang::BuiltinType::Double:
      return ElementKind::Double;
    default:
      return ElementKind::Other;
    }
  if (const auto *vector = type->getAs<clang::VectorType>())
    return kindOf(vector->getElementType());
  if (const clang::RecordDecl *record = type->getAsRecordDecl())
    return kindOfRecord(*record);
  return ElementKind::Other;
}

ElementType describeType(clang::QualType type, const clang::ASTContext &ast) {
  ElementType described;
  type = type.getUnqualifiedType();
  described.kind = kindOf(type);
  described.name = type.getAsString(ast.getPrintingPolicy());
  described.isSigned = type->isSignedIntegerOrEnumerationType();
  if (!type->isDependentType() && !type->isIncompleteType() && !type->isFunctionType())
    described.bytes = ast.getTypeSizeInChars(type).getQuantity();
  return described;
}

void addParameter(const std::string &name, clang::QualType type, const clang::ASTContext &ast, unsigned depth,
                  std::vector<AnnotationParameter> &parameters) {
  if (name.empty() || name.back() == '.')
    return;
  AnnotationParameter parameter;
  parameter.name = name;
  if (type->isPointerType()) {
    parameter.kind = ParameterKind::Pointer;
    parameter.type = describeType(type->getPointeeType(), ast);
    parameter.pointeeIsConst = type->getPointeeType().isConstQualified();
    parameters.push_back(std::move(parameter));
    return;
  }
  parameter.type = describeType(type, ast);
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  bool isNumber = type->isRealFloatingType() || (record && kindOfNamedRecord(record->getName()));
  parameter.kind = type->isIntegralOrEnumerationType() ? ParameterKind::Integer
                   : isNumber                          ? ParameterKind::Floating
                   : record                            ? ParameterKind::Struct
                                                       : ParameterKind::Other;
  bool hasMembers =
      parameter.kind == ParameterKind::Struct && record->hasDefinition() && depth < DeepestMember;
  parameters.push_back(std::move(parameter));
  if (!hasMembers)
    return;
  for (const clang::FieldDecl *field : record->getDefinition()->fields())
    addParameter(name + "." + field->getNameAsString(), field->getType(), ast, depth + 1, parameters);
  for (const clang::CXXBaseSpecifier &base : record->getDefinition()->bases())
    if (const clang::CXXRecordDecl *inherited = base.getType()->getAsCXXRecordDecl())
      if (inherited->hasDefinition())
        for (const clang::FieldDecl *field : inherited->getDefinition()->fields())
          addParameter(name + "." + field->getNameAsString(), field->getType(), ast, depth + 1, parameters);
}

} // namespace

AnnotationContext describeKernel(const clang::FunctionDecl &kernel) {
  const clang::ASTContext &ast = kernel.getASTContext();
  AnnotationContext context;
  llvm::raw_string_ostream stream(context.kernel);
  clang::PrintingPolicy policy = ast.getPrintingPolicy();
  policy.SuppressDefaultTemplateArgs = false;
  kernel.getNameForDiagnostic(stream, policy, /*Qualified=*/true);
  for (const clang::ParmVarDecl *parameter : kernel.parameters())
    addParameter(parameter->getNameAsString(), parameter->getType(), ast, 0, context.parameters);
  return context;
}

} // namespace warpwright
