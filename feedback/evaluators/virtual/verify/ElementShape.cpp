#include "feedback/evaluators/virtual/verify/ElementShape.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice {
namespace {

/// More numbers than this are no element but a table.
constexpr size_t MostParts = 256;

/// Bytes of one floating number; 0 for other kinds.
unsigned bytesOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::Half:
  case ElementKind::BFloat16:
    return 2;
  case ElementKind::Float:
    return 4;
  case ElementKind::Double:
    return 8;
  case ElementKind::Integer:
  case ElementKind::Other:
    return 0;
  }
  return 0;
}

/// Lists the numbers of an object.
class PartCollector {
public:
  PartCollector(const clang::ASTContext &ast, std::vector<ElementPart> &parts) : ast_(ast), parts_(parts) {}

  /// False where the object holds anything but numbers.
  bool add(clang::QualType type, unsigned offset) {
    type = type.getCanonicalType();
    if (const auto *vector = type->getAs<clang::VectorType>())
      return addMany(vector->getElementType(), vector->getNumElements(), offset);
    if (const auto *array = ast_.getAsConstantArrayType(type))
      return addMany(array->getElementType(), array->getZExtSize(), offset);
    if (const clang::RecordDecl *record = type->getAsRecordDecl())
      return addRecord(*record, static_cast<unsigned>(ast_.getTypeSizeInChars(type).getQuantity()), offset);
    return addNumber(type, offset);
  }

private:
  bool addMany(clang::QualType element, uint64_t count, unsigned offset) {
    auto step = static_cast<unsigned>(ast_.getTypeSizeInChars(element).getQuantity());
    for (uint64_t i = 0; i < count; ++i)
      if (parts_.size() > MostParts || !add(element, offset + static_cast<unsigned>(i) * step))
        return false;
    return true;
  }

  /// cuda_fp16.h and cuda_bf16.h wrap their numbers into classes of integers.
  static std::optional<ElementKind> kindOfNamed(llvm::StringRef name) {
    return llvm::StringSwitch<std::optional<ElementKind>>(name)
        .Cases({"__half", "__half2", "half", "half2"}, ElementKind::Half)
        .Cases({"__nv_bfloat16", "__nv_bfloat162"}, ElementKind::BFloat16)
        .Default(std::nullopt);
  }

  bool addRecord(const clang::RecordDecl &record, unsigned bytes, unsigned offset) {
    if (std::optional<ElementKind> named = kindOfNamed(record.getName())) {
      for (unsigned at = 0; at < bytes; at += 2)
        parts_.push_back({*named, offset + at, 2, true, false});
      return true;
    }
    const clang::RecordDecl *definition = record.getDefinition();
    const auto *derived = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(definition);
    if (!definition || definition->isUnion() || (derived && derived->getNumBases() != 0))
      return false;
    const clang::ASTRecordLayout &layout = ast_.getASTRecordLayout(definition);
    for (const clang::FieldDecl *field : definition->fields()) {
      auto at = static_cast<unsigned>(layout.getFieldOffset(field->getFieldIndex()) / 8);
      if (field->isBitField() || !add(field->getType(), offset + at))
        return false;
    }
    return true;
  }

  bool addNumber(clang::QualType type, unsigned offset) {
    ElementPart part;
    part.offset = offset;
    part.bytes = static_cast<unsigned>(ast_.getTypeSizeInChars(type).getQuantity());
    part.isSigned = type->isSignedIntegerOrEnumerationType();
    part.isBool = type->isBooleanType();
    if (type->isSpecificBuiltinType(clang::BuiltinType::Float))
      part.kind = ElementKind::Float;
    else if (type->isSpecificBuiltinType(clang::BuiltinType::Double))
      part.kind = ElementKind::Double;
    else if (type->isHalfType() || type->isFloat16Type())
      part.kind = ElementKind::Half;
    else if (type->isBFloat16Type())
      part.kind = ElementKind::BFloat16;
    else if (!type->isIntegralOrEnumerationType() || part.bytes > 8)
      return false;
    parts_.push_back(part);
    return true;
  }

  const clang::ASTContext &ast_;
  std::vector<ElementPart> &parts_;
};

/// The type of a parameter, or of a member of one: "p.inner.data".
std::optional<clang::QualType> typeOf(const clang::FunctionDecl &kernel, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 4> path;
  name.split(path, '.');
  std::optional<clang::QualType> type;
  for (const clang::ParmVarDecl *parameter : kernel.parameters())
    if (parameter->getName() == path.front())
      type = parameter->getType();
  for (llvm::StringRef member : llvm::drop_begin(path)) {
    const clang::RecordDecl *record = type ? (*type)->getAsRecordDecl() : nullptr;
    type.reset();
    if (!record || !record->getDefinition())
      return std::nullopt;
    for (const clang::FieldDecl *field : record->getDefinition()->fields())
      if (field->getName() == member)
        type = field->getType();
  }
  return type;
}

} // namespace

ElementShape shapeOf(const ElementType &type) {
  ElementShape shape = {type, {}};
  bool isInteger = type.kind == ElementKind::Integer;
  unsigned bytes = isInteger ? static_cast<unsigned>(type.bytes) : bytesOf(type.kind);
  if (bytes == 0 || (isInteger && bytes > 8) || type.bytes % bytes != 0)
    return shape;
  for (unsigned offset = 0; offset < type.bytes; offset += bytes)
    shape.parts.push_back({type.kind, offset, bytes, type.isSigned, isInteger && type.name == "bool"});
  return shape;
}

ElementShape shapeOf(const ElementType &type, const clang::FunctionDecl &kernel, llvm::StringRef pointer) {
  std::optional<clang::QualType> declared = typeOf(kernel, pointer);
  if (!declared || !(*declared)->isPointerType())
    return shapeOf(type);
  clang::QualType pointee = (*declared)->getPointeeType();
  if (pointee->isIncompleteType() || pointee->isFunctionType() || pointee->isDependentType())
    return {type, {}};
  ElementShape shape = {type, {}};
  if (!PartCollector(kernel.getASTContext(), shape.parts).add(pointee, 0))
    shape.parts.clear();
  return shape;
}

} // namespace warpwright::vdevice
