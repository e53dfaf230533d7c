#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"

#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <llvm/ADT/StringSwitch.h>

#include <optional>

namespace warpwright::vdevice {
namespace {

using Kind = CollectiveKind;

std::optional<Kind> findShuffle(llvm::StringRef mode) {
  return llvm::StringSwitch<std::optional<Kind>>(mode)
      .Case("up", Kind::ShuffleUp)
      .Case("down", Kind::ShuffleDown)
      .Case("bfly", Kind::ShuffleButterfly)
      .Case("idx", Kind::ShuffleIndex)
      .Default(std::nullopt);
}

std::optional<Kind> findVote(llvm::StringRef mode) {
  return llvm::StringSwitch<std::optional<Kind>>(mode)
      .Case("all", Kind::VoteAll)
      .Case("any", Kind::VoteAny)
      .Case("uni", Kind::VoteUniform)
      .Case("ballot", Kind::Ballot)
      .Default(std::nullopt);
}

std::optional<Kind> findReduction(llvm::StringRef operation) {
  return llvm::StringSwitch<std::optional<Kind>>(operation)
      .Case("add", Kind::ReduceAdd)
      .Case("min", Kind::ReduceMin)
      .Case("max", Kind::ReduceMax)
      .Case("umin", Kind::ReduceUMin)
      .Case("umax", Kind::ReduceUMax)
      .Case("and", Kind::ReduceAnd)
      .Case("or", Kind::ReduceOr)
      .Case("xor", Kind::ReduceXor)
      .Default(std::nullopt);
}

/// One call of an intrinsic.
class Lowerer {
public:
  Lowerer(LoweringState &state, llvm::CallInst &call)
      : call_(call), builder_(&call), collectives_(state, builder_, call) {}

  bool lower(llvm::StringRef name) {
    llvm::Value *result = build(name);
    if (!result)
      return false;
    if (!call_.getType()->isVoidTy())
      call_.replaceAllUsesWith(result);
    call_.eraseFromParent();
    return true;
  }

private:
  llvm::Value *argument(unsigned index) { return call_.getArgOperand(index); }

  llvm::Value *build(llvm::StringRef name) {
    if (name.consume_front("shfl.sync."))
      return buildShuffle(name);
    if (name.consume_front("vote.") && name.consume_back(".sync"))
      return buildVote(name);
    if (name.consume_front("match."))
      return buildMatch(name);
    if (name.consume_front("redux.sync."))
      return buildReduction(name);
    if (name == "activemask")
      return collectives_.activeMask();
    if (name == "bar.warp.sync")
      return collectives_.collective(Kind::Synchronise, argument(0), nullptr, nullptr, nullptr);
    if (name == "elect.sync")
      return buildElection();
    if (name.consume_front("barrier.cta."))
      return buildBarrier(name);
    return nullptr;
  }

  /// {i32, i1} or {float, i1} of what the runtime returns, or the value alone.
  llvm::Value *unpack(llvm::Value *word) {
    llvm::Type *type = call_.getType();
    auto *record = llvm::dyn_cast<llvm::StructType>(type);
    llvm::Type *valueType = record ? record->getElementType(0) : type;
    llvm::Value *value = builder_.CreateBitCast(builder_.CreateTrunc(word, builder_.getInt32Ty()), valueType);
    if (!record)
      return value;
    llvm::Value *flag = builder_.CreateTrunc(builder_.CreateLShr(word, 32), builder_.getInt1Ty());
    llvm::Value *pair = builder_.CreateInsertValue(llvm::PoisonValue::get(type), value, 0);
    return builder_.CreateInsertValue(pair, flag, 1);
  }

  llvm::Value *buildShuffle(llvm::StringRef name) {
    auto [mode, type] = name.split('.');
    std::optional<Kind> kind = findShuffle(mode);
    bool known = type == "i32" || type == "f32" || type == "i32p" || type == "f32p";
    if (!kind || !known)
      return nullptr;
    llvm::Value *value = builder_.CreateBitCast(argument(1), builder_.getInt32Ty());
    return unpack(collectives_.collective(*kind, argument(0), value, argument(2), argument(3)));
  }

  llvm::Value *buildVote(llvm::StringRef mode) {
    std::optional<Kind> kind = findVote(mode);
    if (!kind)
      return nullptr;
    llvm::Value *word = collectives_.collective(*kind, argument(0), argument(1), nullptr, nullptr);
    return builder_.CreateTrunc(word, call_.getType());
  }

