#include "feedback/evaluators/virtual/lowering/shadow/ShadowLibrary.h"
#include "feedback/evaluators/virtual/lowering/shadow/ShadowPass.h"

#include <llvm/IR/IntrinsicInst.h>

namespace warpwright::vdevice {

llvm::Value *ShadowPass::buildCall(llvm::CallInst &call) {
  Builder builder = after(call);
  llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  llvm::Value *shadow = nullptr;
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    shadow = buildIntrinsic(builder, *intrinsic);
  else if (llvm::StringRef stem = name; stem.consume_front("warpwright."))
    shadow = buildRuntimeCall(builder, call, stem);
  else if (name.starts_with("__nv_"))
    shadow = buildLibraryCall(builder, call, name);
  if (shadow)
    return shadow;
  lose(call, name.empty() || (callee && state_.functions.contains(callee))
                 ? "a function that cannot be inlined is called"
                 : ("'" + name + "' is not followed").str());
  Builder behind = after(call);
  return widened(behind, &call);
}

llvm::Value *ShadowPass::buildIntrinsic(Builder &builder, llvm::IntrinsicInst &call) {
  namespace Intrinsic = llvm::Intrinsic;
  llvm::SmallVector<llvm::Value *, 3> operands;
  for (llvm::Value *operand : call.args())
    operands.push_back(operand->getType()->isFPOrFPVectorTy() ? of(operand) : operand);
  llvm::Type *wide = wideType(call.getType());
  switch (call.getIntrinsicID()) {
  case Intrinsic::ceil:
  case Intrinsic::floor:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::trunc:
    return widened(builder, &call);
  case Intrinsic::maximum:
  case Intrinsic::maximumnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::minimumnum:
  case Intrinsic::minnum:
    return lesser(builder, call, *call.getArgOperand(0), *call.getArgOperand(1));
  case Intrinsic::canonicalize:
  case Intrinsic::arithmetic_fence:
    return operands[0];
  case Intrinsic::copysign:
    return builder.CreateBinaryIntrinsic(Intrinsic::copysign, operands[0],
                                         widened(builder, call.getArgOperand(1)));
  case Intrinsic::fmuladd:
  case Intrinsic::fma:
    return builder.CreateIntrinsic(Intrinsic::fma, {wide}, operands);
  case Intrinsic::powi:
  case Intrinsic::ldexp:
    return builder.CreateIntrinsic(call.getIntrinsicID(), {wide, operands[1]->getType()}, operands);
  case Intrinsic::fabs:
  case Intrinsic::sqrt:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
  case Intrinsic::pow:
  case Intrinsic::sin:
  case Intrinsic::cos:
    return orOriginal(builder, builder.CreateIntrinsic(call.getIntrinsicID(), {wide}, operands), &call);
  default:
    return nullptr;
  }
}

llvm::Value *ShadowPass::buildOperationCall(Builder &builder, llvm::StringRef operation,
                                            llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *wide = operands.front()->getType();
  llvm::Value *one = llvm::ConstantFP::get(wide, 1.0), *zero = llvm::ConstantFP::get(wide, 0.0);
  if (operation == "add")
    return builder.CreateFAdd(operands[0], operands[1]);
  if (operation == "sub")
    return builder.CreateFSub(operands[0], operands[1]);
  if (operation == "mul")
    return builder.CreateFMul(operands[0], operands[1]);
  if (operation == "div")
    return builder.CreateFDiv(operands[0], operands[1]);
  if (operation == "fma")
    return builder.CreateIntrinsic(llvm::Intrinsic::fma, {wide}, operands);
  if (operation == "rcp")
    return builder.CreateFDiv(one, operands[0]);
  if (operation == "sqrt")
    return builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operands[0]);
  if (operation == "rsqrt")
    return builder.CreateFDiv(one, builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, operands[0]));
  if (operation == "saturate")
    return builder.CreateMinNum(builder.CreateMaxNum(operands[0], zero), one);
  // The approximations of the hardware; the host's library knows these.
  llvm::Intrinsic::ID id = operation == "ex2"    ? llvm::Intrinsic::exp2
                           : operation == "lg2"  ? llvm::Intrinsic::log2
                           : operation == "sin"  ? llvm::Intrinsic::sin
                           : operation == "cos"  ? llvm::Intrinsic::cos
                           : operation == "tanh" ? llvm::Intrinsic::tanh
                                                 : llvm::Intrinsic::not_intrinsic;
  return id == llvm::Intrinsic::not_intrinsic ? nullptr : builder.CreateUnaryIntrinsic(id, operands[0]);
}

