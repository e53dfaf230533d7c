#include "feedback/evaluators/virtual/lowering/ptx/Synchronisation.h"

#include "feedback/evaluators/virtual/lowering/CollectiveCalls.h"

namespace warpwright::vdevice::ptx {
namespace {

class SynchronisationBuilder {
public:
  SynchronisationBuilder(LoweringState &state, llvm::IRBuilder<> &builder, const llvm::Instruction &origin,
                         const PtxInstruction &instruction, Frame &frame)
      : state_(state), builder_(builder), origin_(origin), collectives_(state, builder, origin),
        instruction_(instruction), frame_(frame) {}

  bool run() {
    llvm::StringRef name = instruction_.opcode.front();
    llvm::Value *context = builder_.GetInsertBlock()->getParent()->getArg(0);
    if (name == "bar" || name == "barrier")
      return buildBarrier();
    if (name == "membar" || name == "fence") {
      builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      if ((has("gl") || has("sys") || has("gpu")) && state_.isWatched())
        state_.callRuntime(builder_, "warpwright.fence", builder_.getVoidTy(), {context});
      return true;
    }
    if (name == "activemask")
      return frame_.write(text(0), collectives_.activeMask(), nullptr);
    if (name == "shfl")
      return buildShuffle();
    if (name == "vote")
      return buildVote();
    if (name == "redux")
      return buildReduction();
    if (name == "match")
      return buildMatch();
    if (name == "elect")
      return count() == 2 && word(1) &&
             writePair(collectives_.collective(CollectiveKind::Elect, word(1), nullptr, nullptr, nullptr));
    if (name == "nanosleep") {
      state_.callRuntime(builder_, "warpwright.yield", builder_.getVoidTy(), {context});
      return true;
    }
    if (name == "trap") {
      state_.callRuntime(builder_, "warpwright.trap", builder_.getVoidTy(),
                         {context, state_.placeOf(origin_)});
      return true;
    }
    if (name == "exit") {
      state_.callRuntime(builder_, "warpwright.exit", builder_.getVoidTy(), {context});
      return true;
    }
    return false;
  }

private:
  bool has(llvm::StringRef part) const { return instruction_.has(part); }
  size_t count() const { return instruction_.operands.size(); }
  llvm::StringRef text(size_t index) const { return instruction_.operands[index].text; }
  llvm::Value *word(size_t index) { return index < count() ? frame_.read(text(index), 32) : nullptr; }

  bool buildBarrier() {
    if (has("warp"))
      return count() == 1 && word(0) &&
             collectives_.collective(CollectiveKind::Synchronise, word(0), nullptr, nullptr, nullptr);
    if (has("cluster"))
      return false;
    if (has("red"))
      return buildVotingBarrier();
    BarrierKind kind = has("arrive") ? BarrierKind::Arrive : BarrierKind::Plain;
    llvm::Value *index = word(0);
    llvm::Value *threads = count() > 1 ? word(1) : nullptr;
    if (!index || count() > 2 || (count() > 1 && !threads))
      return false;
    collectives_.barrier(kind, index, threads, nullptr);
    return true;
  }

  /// bar.red.op d, a{, b}, {!}p
  bool buildVotingBarrier() {
    if (count() != 3 && count() != 4)
      return false;
    llvm::Value *index = word(1), *threads = count() == 4 ? word(2) : nullptr;
    llvm::Value *predicate = frame_.readPredicate(text(count() - 1));
    if (!index || (count() == 4 && !threads) || !predicate)
      return false;
    BarrierKind kind = has("popc") ? BarrierKind::Count : has("and") ? BarrierKind::And : BarrierKind::Or;
    llvm::Value *result = collectives_.barrier(kind, index, threads, predicate);
    llvm::Type *type = has("popc") ? builder_.getInt32Ty() : builder_.getInt1Ty();
    return frame_.write(text(0), builder_.CreateTrunc(result, type), nullptr);
  }

  /// A result of which bit 32 is the predicate of "d|p".
  bool writePair(llvm::Value *result) {
    auto [target, predicate] = text(0).split('|');
    if (!frame_.write(target.trim(), builder_.CreateTrunc(result, builder_.getInt32Ty()), nullptr))
      return false;
    return predicate.empty() ||
           frame_.write(predicate.trim(),
                        builder_.CreateTrunc(builder_.CreateLShr(result, 32), builder_.getInt1Ty()), nullptr);
  }