  llvm::Value *buildMatch(llvm::StringRef name) {
    bool any = name == "any.sync.i32" || name == "any.sync.i64";
    bool all = name == "all.sync.i32p" || name == "all.sync.i64p";
    if (!any && !all)
      return nullptr;
    return unpack(collectives_.collective(any ? Kind::MatchAny : Kind::MatchAll, argument(0), argument(1),
                                          nullptr, nullptr));
  }

  /// "fmin", "fmax" with ".abs", ".NaN"
  llvm::Value *buildFloatReduction(llvm::StringRef name) {
    bool isLeast = name.starts_with("fmin");
    if (!isLeast && !name.starts_with("fmax"))
      return nullptr;
    uint32_t how = (name.contains(".abs") ? OfMagnitudes : 0u) | (name.contains(".NaN") ? KeepsNaN : 0u);
    llvm::Value *bits = builder_.CreateBitCast(argument(0), builder_.getInt32Ty());
    return unpack(collectives_.collective(isLeast ? Kind::ReduceFMin : Kind::ReduceFMax, argument(1), bits,
                                          builder_.getInt32(how), nullptr));
  }

  llvm::Value *buildReduction(llvm::StringRef operation) {
    if (call_.getType()->isFloatTy())
      return buildFloatReduction(operation);
    std::optional<Kind> kind = findReduction(operation);
    if (!kind || !call_.getType()->isIntegerTy())
      return nullptr;
    return unpack(collectives_.collective(*kind, argument(1), argument(0), nullptr, nullptr));
  }

  llvm::Value *buildElection() {
    return unpack(collectives_.collective(Kind::Elect, argument(0), nullptr, nullptr, nullptr));
  }

  llvm::Value *buildBarrier(llvm::StringRef name) {
    BarrierKind kind = BarrierKind::Plain;
    bool reduces = name.consume_front("red.");
    if (reduces) {
      auto [operation, rest] = name.split('.');
      kind = operation == "popc"  ? BarrierKind::Count
             : operation == "and" ? BarrierKind::And
                                  : BarrierKind::Or;
      name = rest;
    } else if (name.consume_front("arrive.")) {
      kind = BarrierKind::Arrive;
    } else if (!name.consume_front("sync.")) {
      return nullptr;
    }
    name.consume_front("aligned.");
    if (name != "all" && name != "count")
      return nullptr;
    unsigned next = 1;
    llvm::Value *count = name == "count" ? argument(next++) : nullptr;
    llvm::Value *predicate = reduces ? argument(next) : nullptr;
    llvm::Value *result = collectives_.barrier(kind, argument(0), count, predicate);
    return call_.getType()->isVoidTy() ? result : builder_.CreateZExtOrTrunc(result, call_.getType());
  }

  llvm::CallInst &call_;
  llvm::IRBuilder<> builder_;
  CollectiveBuilder collectives_;
};

} // namespace

llvm::Value *CollectiveBuilder::collective(Kind kind, llvm::Value *mask, llvm::Value *value,
                                           llvm::Value *second, llvm::Value *third) {
  llvm::Value *context = builder_.GetInsertBlock()->getParent()->getArg(0);
  llvm::Value *zero = builder_.getInt32(0);
  return state_.callRuntime(builder_, "warpwright.collective", builder_.getInt64Ty(),
                            {context, state_.placeOf(origin_), builder_.getInt32(static_cast<uint32_t>(kind)),
                             mask,
                             value ? builder_.CreateZExt(value, builder_.getInt64Ty()) : builder_.getInt64(0),
                             second ? second : zero, third ? third : zero});
}

llvm::Value *CollectiveBuilder::activeMask() {
  llvm::Value *context = builder_.GetInsertBlock()->getParent()->getArg(0);
  return state_.callRuntime(builder_, "warpwright.active_mask", builder_.getInt32Ty(),
                            {context, state_.placeOf(origin_)});
}

llvm::Value *CollectiveBuilder::barrier(BarrierKind kind, llvm::Value *barrier, llvm::Value *count,
                                        llvm::Value *predicate) {
  llvm::Value *context = builder_.GetInsertBlock()->getParent()->getArg(0);
  llvm::Value *zero = builder_.getInt32(0);
  return state_.callRuntime(builder_, "warpwright.barrier", builder_.getInt32Ty(),
                            {context, state_.placeOf(origin_), builder_.getInt32(static_cast<uint32_t>(kind)),
                             barrier, count ? count : zero,
                             predicate ? builder_.CreateZExt(predicate, builder_.getInt32Ty()) : zero});
}

bool lowerCollectiveIntrinsic(LoweringState &state, llvm::CallInst &call, llvm::StringRef name) {
  return Lowerer(state, call).lower(name);
}

} // namespace warpwright::vdevice
