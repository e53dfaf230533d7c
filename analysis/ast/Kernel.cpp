#include "analysis/ast/Kernel.h"

#include "analysis/ast/FunctionName.h"
#include "analysis/ast/SourcePlace.h"
#include "analysis/frontend/TranslationUnit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <llvm/IR/Module.h>

namespace warpwright {
namespace {

void addMembers(const clang::RecordDecl &record, const std::string &prefix, uint64_t offset,
                const clang::ASTContext &ast, std::vector<KernelParameterMember> &members) {
  if (record.isUnion() || !record.isCompleteDefinition())
    return;
  const clang::ASTRecordLayout &layout = ast.getASTRecordLayout(&record);
  for (const clang::FieldDecl *field : record.fields()) {
    clang::QualType type = field->getType();
    if (field->isBitField() || type->isDependentType())
      continue;
    KernelParameterMember member;
    member.name = prefix + field->getNameAsString();
    member.offset = offset + layout.getFieldOffset(field->getFieldIndex()) / 8;
    member.size = ast.getTypeSizeInChars(type).getQuantity();
    if (const clang::RecordDecl *inner = type->getAsRecordDecl()) {
      addMembers(*inner, member.name + ".", member.offset, ast, members);
      continue;
    }
    if (type->isPointerType())
      member.kind = KernelParameterMember::Kind::Pointer;
    else if (type->isRealFloatingType())
      member.kind = KernelParameterMember::Kind::Floating;
    else if (!type->isIntegralOrEnumerationType())
      continue;
    members.push_back(std::move(member));
  }
}

KernelParameter describeParameter(const clang::ParmVarDecl &declaration, const clang::ASTContext &ast) {
  clang::QualType type = declaration.getType();
  KernelParameter parameter;
  parameter.name = declaration.getNameAsString();
  parameter.type = type.getAsString(ast.getPrintingPolicy());
  parameter.isPointer = type->isPointerType();
  parameter.pointeeIsConst = parameter.isPointer && type->getPointeeType().isConstQualified();
  parameter.isRestrict = type.isRestrictQualified();
  parameter.isFloating = type->isRealFloatingType();
  parameter.isInteger = type->isIntegralOrEnumerationType();
  if (const clang::RecordDecl *record = type->getAsRecordDecl())
    addMembers(*record, "", 0, ast, parameter.members);
  parameter.size = ast.getTypeSizeInChars(type).getQuantity();
  return parameter;
}

} // namespace

std::vector<Kernel> listKernels(TranslationUnit &unit) {
  clang::ASTContext &ast = unit.ast();
  const clang::SourceManager &sources = ast.getSourceManager();
  std::vector<std::pair<clang::SourceLocation, Kernel>> found;
  for (llvm::Function &function : unit.module()) {
    if (function.isDeclaration() || function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    const auto *declared =
        llvm::dyn_cast_or_null<clang::FunctionDecl>(unit.declarationOf(function.getName()));
    const clang::FunctionDecl *definition = declared ? declared->getDefinition() : nullptr;
    if (!definition)
      continue;
    Kernel kernel;
    kernel.declaration = definition;
    kernel.function = &function;
    kernel.symbol = function.getName().str();
    for (const clang::ParmVarDecl *parameter : definition->parameters())
      kernel.parameters.push_back(describeParameter(*parameter, ast));
    kernel.name = functionName(*definition);
    kernel.place = placeOf(definition->getLocation(), sources);
    kernel.inMainFile = sources.isInMainFile(sources.getExpansionLoc(definition->getLocation()));
    kernel.key = functionKey(*definition);
    found.emplace_back(definition->getLocation(), std::move(kernel));
  }
  // The module's order follows what Clang happened to emit first; the reader's order is the source's.
  llvm::sort(found, [&](const auto &left, const auto &right) {
    if (left.first != right.first)
      return sources.isBeforeInTranslationUnit(left.first, right.first);
    return left.second.symbol < right.second.symbol; // instantiations of one template
  });
  std::vector<Kernel> kernels;
  for (auto &[location, kernel] : found)
    kernels.push_back(std::move(kernel));
  return kernels;
}

} // namespace warpwright
