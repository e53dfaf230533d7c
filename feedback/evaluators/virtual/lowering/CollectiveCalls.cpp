#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"

#include "analysis/simt/LaneExchange.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"

#include <optional>

namespace warpwright::vdevice {
namespace {

using Kind = CollectiveKind;

/// What the runtime calls an exchange that waits; nothing for those that do not.
std::optional<Kind> kindOf(simt::LaneExchange exchange) {
  switch (exchange) {
#define WARPWRIGHT_LANE_QUERY(enumerator, stem)                                                              \
  case simt::LaneExchange::enumerator:                                                                       \
    return std::nullopt;
#define WARPWRIGHT_LANE_EXCHANGE(enumerator, stem)                                                           \
  case simt::LaneExchange::enumerator:                                                                       \
    return Kind::enumerator;
#include "analysis/simt/LaneExchanges.def"
  }
  return std::nullopt;
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
    llvm::StringRef types = name;
    if (std::optional<simt::LaneExchange> exchange = simt::consumeLaneExchange(types))
      return buildExchange(*exchange, types);
    if (name.consume_front("redux.sync."))
      return buildFloatReduction(name);
    if (name == "bar.warp.sync")
      return collectives_.collective(Kind::Synchronise, argument(0), nullptr, nullptr, nullptr);
    if (name.consume_front("barrier.cta."))
      return buildBarrier(name);
    return nullptr;
  }

  llvm::Value *buildExchange(simt::LaneExchange exchange, llvm::StringRef types) {
    std::optional<Kind> kind = kindOf(exchange);
    if (!kind)
      return types.empty() ? collectives_.activeMask() : nullptr;
    switch (*kind) {
    case Kind::ShuffleUp:
    case Kind::ShuffleDown:
    case Kind::ShuffleButterfly:
    case Kind::ShuffleIndex:
      return buildShuffle(*kind, types);
    case Kind::VoteAll:
    case Kind::VoteAny:
    case Kind::VoteUniform:
    case Kind::Ballot:
      return types == ".sync" ? buildVote(*kind) : nullptr;
    case Kind::MatchAny:
    case Kind::MatchAll:
      return buildMatch(*kind, types);
    case Kind::Elect:
      return types.empty() ? buildElection() : nullptr;
    default:
      return types.empty() ? buildReduction(*kind) : nullptr;
    }
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

  llvm::Value *buildShuffle(Kind kind, llvm::StringRef types) {
    bool known = types == ".i32" || types == ".f32" || types == ".i32p" || types == ".f32p";
    if (!known)
      return nullptr;
    llvm::Value *value = builder_.CreateBitCast(argument(1), builder_.getInt32Ty());
    return unpack(collectives_.collective(kind, argument(0), value, argument(2), argument(3)));
  }

  llvm::Value *buildVote(Kind kind) {
    llvm::Value *word = collectives_.collective(kind, argument(0), argument(1), nullptr, nullptr);
    return builder_.CreateTrunc(word, call_.getType());
  }

  llvm::Value *buildMatch(Kind kind, llvm::StringRef types) {
    bool isAny = kind == Kind::MatchAny && (types == ".i32" || types == ".i64");
    bool isAll = kind == Kind::MatchAll && (types == ".i32p" || types == ".i64p");
    if (!isAny && !isAll)
      return nullptr;
    return unpack(collectives_.collective(kind, argument(0), argument(1), nullptr, nullptr));
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

  llvm::Value *buildReduction(Kind kind) {
    if (!call_.getType()->isIntegerTy())
      return nullptr;
    return unpack(collectives_.collective(kind, argument(1), argument(0), nullptr, nullptr));
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
