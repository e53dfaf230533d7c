// Numbers inside integers: moved as bits, packed two into a word, split for a shuffle.

#include "feedback/evaluators/virtual/execution/CollectiveKind.h"
#include "feedback/evaluators/virtual/execution/ShadowMemory.h"
#include "feedback/evaluators/virtual/lowering/shadow/BitSources.h"
#include "feedback/evaluators/virtual/lowering/shadow/ShadowPass.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/KnownBits.h>

#include <bit>

namespace warpwright::vdevice {
namespace {

int bitsIn(const llvm::Value &value) {
  return static_cast<int>(value.getType()->getPrimitiveSizeInBits().getFixedValue());
}

int elementBits(const llvm::Value &vector) {
  return static_cast<int>(vector.getType()->getScalarSizeInBits());
}

} // namespace

llvm::Constant *ShadowPass::unknown() {
  return llvm::ConstantFP::get(llvm::Type::getDoubleTy(state_.module.getContext()),
                               llvm::APFloat(std::bit_cast<double>(ShadowMemory::unknownBits)));
}

llvm::Value *ShadowPass::known(Builder &builder, llvm::Value *shadow, llvm::Value *fallback) {
  llvm::Value *bits = builder.CreateBitCast(shadow, builder.getInt64Ty());
  llvm::Value *isUnknown = builder.CreateICmpEQ(bits, builder.getInt64(ShadowMemory::unknownBits));
  return builder.CreateSelect(isUnknown, fallback, shadow);
}

llvm::Value *ShadowPass::text(Builder &builder, llvm::StringRef reason) {
  llvm::Value *&known = texts_[reason.str()];
  if (!known)
    known = builder.CreateGlobalString(reason, "reason");
  return known;
}

void ShadowPass::lose(llvm::Instruction &where, llvm::StringRef reason) {
  Builder builder = where.isTerminator() ? Builder(&where) : after(where);
  state_.callRuntime(builder, "warpwright.shadow_lose", builder.getVoidTy(),
                     {function_.getArg(0), state_.placeOf(where), text(builder, reason)});
}

/// Bits that were computed from bits of a number have no shadow. Integers in memory are asked when they are
/// read whether they are such bits.
void ShadowPass::checkBits(llvm::Instruction &use, llvm::Value &bits) {
  constexpr llvm::StringLiteral reason = "the bits of a floating value are looked into";
  BitSources sources = findBitSources(bits);
  if (sources.fromNumber)
    return lose(use, reason);
  for (llvm::LoadInst *load : sources.loads) {
    if (!probed_.insert(load).second)
      continue;
    Builder builder(load);
    uint64_t bytes = state_.module.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
    state_.callRuntime(builder, "warpwright.shadow_probe", builder.getVoidTy(),
                       {function_.getArg(0), load->getPointerOperand(), builder.getInt64(bytes),
                        state_.placeOf(use), text(builder, reason)});
  }
}

llvm::Value *ShadowPass::integerOrUnknown(llvm::Value *value, unsigned width, int at,
                                          llvm::Instruction &use) {
  if (llvm::Value *shadow = integer(value, width, at))
    return shadow;
  checkBits(use, *value);
  return unknown();
}

llvm::Value *ShadowPass::ofBits(llvm::Instruction &number, llvm::Value *bits) {
  auto width = number.getType()->getScalarSizeInBits();
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(number.getType());
  if (!vector) {
    llvm::Value *shadow = integer(bits, width, 0);
    // A bfloat16 is the upper half of a float.
    if (!shadow && number.getType()->isFloatTy())
      shadow = integer(bits, 16, 16);
    if (!shadow && !number.getType()->isDoubleTy())
      checkBits(number, *bits);
    Builder builder = after(number);
    llvm::Value *own = widened(builder, &number);
    return shadow ? known(builder, shadow, own) : own;
  }
  Builder builder = after(number);
  llvm::Value *own = widened(builder, &number);
  llvm::Value *result = own;
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    llvm::Value *shadow = integerOrUnknown(bits, width, static_cast<int>(i * width), number);
    llvm::Value *element = builder.CreateExtractElement(own, i);
    result = builder.CreateInsertElement(result, known(builder, shadow, element), i);
  }
  return result;
}

