#include "feedback/evaluators/virtual/lowering/ptx/Numbers.h"

#include <llvm/ADT/StringSwitch.h>

namespace warpwright::vdevice::ptx {
namespace {

using Kind = Type::Kind;
using Predicate = llvm::CmpInst::Predicate;

constexpr uint64_t bfloatOne = 0x3f80;
constexpr uint64_t halfOne = 0x3c00;

} // namespace

llvm::Value *Numbers::extend(llvm::Value *value, llvm::Type *type, bool isSigned) {
  return isSigned ? builder_.CreateSExtOrTrunc(value, type) : builder_.CreateZExtOrTrunc(value, type);
}

llvm::Value *Numbers::part(llvm::Value *bits, unsigned index, Type type) {
  if (!type.packed)
    return bits;
  return builder_.CreateTrunc(builder_.CreateLShr(bits, index * type.bits), builder_.getIntNTy(type.bits));
}

llvm::Value *Numbers::join(llvm::Value *low, llvm::Value *high) {
  unsigned bits = low->getType()->getIntegerBitWidth();
  llvm::Type *whole = builder_.getIntNTy(2 * bits);
  return builder_.CreateOr(builder_.CreateZExt(low, whole),
                           builder_.CreateShl(builder_.CreateZExt(high, whole), bits));
}

llvm::Value *Numbers::perElement(Type type, llvm::ArrayRef<llvm::Value *> operands, Element function) {
  if (!type.packed)
    return function(type, operands);
  llvm::Value *results[2] = {nullptr, nullptr};
  for (unsigned i = 0; i < 2; ++i) {
    llvm::SmallVector<llvm::Value *, 3> parts;
    for (llvm::Value *operand : operands)
      parts.push_back(part(operand, i, type));
    results[i] = function(element(type), parts);
    if (!results[i])
      return nullptr;
  }
  return join(results[0], results[1]);
}

llvm::Value *Numbers::unpack(llvm::Value *bits, Type type) {
  llvm::Value *number = nullptr;
  if (type.kind == Kind::BFloat)
    number = builder_.CreateBitCast(builder_.CreateShl(builder_.CreateZExt(bits, builder_.getInt32Ty()), 16),
                                    builder_.getFloatTy());
  else if (type.kind == Kind::Half)
    number = builder_.CreateBitCast(bits, builder_.getHalfTy());
  else
    number = builder_.CreateBitCast(bits, type.bits == 64 ? builder_.getDoubleTy() : builder_.getFloatTy());
  return flushes_ && type.kind == Kind::Float ? arithmetic_.flush(number) : number;
}

llvm::Value *Numbers::pack(llvm::Value *number, Type type) {
  if (type.kind == Kind::BFloat)
    return floatToBFloat(number, Rounding::Nearest);
  if (flushes_ && type.kind == Kind::Float)
    number = arithmetic_.flush(number);
  return builder_.CreateBitCast(number, builder_.getIntNTy(type.bits));
}

llvm::Value *Numbers::one(Type type) {
  if (type.kind == Kind::BFloat)
    return builder_.getInt16(bfloatOne);
  if (type.kind == Kind::Half)
    return builder_.getInt16(halfOne);
  llvm::Type *number = type.bits == 64 ? builder_.getDoubleTy() : builder_.getFloatTy();
  return builder_.CreateBitCast(llvm::ConstantFP::get(number, 1.0), builder_.getIntNTy(type.bits));
}

llvm::Value *Numbers::floatToBFloat(llvm::Value *number, Rounding rounding) {
  return state_.callRuntime(builder_,
                            ("warpwright.cvt." + llvm::Twine(toString(rounding)) +
                             (number->getType()->isDoubleTy() ? ".bf16.f64" : ".bf16.f32"))
                                .str(),
                            builder_.getInt16Ty(), {number});
}

llvm::Value *Numbers::rectified(llvm::Value *number) {
  llvm::Value *zero = llvm::ConstantFP::get(number->getType(), 0.0);
  // So that -0 becomes 0.
  llvm::Value *isPositive = builder_.CreateFCmpUGT(number, zero);
  return builder_.CreateSelect(isPositive, number, zero);
}

llvm::Value *Numbers::arithmetic(llvm::StringRef name, Type type, llvm::ArrayRef<llvm::Value *> bits,
                                 std::optional<Rounding> rounding, bool approximate, bool keepsNaN) {
  bool isShort = type.bits == 16;
  Rounding mode = rounding.value_or(Rounding::Nearest);
  if (isShort && mode != Rounding::Nearest)
    return nullptr;
  if (name == "fma" && isShort) {
    // Rounded once, from the exact value.
    const char *suffix = type.kind == Kind::Half ? "f16" : "bf16";
    llvm::Value *result =
        state_.callRuntime(builder_, std::string("warpwright.fma.rn.") + suffix, builder_.getInt16Ty(), bits);
    return unpack(result, type);
  }
  llvm::SmallVector<llvm::Value *, 3> v;
  for (llvm::Value *each : bits)
    v.push_back(unpack(each, type));
  if (v.size() == 1 && name == "neg")
    return builder_.CreateFNeg(v[0]);
  if (v.size() == 1 && name == "abs")
    return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]);
  if (v.size() == 2 && (name == "min" || name == "max"))
    return name == "min" ? arithmetic_.minimum(v[0], v[1], keepsNaN)
                         : arithmetic_.maximum(v[0], v[1], keepsNaN);
  if (v.size() == 2 && name == "copysign")
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, v[1], v[0]);
  size_t operands = llvm::StringSwitch<size_t>(name)
                        .Cases({"rcp", "sqrt"}, 1)
                        .Cases({"ex2", "lg2", "sin", "cos", "tanh", "rsqrt"}, approximate ? 1 : 0)
                        .Cases({"add", "sub", "mul", "div", "div.full"}, 2)
                        .Cases({"fma", "mad"}, 3)
                        .Default(0);
  if (operands == 0 || operands != v.size())
    return nullptr;
  if (name == "mad")
    name = "fma";
  if (!approximate)
    return arithmetic_.rounded(name, mode, v);
  if (type.kind == Kind::Double && name != "rcp" && name != "rsqrt")
    return nullptr;
  if (type.kind != Kind::Half)
    return arithmetic_.approximate(name, v);
  llvm::Value *wide = builder_.CreateFPExt(v[0], builder_.getFloatTy());
  return builder_.CreateFPTrunc(arithmetic_.approximate(name, {wide}), builder_.getHalfTy());
}