/// "add.rz.f32", "ex2.f32", "cvt.rz.f32.f64", "cvt.rm.f32.s64", "flush.f32".
llvm::Value *ShadowPass::buildRuntimeCall(Builder &builder, llvm::CallInst &call, llvm::StringRef name) {
  llvm::Value *first = call.getArgOperand(0);
  if (name.starts_with("flush."))
    return of(first);
  if (name.starts_with("cvt.")) {
    if (first->getType()->isFloatingPointTy())
      return of(first);
    checkBits(call, *first);
    bool isSigned = name.rsplit('.').second.starts_with("s");
    return isSigned ? builder.CreateSIToFP(first, builder.getDoubleTy())
                    : builder.CreateUIToFP(first, builder.getDoubleTy());
  }
  llvm::SmallVector<llvm::Value *, 3> operands;
  for (llvm::Value *operand : call.args()) {
    if (!operand->getType()->isFloatingPointTy())
      return nullptr;
    operands.push_back(of(operand));
  }
  llvm::Value *shadow = buildOperationCall(builder, name.split('.').first, operands);
  return shadow ? orOriginal(builder, shadow, &call) : nullptr;
}

llvm::Value *ShadowPass::buildLibraryCall(Builder &builder, llvm::CallInst &call, llvm::StringRef name) {
  using Kind = LibraryRule::Kind;
  LibraryRule rule = findLibraryRule(name);
  llvm::SmallVector<llvm::Value *, 4> operands;
  for (llvm::Value *operand : call.args())
    operands.push_back(operand->getType()->isFloatingPointTy() ? of(operand) : operand);
  switch (rule.kind) {
  case Kind::Unknown:
    return nullptr;
  case Kind::Original:
    return widened(builder, &call);
  case Kind::Identity:
    return operands[0];
  case Kind::Remainder:
    return remainder(builder, call, *call.getArgOperand(0), *call.getArgOperand(1));
  case Kind::Lesser:
    return lesser(builder, call, *call.getArgOperand(0), *call.getArgOperand(1));
  case Kind::FromSigned:
    checkBits(call, *operands[0]);
    return builder.CreateSIToFP(operands[0], builder.getDoubleTy());
  case Kind::FromUnsigned:
    checkBits(call, *operands[0]);
    return builder.CreateUIToFP(operands[0], builder.getDoubleTy());
  case Kind::Bits:
    return ofBits(call, call.getArgOperand(0));
  case Kind::Operation:
    return orOriginal(builder, buildOperationCall(builder, rule.name, operands), &call);
  case Kind::Sibling:
    break;
  }
  llvm::Function *sibling = state_.module.getFunction(rule.name);
  bool fits = sibling && sibling->getReturnType()->isDoubleTy() && sibling->arg_size() == operands.size();
  for (unsigned i = 0; fits && i < operands.size(); ++i)
    fits = sibling->getArg(i)->getType() == operands[i]->getType() && !operands[i]->getType()->isPointerTy();
  return fits ? orOriginal(builder, builder.CreateCall(sibling, operands), &call) : nullptr;
}

/// sincosf, sincospif, fast_sincosf: both results go to memory.
void ShadowPass::visitSinCos(llvm::CallInst &call, llvm::StringRef name) {
  llvm::Function *sibling = state_.module.getFunction(findLibraryRule(name).name);
  if (!sibling || sibling->arg_size() != 3 || call.arg_size() != 3)
    return lose(call, ("'" + name + "' is not followed").str());
  llvm::Type *type = call.getArgOperand(0)->getType();
  Builder entry(&*function_.getEntryBlock().getFirstInsertionPt());
  llvm::Value *results[2];
  for (llvm::Value *&result : results)
    result = entry.CreateAlloca(entry.getDoubleTy());
  Builder builder = after(call);
  builder.CreateCall(sibling, {of(call.getArgOperand(0)), results[0], results[1]});
  for (unsigned i = 0; i < 2; ++i) {
    llvm::Value *pointer = call.getArgOperand(i + 1);
    llvm::Value *number = builder.CreateLoad(type, pointer);
    llvm::Value *shadow = builder.CreateLoad(builder.getDoubleTy(), results[i]);
    storeNumber(builder, pointer, number, orOriginal(builder, shadow, number));
  }
}

} // namespace warpwright::vdevice