llvm::Value *ShadowPass::integer(llvm::Value *value, unsigned width, int at, bool partial) {
  if (llvm::isa<llvm::Constant>(value))
    return unknown();
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  bool isWhole = at >= 0 && at + static_cast<int>(width) <= bitsIn(*value);
  if (!instruction || (!partial && !isWhole) || bitsIn(*value) == 0)
    return nullptr;
  auto key = std::make_tuple(value, width, at, partial);
  auto found = integers_.find(key);
  if (found != integers_.end())
    return found->second;
  if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    llvm::PHINode *shadow = Builder(phi).CreatePHI(unknown()->getType(), phi->getNumIncomingValues());
    integerPhis_.push_back({phi, shadow, width, at});
    return integers_[key] = shadow;
  }
  llvm::Value *shadow = buildInteger(*instruction, width, at, partial);
  return integers_[key] = shadow;
}

llvm::Value *ShadowPass::buildInteger(llvm::Instruction &instruction, unsigned width, int at, bool partial) {
  using I = llvm::Instruction;
  llvm::Value *first = instruction.getNumOperands() ? instruction.getOperand(0) : nullptr;
  auto shifted = [&](int sign) -> llvm::Value * {
    auto *amount = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
    return amount ? integer(first, width, at + sign * static_cast<int>(amount->getZExtValue()), partial)
                  : nullptr;
  };
  switch (instruction.getOpcode()) {
  case I::Trunc:
  case I::ZExt:
    return instruction.getType()->isVectorTy() ? nullptr : integer(first, width, at, partial);
  case I::Freeze:
    return integer(first, width, at, partial);
  case I::LShr:
    return shifted(1);
  case I::Shl:
    return shifted(-1);
  case I::Or:
    return buildOr(instruction, width, at, partial);
  case I::Select: {
    llvm::Value *yes = integerOrUnknown(instruction.getOperand(1), width, at, instruction);
    llvm::Value *no = integerOrUnknown(instruction.getOperand(2), width, at, instruction);
    return after(instruction).CreateSelect(instruction.getOperand(0), yes, no);
  }
  case I::Load: {
    auto *load = llvm::cast<llvm::LoadInst>(&instruction);
    if (at < 0 || at % 16 != 0 || at + static_cast<int>(width) > bitsIn(instruction))
      return nullptr;
    Builder builder = after(instruction);
    auto from = static_cast<unsigned>(at);
    return loadShadow(builder, load->getPointerOperand(), from / 8, width / 8,
                      bitsOf(builder, load, from, width), unknown());
  }
  case I::BitCast:
  case I::ExtractElement:
  case I::InsertElement:
    return buildVectorMove(instruction, width, at, partial);
  case I::ExtractValue:
    if (auto *exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(first))
      return at == 0 ? shadows_.lookup(exchange) : nullptr;
    return nullptr;
  case I::AtomicRMW:
    return at == 0 ? shadows_.lookup(&instruction) : nullptr;
  case I::Call:
    return buildIntegerCall(llvm::cast<llvm::CallInst>(instruction), width, at, partial);
  default:
    return nullptr;
  }
}

/// Words put together: each bit of the number comes from one side, the other has a zero there.
llvm::Value *ShadowPass::buildOr(llvm::Instruction &instruction, unsigned width, int at, bool partial) {
  const llvm::DataLayout &layout = state_.module.getDataLayout();
  llvm::Value *left = instruction.getOperand(0), *right = instruction.getOperand(1);
  if (instruction.getType()->isVectorTy() || at < 0)
    return nullptr;
  auto bits = static_cast<unsigned>(bitsIn(instruction));
  unsigned end = std::min(static_cast<unsigned>(at) + width, bits);
  llvm::APInt range = llvm::APInt::getBitsSet(bits, static_cast<unsigned>(at), end);
  llvm::APInt zeroLeft = llvm::computeKnownBits(left, layout).Zero & range;
  llvm::APInt zeroRight = llvm::computeKnownBits(right, layout).Zero & range;
  if (zeroRight == range)
    return integer(left, width, at, partial);
  if (zeroLeft == range)
    return integer(right, width, at, partial);
  if ((zeroLeft | zeroRight) != range)
    return nullptr;
  llvm::Value *one = integer(left, width, at, true);
  return one && integer(right, width, at, true) ? one : nullptr;
}

