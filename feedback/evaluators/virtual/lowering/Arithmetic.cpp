#include "feedback/evaluators/virtual/lowering/Arithmetic.h"

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice {
namespace {

using llvm::Intrinsic::ID;

llvm::Value *one(llvm::Type *type) {
  return llvm::ConstantFP::get(type, 1.0);
}

} // namespace

std::optional<Rounding> readRounding(llvm::StringRef text) {
  text.consume_back("i");
  return llvm::StringSwitch<std::optional<Rounding>>(text)
      .Case("rn", Rounding::Nearest)
      .Case("rz", Rounding::Zero)
      .Case("rm", Rounding::Down)
      .Case("rp", Rounding::Up)
      .Default(std::nullopt);
}

const char *toString(Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return "rn";
  case Rounding::Zero:
    return "rz";
  case Rounding::Down:
    return "rm";
  case Rounding::Up:
    return "rp";
  }
  return "";
}

std::string typeSuffix(const llvm::Type *type, char integerLetter) {
  if (type->isIntegerTy())
    return std::string(1, integerLetter) + std::to_string(type->getIntegerBitWidth());
  return "f" + std::to_string(type->getPrimitiveSizeInBits().getFixedValue());
}

llvm::Value *ArithmeticBuilder::call(const llvm::Twine &name, llvm::Type *result,
                                     llvm::ArrayRef<llvm::Value *> operands) {
  llvm::CallInst *call = state_.callRuntime(builder_, ("warpwright." + name).str(), result, operands);
  call->setDoesNotAccessMemory();
  call->addFnAttr(llvm::Attribute::WillReturn);
  return call;
}

llvm::Value *ArithmeticBuilder::unary(ID id, llvm::Value *value) {
  return builder_.CreateUnaryIntrinsic(id, value);
}

llvm::Value *ArithmeticBuilder::flush(llvm::Value *value) {
  if (!value->getType()->isFloatTy())
    return value;
  // In one piece, where a shadow is to pass: bits that are looked into have none.
  if (state_.isShadowed())
    return call("flush.f32", value->getType(), {value});
  llvm::Value *bits = builder_.CreateBitCast(value, builder_.getInt32Ty());
  llvm::Value *exponent = builder_.CreateAnd(bits, 0x7f800000u);
  llvm::Value *zero = builder_.CreateBitCast(builder_.CreateAnd(bits, 0x80000000u), value->getType());
  return builder_.CreateSelect(builder_.CreateICmpEQ(exponent, builder_.getInt32(0)), zero, value);
}

llvm::Value *ArithmeticBuilder::rounded(llvm::StringRef operation, Rounding rounding,
                                        llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = operands.front()->getType();
  if (rounding != Rounding::Nearest)
    return call(operation + "." + toString(rounding) + "." + typeSuffix(type), type, operands);
  if (operation == "add")
    return builder_.CreateFAdd(operands[0], operands[1]);
  if (operation == "sub")
    return builder_.CreateFSub(operands[0], operands[1]);
  if (operation == "mul")
    return builder_.CreateFMul(operands[0], operands[1]);
  if (operation == "div")
    return builder_.CreateFDiv(operands[0], operands[1]);
  if (operation == "rcp")
    return builder_.CreateFDiv(one(type), operands[0]);
  if (operation == "sqrt")
    return unary(llvm::Intrinsic::sqrt, operands[0]);
  assert(operation == "fma" && "the operations of the device's rounding arithmetic");
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type}, operands);
}

llvm::Value *ArithmeticBuilder::approximate(llvm::StringRef operation,
                                            llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = operands.front()->getType();
  if (operation == "rcp")
    return builder_.CreateFDiv(one(type), operands[0]);
  if (operation == "sqrt")
    return unary(llvm::Intrinsic::sqrt, operands[0]);
  if (operation == "rsqrt")
    return builder_.CreateFDiv(one(type), unary(llvm::Intrinsic::sqrt, operands[0]));
  if (operation == "div.full" || (operation == "div" && !type->isFloatTy()))
    return builder_.CreateFDiv(operands[0], operands[1]);
  if (operation == "div")
    return divideApproximately(operands[0], operands[1]);
  return call(operation + "." + typeSuffix(type), type, operands);
}

llvm::Value *ArithmeticBuilder::divideApproximately(llvm::Value *left, llvm::Value *right) {
  constexpr double most = 0x1p126;
  llvm::Type *type = right->getType();
  llvm::Value *zero =
      builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(type, 0.0), right);
  llvm::Value *isLarge =
      builder_.CreateFCmpOGT(unary(llvm::Intrinsic::fabs, right), llvm::ConstantFP::get(type, most));
  return builder_.CreateSelect(isLarge, builder_.CreateFMul(left, zero), builder_.CreateFDiv(left, right));
}

llvm::Value *ArithmeticBuilder::roundToIntegral(llvm::Value *value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return unary(llvm::Intrinsic::roundeven, value);
  case Rounding::Zero:
    return unary(llvm::Intrinsic::trunc, value);
  case Rounding::Down:
    return unary(llvm::Intrinsic::floor, value);
  case Rounding::Up:
    return unary(llvm::Intrinsic::ceil, value);
  }
  return value;
}

