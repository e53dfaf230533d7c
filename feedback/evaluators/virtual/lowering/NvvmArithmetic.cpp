#include "feedback/evaluators/virtual/lowering/NvvmArithmetic.h"

#include "feedback/evaluators/virtual/lowering/Arithmetic.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/StringExtras.h>

namespace warpwright::vdevice {
namespace {

using Parts = llvm::SmallVector<llvm::StringRef, 8>;

/// One call of an intrinsic of NVVM, in any function.
class NvvmCall {
public:
  NvvmCall(LoweringState &state, llvm::CallInst &call, llvm::StringRef name)
      : state_(state), call_(call), builder_(&call), arithmetic_(state, builder_), name_(name) {
    name.split(parts_, '.');
    flushes_ = llvm::is_contained(parts_, "ftz");
    saturates_ = llvm::is_contained(parts_, "sat");
  }

  /// Null where it is none of these.
  llvm::Value *build() {
    if (call_.arg_empty())
      return nullptr;
    for (llvm::Value *operand : call_.args())
      operands_.push_back(flushes_ ? arithmetic_.flush(operand) : operand);
    llvm::Value *result = buildFloating();
    if (!result)
      result = buildConversion();
    if (!result)
      return buildInteger();
    if (saturates_)
      result = arithmetic_.saturate(result);
    return flushes_ ? arithmetic_.flush(result) : result;
  }

private:
  bool has(llvm::StringRef part) const { return llvm::is_contained(parts_, part); }

  std::optional<Rounding> rounding() const {
    for (llvm::StringRef part : parts_)
      if (std::optional<Rounding> mode = readRounding(part))
        return mode;
    return std::nullopt;
  }

  llvm::Value *buildFloating() {
    llvm::Type *type = call_.getType();
    if (!type->isFPOrFPVectorTy() || operands_.front()->getType() != type)
      return nullptr;
    llvm::StringRef stem = parts_.front();
    if (has("approx") || has("full"))
      return type->isVectorTy()             ? nullptr
             : stem == "div" && has("full") ? arithmetic_.approximate("div.full", operands_)
                                            : arithmetic_.approximate(stem, operands_);
    if (stem == "fmin" || stem == "fmax") {
      if (has("xorsign"))
        return nullptr;
      return stem == "fmin" ? arithmetic_.minimum(operands_[0], operands_[1], has("nan"))
                            : arithmetic_.maximum(operands_[0], operands_[1], has("nan"));
    }
    if (stem == "fabs" || stem == "neg")
      return stem == "neg" ? builder_.CreateFNeg(operands_[0])
                           : builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, operands_[0]);
    if (stem == "saturate")
      return arithmetic_.saturate(operands_[0]);
    if (llvm::Value *value = buildIntegral(stem))
      return value;
    bool known = llvm::is_contained({"add", "sub", "mul", "fma", "div", "rcp", "sqrt"}, stem);
    if (!known || has("relu") || has("oob"))
      return nullptr;
    std::optional<Rounding> mode = rounding();
    // sqrt.f leaves the choice to the flags of the compiler.
    if (!mode && stem != "sqrt")
      return nullptr;
    if (type->isVectorTy() && mode.value_or(Rounding::Nearest) != Rounding::Nearest)
      return nullptr;
    return arithmetic_.rounded(stem, mode.value_or(Rounding::Nearest), operands_);
  }

  llvm::Value *buildIntegral(llvm::StringRef stem) {
    if (stem == "floor")
      return arithmetic_.roundToIntegral(operands_[0], Rounding::Down);
    if (stem == "ceil")
      return arithmetic_.roundToIntegral(operands_[0], Rounding::Up);
    if (stem == "trunc")
      return arithmetic_.roundToIntegral(operands_[0], Rounding::Zero);
    if (stem == "round") // which NVVM defines as cvt.rni
      return arithmetic_.roundToIntegral(operands_[0], Rounding::Nearest);
    return nullptr;
  }

  /// "f2i.rz", "ull2d.rn" and their like.
  llvm::Value *buildConversion() {
    auto [from, to] = parts_.front().split('2');
    std::optional<Rounding> mode = rounding();
    if (to.empty() || !mode)
      return nullptr;
    llvm::Type *type = call_.getType();
    bool fromFloat = from == "f" || from == "d";
    if (fromFloat && llvm::is_contained({"i", "ui", "ll", "ull"}, to))
      return arithmetic_.toInteger(operands_[0], llvm::cast<llvm::IntegerType>(type), !to.starts_with("u"),
                                   *mode);
    if (llvm::is_contained({"i", "ui", "ll", "ull"}, from) && (to == "f" || to == "d"))
      return arithmetic_.fromInteger(operands_[0], type, !from.starts_with("u"), *mode);
    if (from == "d" && to == "f")
      return arithmetic_.convert(operands_[0], type, *mode);
    if (from == "f" && to == "h")
      return builder_.CreateBitCast(arithmetic_.convert(operands_[0], builder_.getHalfTy(), *mode), type);
    return nullptr;
  }

  llvm::Value *buildInteger() {
    llvm::Type *type = call_.getType();
    if (name_.starts_with("mulhi."))
      return arithmetic_.mulHigh(operands_[0], operands_[1], !parts_.back().starts_with("u"));
    if (name_ == "lohi.i2d") {
      llvm::Value *low = builder_.CreateZExt(operands_[0], builder_.getInt64Ty());
      llvm::Value *high = builder_.CreateShl(builder_.CreateZExt(operands_[1], builder_.getInt64Ty()), 32);
      return builder_.CreateBitCast(builder_.CreateOr(low, high), type);
    }
    if (name_ == "d2i.lo" || name_ == "d2i.hi") {
      llvm::Value *bits = builder_.CreateBitCast(operands_[0], builder_.getInt64Ty());
      return builder_.CreateTrunc(name_ == "d2i.hi" ? builder_.CreateLShr(bits, 32) : bits, type);
    }
    if (name_.starts_with("bitcast."))
      return builder_.CreateBitCast(operands_[0], type);
    if (name_ == "prmt")
      return state_.callRuntime(builder_, "warpwright.prmt", type,
                                {operands_[0], operands_[1], operands_[2]});
    if (name_ == "sad.i" || name_ == "sad.ui")
      return buildSad(name_ == "sad.i");
    if (name_ == "fns")
      return state_.callRuntime(builder_, "warpwright.fns", type, {operands_[0], operands_[1], operands_[2]});
    return nullptr;
  }

  llvm::Value *buildSad(bool isSigned) {
    llvm::Value *greater = isSigned ? builder_.CreateICmpSGT(operands_[0], operands_[1])
                                    : builder_.CreateICmpUGT(operands_[0], operands_[1]);
    llvm::Value *difference = builder_.CreateSelect(greater, builder_.CreateSub(operands_[0], operands_[1]),
                                                    builder_.CreateSub(operands_[1], operands_[0]));
    return builder_.CreateAdd(difference, operands_[2]);
  }

  LoweringState &state_;
  llvm::CallInst &call_;
  llvm::IRBuilder<> builder_;
  ArithmeticBuilder arithmetic_;
  llvm::StringRef name_;
  Parts parts_;
  bool flushes_ = false;
  bool saturates_ = false;
  llvm::SmallVector<llvm::Value *, 4> operands_;
};

} // namespace

llvm::Value *buildNvvmArithmetic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  return NvvmCall(state, call, name).build();
}

} // namespace warpwright::vdevice
