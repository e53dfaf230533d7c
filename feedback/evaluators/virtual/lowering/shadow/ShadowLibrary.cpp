#include "feedback/evaluators/virtual/lowering/shadow/ShadowLibrary.h"

#include <llvm/ADT/STLExtras.h>

namespace warpwright::vdevice {
namespace {

using Kind = LibraryRule::Kind;

/// "add" of "fadd_rn", "dadd_rz", "frcp_rn", "fmaf_ieee_rd": the IEEE operations with a rounding mode.
std::string operationOf(llvm::StringRef stem) {
  auto [operation, mode] = stem.rsplit('_');
  if (!llvm::is_contained({"rn", "rz", "ru", "rd"}, mode))
    return "";
  operation.consume_back("_ieee");
  if (operation == "fma" || operation == "fmaf")
    return "fma";
  if (!operation.consume_front("f") && !operation.consume_front("d"))
    return "";
  bool known = llvm::is_contained({"add", "sub", "mul", "div", "rcp", "sqrt", "rsqrt"}, operation);
  return known ? operation.str() : "";
}

/// "int2float_rn", "ull2double_rz", "double2float_rn" and their like.
Kind conversionOf(llvm::StringRef stem) {
  auto [from, rest] = stem.split('2');
  llvm::StringRef to = rest.split('_').first;
  if (to != "float" && to != "double")
    return Kind::Unknown;
  if (from == "int" || from == "ll")
    return Kind::FromSigned;
  if (from == "uint" || from == "ull")
    return Kind::FromUnsigned;
  return from == "half" ? Kind::Bits : from == "double" || from == "float" ? Kind::Identity : Kind::Unknown;
}

bool isDiscrete(llvm::StringRef stem) {
  return llvm::is_contained({"ceil", "floor", "logb", "nearbyint", "nextafter", "rint", "round", "trunc"},
                            stem);
}

llvm::Type *withDoubles(llvm::Type *type) {
  return type->isFloatTy() ? llvm::Type::getDoubleTy(type->getContext()) : type;
}

} // namespace

LibraryRule findLibraryRule(llvm::StringRef name) {
  llvm::StringRef stem = name;
  if (!stem.consume_front("__nv_"))
    return {};
  if (std::string operation = operationOf(stem); !operation.empty())
    return {Kind::Operation, operation};
  if (llvm::is_contained({"int_as_float", "uint_as_float", "longlong_as_double"}, stem))
    return {Kind::Bits, ""};
  if (stem == "saturatef")
    return {Kind::Operation, "saturate"};
  if (stem == "fast_fdividef")
    return {Kind::Operation, "div"};
  if (Kind conversion = conversionOf(stem); stem.contains('2') && conversion != Kind::Unknown)
    return {conversion, ""};
  stem.consume_front("fast_");
  // "erf" ends with an f of its own.
  if (stem != "erf" && stem != "normcdf")
    stem.consume_back("f");
  if (isDiscrete(stem))
    return {Kind::Original, ""};
  if (stem == "fmod" || stem == "remainder")
    return {Kind::Remainder, ""};
  if (stem == "fmin" || stem == "fmax")
    return {Kind::Lesser, ""};
  if (llvm::is_contained({"frexp", "modf", "remquo"}, stem))
    return {};
  return {Kind::Sibling, ("__nv_" + stem).str()};
}

void declareDoubleSiblings(LoweringState &state) {
  llvm::SmallVector<llvm::Function *> called;
  for (llvm::Function &function : state.module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      called.push_back(&function);
  for (llvm::Function *function : called) {
    llvm::FunctionType *type = function->getFunctionType();
    LibraryRule rule = findLibraryRule(function->getName());
    bool isNumber = type->getReturnType()->isFloatingPointTy() || type->getReturnType()->isVoidTy();
    if (rule.kind != Kind::Sibling || !isNumber)
      continue;
    llvm::SmallVector<llvm::Type *> parameters;
    for (llvm::Type *parameter : type->params())
      parameters.push_back(withDoubles(parameter));
    state.module.getOrInsertFunction(
        rule.name, llvm::FunctionType::get(withDoubles(type->getReturnType()), parameters, false));
  }
}

} // namespace warpwright::vdevice