llvm::Value *ArithmeticBuilder::toInteger(llvm::Value *value, llvm::IntegerType *type, bool isSigned,
                                          Rounding rounding) {
  llvm::Type *from = value->getType();
  if (rounding != Rounding::Zero)
    value = roundToIntegral(value, rounding);
  llvm::Value *result = builder_.CreateIntrinsic(
      isSigned ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat, {type, from}, {value});
  if (!from->isDoubleTy() && type->getBitWidth() != 64)
    return result;
  llvm::Value *least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getBitWidth()));
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value), least, result);
}

llvm::Value *ArithmeticBuilder::fromInteger(llvm::Value *value, llvm::Type *type, bool isSigned,
                                            Rounding rounding) {
  if (rounding != Rounding::Nearest)
    return call("cvt." + std::string(toString(rounding)) + "." + typeSuffix(type) + "." +
                    typeSuffix(value->getType(), isSigned ? 's' : 'u'),
                type, {value});
  return isSigned ? builder_.CreateSIToFP(value, type) : builder_.CreateUIToFP(value, type);
}

llvm::Value *ArithmeticBuilder::convert(llvm::Value *value, llvm::Type *type, Rounding rounding) {
  llvm::Type *from = value->getType();
  if (from == type)
    return value;
  if (from->getPrimitiveSizeInBits() < type->getPrimitiveSizeInBits())
    return builder_.CreateFPExt(value, type);
  bool isDirect = !(type->isHalfTy() && from->isDoubleTy()); // which the host has no instruction for
  if (rounding == Rounding::Nearest && isDirect)
    return builder_.CreateFPTrunc(value, type);
  if (type->isHalfTy()) {
    llvm::Value *bits = call("cvt." + std::string(toString(rounding)) + ".f16." + typeSuffix(from),
                             builder_.getInt16Ty(), {value});
    return builder_.CreateBitCast(bits, type);
  }
  return call("cvt." + std::string(toString(rounding)) + "." + typeSuffix(type) + "." + typeSuffix(from),
              type, {value});
}

llvm::Value *ArithmeticBuilder::minimum(llvm::Value *left, llvm::Value *right, bool keepsNaN) {
  return builder_.CreateBinaryIntrinsic(keepsNaN ? llvm::Intrinsic::minimum : llvm::Intrinsic::minimumnum,
                                        left, right);
}

llvm::Value *ArithmeticBuilder::maximum(llvm::Value *left, llvm::Value *right, bool keepsNaN) {
  return builder_.CreateBinaryIntrinsic(keepsNaN ? llvm::Intrinsic::maximum : llvm::Intrinsic::maximumnum,
                                        left, right);
}

llvm::Value *ArithmeticBuilder::saturate(llvm::Value *value) {
  llvm::Type *type = value->getType();
  llvm::Value *zero = llvm::ConstantFP::get(type, 0.0);
  llvm::Value *low = builder_.CreateSelect(builder_.CreateFCmpOGT(value, zero), value, zero);
  return builder_.CreateSelect(builder_.CreateFCmpOLT(low, one(type)), low, one(type));
}

llvm::Value *ArithmeticBuilder::mulHigh(llvm::Value *left, llvm::Value *right, bool isSigned) {
  llvm::Type *type = left->getType();
  unsigned bits = type->getIntegerBitWidth();
  llvm::Type *wide = builder_.getIntNTy(2 * bits);
  auto extend = [&](llvm::Value *value) {
    return isSigned ? builder_.CreateSExt(value, wide) : builder_.CreateZExt(value, wide);
  };
  llvm::Value *product = builder_.CreateMul(extend(left), extend(right));
  return builder_.CreateTrunc(builder_.CreateLShr(product, bits), type);
}

llvm::Value *ArithmeticBuilder::shift(llvm::Instruction::BinaryOps operation, llvm::Value *value,
                                      llvm::Value *amount) {
  llvm::Type *type = value->getType();
  unsigned bits = type->getScalarSizeInBits();
  if (operation == llvm::Instruction::AShr) {
    llvm::Value *most = llvm::ConstantInt::get(type, bits - 1);
    return builder_.CreateAShr(value, builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, most));
  }
  llvm::Value *fits = builder_.CreateICmpULT(amount, llvm::ConstantInt::get(type, bits));
  llvm::Value *shifted = builder_.CreateBinOp(
      operation, value, builder_.CreateAnd(amount, llvm::ConstantInt::get(type, bits - 1)));
  return builder_.CreateSelect(fits, shifted, llvm::Constant::getNullValue(type));
}

llvm::Value *ArithmeticBuilder::divide(llvm::Instruction::BinaryOps operation, llvm::Value *left,
                                       llvm::Value *right) {
  llvm::Type *type = left->getType();
  bool isSigned = operation == llvm::Instruction::SDiv || operation == llvm::Instruction::SRem;
  llvm::Value *isZero = builder_.CreateICmpEQ(right, llvm::Constant::getNullValue(type));
  llvm::Value *harmless = isZero;
  if (isSigned) {
    llvm::Value *least =
        llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
    llvm::Value *overflows =
        builder_.CreateAnd(builder_.CreateICmpEQ(left, least),
                           builder_.CreateICmpEQ(right, llvm::Constant::getAllOnesValue(type)));
    harmless = builder_.CreateOr(isZero, overflows);
  }
  llvm::Value *divisor = builder_.CreateSelect(harmless, llvm::ConstantInt::get(type, 1), right);
  llvm::Value *result = builder_.CreateBinOp(operation, left, divisor);
  return builder_.CreateSelect(isZero, llvm::Constant::getAllOnesValue(type), result);
}

} // namespace warpwright::vdevice