  /// match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask
  bool buildMatch() {
    if (count() != 3 || !has("sync"))
      return false;
    llvm::Value *value = frame_.read(text(1), has("b64") ? 64 : 32), *mask = word(2);
    if (!value || !mask)
      return false;
    CollectiveKind kind = has("any") ? CollectiveKind::MatchAny : CollectiveKind::MatchAll;
    return writePair(collectives_.collective(kind, mask, value, nullptr, nullptr));
  }

  /// redux.sync.op{.abs}{.NaN}.f32 d, a, mask
  bool buildFloatReduction() {
    llvm::Value *value = word(1), *mask = word(2);
    if (!value || !mask || (!has("min") && !has("max")))
      return false;
    uint32_t how = (has("abs") ? OfMagnitudes : 0u) | (has("NaN") ? KeepsNaN : 0u);
    CollectiveKind kind = has("min") ? CollectiveKind::ReduceFMin : CollectiveKind::ReduceFMax;
    llvm::Value *result = collectives_.collective(kind, mask, value, builder_.getInt32(how), nullptr);
    return frame_.write(text(0), builder_.CreateTrunc(result, builder_.getInt32Ty()), nullptr);
  }

  /// shfl.sync.mode.b32 d|p, a, b, c, mask
  bool buildShuffle() {
    if (count() != 5 || !has("sync") || !has("b32"))
      return false;
    CollectiveKind kind = has("up")     ? CollectiveKind::ShuffleUp
                          : has("down") ? CollectiveKind::ShuffleDown
                          : has("bfly") ? CollectiveKind::ShuffleButterfly
                                        : CollectiveKind::ShuffleIndex;
    llvm::Value *value = word(1), *distance = word(2), *clamp = word(3), *mask = word(4);
    if (!value || !distance || !clamp || !mask)
      return false;
    llvm::Value *result = collectives_.collective(kind, mask, value, distance, clamp);
    return writePair(result);
  }

  bool buildVote() {
    if (count() != 3 || !has("sync"))
      return false;
    CollectiveKind kind = has("ballot") ? CollectiveKind::Ballot
                          : has("all")  ? CollectiveKind::VoteAll
                          : has("any")  ? CollectiveKind::VoteAny
                                        : CollectiveKind::VoteUniform;
    llvm::Value *predicate = frame_.readPredicate(text(1));
    llvm::Value *mask = word(2);
    if (!predicate || !mask)
      return false;
    llvm::Value *result = collectives_.collective(kind, mask, predicate, nullptr, nullptr);
    llvm::Type *type = has("ballot") ? builder_.getInt32Ty() : builder_.getInt1Ty();
    return frame_.write(text(0), builder_.CreateTrunc(result, type), nullptr);
  }

  bool buildReduction() {
    if (count() != 3 || !has("sync"))
      return false;
    if (has("f32"))
      return buildFloatReduction();
    bool isSigned = has("s32");
    CollectiveKind kind = has("add")   ? CollectiveKind::ReduceAdd
                          : has("min") ? (isSigned ? CollectiveKind::ReduceMin : CollectiveKind::ReduceUMin)
                          : has("max") ? (isSigned ? CollectiveKind::ReduceMax : CollectiveKind::ReduceUMax)
                          : has("and") ? CollectiveKind::ReduceAnd
                          : has("or")  ? CollectiveKind::ReduceOr
                                       : CollectiveKind::ReduceXor;
    llvm::Value *value = word(1), *mask = word(2);
    if (!value || !mask)
      return false;
    llvm::Value *result = collectives_.collective(kind, mask, value, nullptr, nullptr);
    return frame_.write(text(0), builder_.CreateTrunc(result, builder_.getInt32Ty()), nullptr);
  }

  LoweringState &state_;
  llvm::IRBuilder<> &builder_;
  const llvm::Instruction &origin_;
  CollectiveBuilder collectives_;
  const PtxInstruction &instruction_;
  Frame &frame_;
};

} // namespace

bool buildSynchronisation(LoweringState &state, llvm::IRBuilder<> &builder, const llvm::Instruction &origin,
                          const PtxInstruction &instruction, Frame &frame) {
  return SynchronisationBuilder(state, builder, origin, instruction, frame).run();
}

} // namespace warpwright::vdevice::ptx