llvm::Value *ShadowPass::buildVectorMove(llvm::Instruction &instruction, unsigned width, int at,
                                         bool partial) {
  llvm::Value *first = instruction.getOperand(0);
  if (llvm::isa<llvm::BitCastInst>(instruction)) {
    if (!first->getType()->isFPOrFPVectorTy())
      return integer(first, width, at, partial);
    if (elementBits(*first) != static_cast<int>(width) || at % static_cast<int>(width) != 0 || at < 0)
      return nullptr;
    if (!first->getType()->isVectorTy())
      return of(first);
    Builder builder = after(instruction);
    return builder.CreateExtractElement(of(first), static_cast<uint64_t>(at) / width);
  }
  bool inserts = llvm::isa<llvm::InsertElementInst>(instruction);
  auto *index = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(inserts ? 2 : 1));
  if (!index)
    return nullptr;
  int begin = static_cast<int>(index->getZExtValue()) * elementBits(*first);
  if (!inserts)
    return integer(first, width, at + begin, partial);
  int end = at + static_cast<int>(width);
  if (end <= begin || at >= begin + elementBits(*first))
    return integer(first, width, at, partial);
  return integer(instruction.getOperand(1), width, at - begin, partial);
}

llvm::Value *ShadowPass::ofShort(Builder &builder, llvm::Value *bits, bool isHalf) {
  llvm::Value *number =
      isHalf ? builder.CreateBitCast(bits, builder.getHalfTy())
             : builder.CreateBitCast(builder.CreateShl(builder.CreateZExt(bits, builder.getInt32Ty()), 16),
                                     builder.getFloatTy());
  llvm::Value *shadow = integer(bits, 16, 0);
  llvm::Value *own = builder.CreateFPExt(number, builder.getDoubleTy());
  return shadow ? known(builder, shadow, own) : own;
}

llvm::Value *ShadowPass::buildIntegerCall(llvm::CallInst &call, unsigned width, int at, bool partial) {
  llvm::Function *callee = call.getCalledFunction();
  llvm::StringRef name = callee ? callee->getName() : "";
  if (name == "warpwright.collective")
    return buildShuffle(call, width, at, partial);
  bool isWhole = at == 0 && bitsIn(call) == static_cast<int>(width);
  if (name == "__nv_float_as_int" || name == "__nv_float_as_uint" || name == "__nv_double_as_longlong" ||
      name == "__nv_float2half_rn")
    return isWhole ? of(call.getArgOperand(0)) : nullptr;
  if (!isWhole || width != 16)
    return nullptr;
  if (name.starts_with("warpwright.cvt."))
    return call.getArgOperand(0)->getType()->isFloatingPointTy() ? of(call.getArgOperand(0)) : nullptr;
  if (name != "warpwright.fma.rn.f16" && name != "warpwright.fma.rn.bf16")
    return nullptr;
  Builder builder = after(call);
  llvm::Value *operands[3];
  for (unsigned i = 0; i < 3; ++i)
    operands[i] = ofShort(builder, call.getArgOperand(i), name.ends_with(".f16"));
  return builder.CreateFAdd(builder.CreateFMul(operands[0], operands[1]), operands[2]);
}

/// What a lane sends, and what it gets, go through its context.
llvm::Value *ShadowPass::buildShuffle(llvm::CallInst &call, unsigned width, int at, bool partial) {
  enum : unsigned { KindOperand = 2, ValueOperand = 4 };
  auto *kind = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(KindOperand));
  if (!kind || kind->getZExtValue() > static_cast<uint64_t>(CollectiveKind::ShuffleIndex))
    return nullptr;
  llvm::Value *sent = integer(call.getArgOperand(ValueOperand), width, at, partial);
  unsigned slot = slots_.lookup(&call);
  if (!sent || slot == shadowSlots)
    return nullptr;
  slots_[&call] = slot + 1;
  size_t offset = slot * sizeof(double);
  Builder before(&call);
  before.CreateStore(sent, state_.contextMember(before, offsetof(ThreadContext, shadowSent) + offset));
  Builder builder = after(call);
  return state_.readContext(builder, offsetof(ThreadContext, shadowGot) + offset, builder.getDoubleTy());
}

} // namespace warpwright::vdevice
