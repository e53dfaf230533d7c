#include "feedback/evaluators/virtual/lowering/Intrinsics.h"

#include "feedback/evaluators/virtual/lowering/Arithmetic.h"
#include "feedback/evaluators/virtual/lowering/AtomicIntrinsics.h"
#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"
#include "feedback/evaluators/virtual/lowering/Registers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

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
      return type->isVectorTy() ? nullptr : arithmetic_.approximate(stem, operands_);
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

void replace(llvm::CallInst &call, llvm::Value *result) {
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// Calls that run nothing here: hints, and waits for copies that are made at once.
bool isIgnored(llvm::StringRef name) {
  for (llvm::StringRef prefix :
       {"cp.async.commit.group", "cp.async.wait.", "prefetch", "applypriority", "griddepcontrol", "discard"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

bool isFence(llvm::StringRef name) {
  return name.starts_with("membar.") || name.starts_with("fence.");
}

/// Calls of the user's functions that need the thread's context, or end the thread.
bool lowerWithContext(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value *context = call.getFunction()->getArg(0);
  if (name.consume_front("read.ptx.sreg.")) {
    llvm::Value *value = readRegister(state, builder, name, call.getType());
    if (value)
      replace(call, value);
    return value != nullptr;
  }
  if (isFence(name)) {
    bool wide = name.contains("gl") || name.contains("sys") || name.contains("gpu");
    builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
    if (wide && state.isWatched())
      state.callRuntime(builder, "warpwright.fence", builder.getVoidTy(), {context});
    call.eraseFromParent();
    return true;
  }
  if (name == "exit") {
    replace(call, state.callRuntime(builder, "warpwright.exit", builder.getVoidTy(), {context}));
    return true;
  }
  if (name == "nanosleep") {
    replace(call, state.callRuntime(builder, "warpwright.yield", builder.getVoidTy(), {context}));
    return true;
  }
  return lowerCollectiveIntrinsic(state, call, name);
}

/// `isspacep`: where an address lies.
llvm::Value *lowerSpaceQuery(LoweringState &state, llvm::CallInst &call, llvm::StringRef space) {
  llvm::IRBuilder<> builder(&call);
  return state.callRuntime(builder, ("warpwright.is_" + space).str(), builder.getInt1Ty(),
                           {call.getFunction()->getArg(0),
                            builder.CreateAddrSpaceCast(call.getArgOperand(0), builder.getPtrTy())});
}

/// ldg, ldu: loads like any other.
void lowerLoad(LoweringState &state, llvm::CallInst &call) {
  llvm::IRBuilder<> builder(&call);
  const auto *alignment = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
  llvm::LoadInst *load = builder.CreateAlignedLoad(
      call.getType(), call.getArgOperand(0), llvm::MaybeAlign(alignment ? alignment->getZExtValue() : 1));
  if (std::optional<uint32_t> site = state.siteOf(call))
    state.setSite(*load, *site);
  replace(call, load);
}

/// cp.async: made at once, which is one of the orders that the device may choose. The bytes past the size
/// that is given are zero.
bool lowerAsyncCopy(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  unsigned bytes = 0;
  if (!name.consume_front("cp.async.ca.shared.global.") && !name.consume_front("cp.async.cg.shared.global."))
    return false;
  if (name.consumeInteger(10, bytes))
    return false;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *size = name == ".s" ? call.getArgOperand(2) : builder.getInt32(bytes);
  llvm::CallInst *copy =
      state.callRuntime(builder, "warpwright.async_copy", builder.getVoidTy(),
                        {call.getFunction()->getArg(0), builder.getInt32(state.siteOf(call).value_or(0)),
                         builder.CreateAddrSpaceCast(call.getArgOperand(0), builder.getPtrTy()),
                         builder.CreateAddrSpaceCast(call.getArgOperand(1), builder.getPtrTy()),
                         builder.getInt32(bytes), size});
  replace(call, copy);
  return true;
}

bool lowerNvvm(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  bool ofUser = state.functions.contains(call.getFunction());
  if (isIgnored(name)) {
    if (!call.getType()->isVoidTy())
      return false;
    call.eraseFromParent();
    return true;
  }
  if (name.starts_with("ldg.") || name.starts_with("ldu.")) {
    lowerLoad(state, call);
    return true;
  }
  if (ofUser && name.consume_front("isspacep.")) {
    if (name.starts_with("shared.cluster"))
      return false;
    replace(call, lowerSpaceQuery(state, call, name));
    return true;
  }
  if (ofUser && (lowerWithContext(state, call, name) || lowerAsyncCopy(state, call, name) ||
                 lowerAtomicIntrinsic(state, call, name)))
    return true;
  llvm::Value *result = NvvmCall(state, call, name).build();
  if (result)
    replace(call, result);
  return result != nullptr;
}

/// Functions of the device's runtime, and what ends a launch.
bool lowerRuntimeCall(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  if (!state.functions.contains(call.getFunction()))
    return false;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *context = call.getFunction()->getArg(0);
  if (name == "vprintf")
    replace(call, state.callRuntime(builder, "warpwright.print", builder.getInt32Ty(),
                                    {context, call.getArgOperand(0), call.getArgOperand(1)}));
  else if (name == "__assertfail" || name == "__assert_fail")
    replace(call, state.callRuntime(builder, "warpwright.assert_failed", builder.getVoidTy(),
                                    {context, state.placeOf(call), call.getArgOperand(0)}));
  else if (name == "llvm.trap" || name == "llvm.ubsantrap" || name == "llvm.debugtrap")
    replace(call, state.callRuntime(builder, "warpwright.trap", builder.getVoidTy(),
                                    {context, state.placeOf(call)}));
  else
    return false;
  return true;
}

/// Intrinsics that mean the same on every machine.
bool isCommon(const llvm::Function &callee) {
  return callee.isIntrinsic() && !callee.getName().starts_with("llvm.nvvm.");
}

void lowerCall(LoweringState &state, llvm::CallInst &call) {
  llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return;
  llvm::StringRef name = callee->getName();
  if (name.starts_with("warpwright.") || lowerRuntimeCall(state, call, name))
    return;
  llvm::StringRef stem = name;
  if (stem.consume_front("llvm.nvvm.") && lowerNvvm(state, call, stem))
    return;
  if (!isCommon(*callee))
    state.notCovered(name);
}

} // namespace

void lowerIntrinsics(LoweringState &state) {
  for (llvm::Function &function : state.module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        lowerCall(state, *call);
}

} // namespace warpwright::vdevice