llvm::Value *Numbers::compareIntegers(llvm::StringRef comparison, Type type, llvm::Value *a, llvm::Value *b) {
  bool isSigned = type.isSigned();
  auto predicate = llvm::StringSwitch<Predicate>(comparison)
                       .Case("eq", Predicate::ICMP_EQ)
                       .Case("ne", Predicate::ICMP_NE)
                       .Case("lt", isSigned ? Predicate::ICMP_SLT : Predicate::ICMP_ULT)
                       .Case("le", isSigned ? Predicate::ICMP_SLE : Predicate::ICMP_ULE)
                       .Case("gt", isSigned ? Predicate::ICMP_SGT : Predicate::ICMP_UGT)
                       .Case("ge", isSigned ? Predicate::ICMP_SGE : Predicate::ICMP_UGE)
                       .Case("lo", Predicate::ICMP_ULT)
                       .Case("ls", Predicate::ICMP_ULE)
                       .Case("hi", Predicate::ICMP_UGT)
                       .Case("hs", Predicate::ICMP_UGE)
                       .Default(Predicate::BAD_ICMP_PREDICATE);
  return predicate == Predicate::BAD_ICMP_PREDICATE ? nullptr : builder_.CreateICmp(predicate, a, b);
}

llvm::Value *Numbers::compareNumbers(llvm::StringRef comparison, llvm::Value *a, llvm::Value *b) {
  auto predicate = llvm::StringSwitch<Predicate>(comparison)
                       .Case("eq", Predicate::FCMP_OEQ)
                       .Case("ne", Predicate::FCMP_ONE)
                       .Case("lt", Predicate::FCMP_OLT)
                       .Case("le", Predicate::FCMP_OLE)
                       .Case("gt", Predicate::FCMP_OGT)
                       .Case("ge", Predicate::FCMP_OGE)
                       .Case("equ", Predicate::FCMP_UEQ)
                       .Case("neu", Predicate::FCMP_UNE)
                       .Case("ltu", Predicate::FCMP_ULT)
                       .Case("leu", Predicate::FCMP_ULE)
                       .Case("gtu", Predicate::FCMP_UGT)
                       .Case("geu", Predicate::FCMP_UGE)
                       .Case("num", Predicate::FCMP_ORD)
                       .Case("nan", Predicate::FCMP_UNO)
                       .Default(Predicate::BAD_FCMP_PREDICATE);
  return predicate == Predicate::BAD_FCMP_PREDICATE ? nullptr : builder_.CreateFCmp(predicate, a, b);
}

llvm::Value *Numbers::convertToInteger(llvm::Value *number, Type to, Rounding rounding) {
  if (!number->getType()->isDoubleTy() && !number->getType()->isFloatTy())
    number = builder_.CreateFPExt(number, builder_.getFloatTy());
  return arithmetic_.toInteger(number, builder_.getIntNTy(to.bits), to.isSigned(), rounding);
}

llvm::Value *Numbers::convert(llvm::Value *bits, Type from, Type to, std::optional<Rounding> rounding,
                              bool saturates, bool rectifies) {
  if (!from.isFloating() && !to.isFloating())
    return saturates ? nullptr : extend(bits, builder_.getIntNTy(to.bits), from.isSigned());
  if (from.isFloating() && !to.isFloating())
    return rounding && !rectifies && to.bits >= 8 ? convertToInteger(unpack(bits, from), to, *rounding)
                                                  : nullptr;
  Rounding mode = rounding.value_or(Rounding::Nearest);
  llvm::Type *wide = to.kind == Kind::Double ? builder_.getDoubleTy() : builder_.getFloatTy();
  llvm::Value *number = nullptr;
  if (!from.isFloating()) {
    // To 16 bits by way of double, in which 32 are exact, so that they are rounded once.
    if (to.bits == 16 && from.bits <= 32)
      wide = builder_.getDoubleTy();
    else if (to.bits == 16)
      return nullptr;
    number = arithmetic_.fromInteger(bits, wide, from.isSigned(), to.bits == 16 ? Rounding::Nearest : mode);
  } else {
    number = unpack(bits, from);
    bool integral = from.kind == to.kind && rounding;
    if (integral)
      number = arithmetic_.roundToIntegral(number, mode);
  }
  if (rectifies)
    number = rectified(number);
  if (saturates)
    number = arithmetic_.saturate(number);
  if (to.kind == Kind::BFloat) {
    if (number->getType()->isHalfTy())
      number = builder_.CreateFPExt(number, builder_.getFloatTy());
    return floatToBFloat(number, mode);
  }
  if (to.kind == Kind::Half)
    return builder_.CreateBitCast(arithmetic_.convert(number, builder_.getHalfTy(), mode),
                                  builder_.getInt16Ty());
  return pack(arithmetic_.convert(number, wide, mode), to);
}

} // namespace warpwright::vdevice::ptx
