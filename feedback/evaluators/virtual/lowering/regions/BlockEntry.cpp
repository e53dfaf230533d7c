#include "feedback/evaluators/virtual/lowering/regions/BlockEntry.h"

#include "feedback/evaluators/virtual/execution/CollectiveKind.h"
#include "feedback/evaluators/virtual/execution/ThreadContext.h"
#include "feedback/evaluators/virtual/lowering/Entry.h"
#include "feedback/evaluators/virtual/lowering/LoweringState.h"
#include "feedback/evaluators/virtual/lowering/ThreadLoops.h"
#include "feedback/evaluators/virtual/lowering/Waiting.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <functional>
#include <map>

namespace warpwright::vdevice {
namespace {

class Builder {
public:
  Builder(LoweringState &state, llvm::Function &thread, const CutFunction &cut)
      : state_(state), thread_(thread), cut_(cut), layout_(state.module.getDataLayout()),
        builder_(state.module.getContext()) {
    llvm::Type *pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(llvm::FunctionType::get(builder_.getVoidTy(), {pointer}, false),
                                       llvm::GlobalValue::ExternalLinkage, blockEntry, state.module);
    function_->setDoesNotThrow();
  }

  uint64_t run() {
    builder_.SetInsertPoint(llvm::BasicBlock::Create(builder_.getContext(), "entry", function_));
    buildFront();
    for (const Region &region : cut_.regions)
      places_[region.start] = newBlock("region");
    for (llvm::BasicBlock *cut : cut_.cuts)
      places_[cut] = newBlock("cut");
    builder_.CreateBr(places_[cut_.regions.front().start]);
    for (const Region &region : cut_.regions)
      buildRegion(region);
    for (llvm::BasicBlock *cut : cut_.cuts)
      buildCut(*cut);
    return frameBytes_;
  }

private:
  llvm::Value *given() const { return function_->getArg(0); }

  llvm::BasicBlock *newBlock(const char *name) {
    return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
  }

  llvm::AllocaInst *newVariable(llvm::Type *type) {
    return new llvm::AllocaInst(type, 0, "", function_->getEntryBlock().begin());
  }

  /// What is computed once, and where variables lie.
  void buildFront() {
    steps_ = newVariable(builder_.getInt64Ty());
    builder_.CreateStore(
        state_.readContext(builder_, offsetof(ThreadContext, stepsLeft), builder_.getInt64Ty()), steps_);
    llvm::ValueToValueMapTy map;
    for (llvm::Instruction *instruction : cut_.hoisted) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(instruction);
      std::optional<uint64_t> offset = load ? contextOffset(*load) : std::nullopt;
      if (offset) {
        front_[instruction] = state_.readContext(builder_, *offset, load->getType());
        map[instruction] = front_[instruction];
        continue;
      }
      llvm::Instruction *copy = builder_.Insert(instruction->clone());
      llvm::RemapInstruction(copy, map, flags);
      front_[instruction] = copy;
      map[instruction] = copy;
    }
    count_ = builder_.getInt64(1);
    for (unsigned i = 0; i < 3; ++i) {
      size_t member = offsetof(ThreadContext, blockExtent) + i * sizeof(uint32_t);
      llvm::Value *extent = state_.readContext(builder_, member, builder_.getInt32Ty());
      count_ = builder_.CreateMul(count_, builder_.CreateZExt(extent, builder_.getInt64Ty()));
    }
    placeVariables();
  }

  bool isOfBlock(llvm::AllocaInst &variable) const { return cut_.slots.lookup(&variable); }

  /// Those that need the largest alignment first, so that no array over the threads needs padding.
  void placeVariables() {
    std::multimap<llvm::Align, llvm::AllocaInst *, std::greater<>> variables;
    for (llvm::Instruction &instruction : llvm::instructions(thread_))
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        if (isOfBlock(*variable))
          ofBlock_[variable] = newVariable(variable->getAllocatedType());
        else
          variables.emplace(variable->getAlign(), variable);
      }
    llvm::Value *frames = state_.readContext(builder_, offsetof(ThreadContext, frames), builder_.getPtrTy());
    for (auto [alignment, variable] : variables) {
      uint64_t bytes = llvm::alignTo(variable->getAllocationSize(layout_)->getFixedValue(), alignment);
      llvm::Value *offset = builder_.CreateMul(count_, builder_.getInt64(frameBytes_));
      ofThread_[variable] = {builder_.CreateGEP(builder_.getInt8Ty(), frames, offset), bytes};
      frameBytes_ += bytes;
    }
  }

  llvm::SmallSetVector<llvm::AllocaInst *, 8> variablesOf(const Region &region) const {
    llvm::SmallSetVector<llvm::AllocaInst *, 8> used;
    for (llvm::BasicBlock *block : region.blocks)
      for (llvm::Instruction &instruction : *block)
        for (llvm::Value *operand : instruction.operand_values())
          if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(operand))
            used.insert(variable);
    if (llvm::Instruction *vote = voteOf(region))
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(vote))
        if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()))
          used.insert(variable);
    return used;
  }

  static llvm::CallInst *barrierOf(llvm::BasicBlock &cut) {
    for (llvm::Instruction &instruction : cut)
      if (runtimeName(instruction) == "barrier")
        return llvm::cast<llvm::CallInst>(&instruction);
    return nullptr;
  }

  enum : unsigned { PlaceOperand = 1, KindOperand = 2, PredicateOperand = 5 };

  /// The predicate that the region's threads bring to a barrier, where they do.
  static llvm::Instruction *voteOf(const Region &region) {
    llvm::CallInst *barrier = region.end ? barrierOf(*region.end) : nullptr;
    return barrier ? llvm::dyn_cast<llvm::Instruction>(barrier->getArgOperand(PredicateOperand)) : nullptr;
  }

  void buildRegion(const Region &region) {
    builder_.SetInsertPoint(places_[region.start]);
    llvm::SmallSetVector<llvm::AllocaInst *, 8> variables = variablesOf(region);
    llvm::DenseMap<llvm::AllocaInst *, llvm::Value *> before;
    for (llvm::AllocaInst *variable : variables)
      if (isOfBlock(*variable))
        before[variable] = builder_.CreateLoad(variable->getAllocatedType(), ofBlock_[variable]);
    llvm::Instruction *vote = voteOf(region);
    llvm::AllocaInst *votes = vote ? votesOf(*region.end) : nullptr;
    if (votes)
      builder_.CreateStore(builder_.getInt32(0), votes);
    ThreadLoops loops(builder_, given());
    llvm::ValueToValueMapTy map;
    for (auto &[from, to] : front_)
      map[from] = to;
    map[thread_.getArg(0)] = loops.context();
    for (llvm::AllocaInst *variable : variables)
      map[variable] = placeOf(*variable, loops.linear(), before);
    llvm::BasicBlock *last = newBlock("last");
    cloneCode(region, last, map);
    builder_.SetInsertPoint(last);
    if (votes)
      countVote(*vote, votes, map);
    if (!region.end && state_.isWatched())
      state_.callRuntime(builder_, "warpwright.thread_end", builder_.getVoidTy(), {loops.context()});
    loops.close();
    for (auto &[variable, value] : before)
      builder_.CreateStore(builder_.CreateLoad(variable->getAllocatedType(), &*map[variable]),
                           ofBlock_[variable]);
    if (region.end)
      builder_.CreateBr(places_[region.end]);
    else
      builder_.CreateRetVoid();
  }

  /// A variable of the block begins with each thread as it was before the region.
  llvm::Value *placeOf(llvm::AllocaInst &variable, llvm::Value *linear,
                       llvm::DenseMap<llvm::AllocaInst *, llvm::Value *> &before) {
    if (isOfBlock(variable)) {
      llvm::AllocaInst *own = newVariable(variable.getAllocatedType());
      builder_.CreateStore(before[&variable], own);
      return own;
    }
    auto [array, bytes] = ofThread_[&variable];
    llvm::Value *index = builder_.CreateZExt(linear, builder_.getInt64Ty());
    return builder_.CreateInBoundsGEP(llvm::ArrayType::get(builder_.getInt8Ty(), bytes), array, index);
  }

  void cloneCode(const Region &region, llvm::BasicBlock *last, llvm::ValueToValueMapTy &map) {
    llvm::SmallVector<llvm::BasicBlock *> copies;
    for (llvm::BasicBlock *block : region.blocks) {
      llvm::BasicBlock *copy = newBlock("code");
      copies.push_back(copy);
      map[block] = copy;
      for (llvm::Instruction &instruction : *block) {
        if (llvm::isa<llvm::AllocaInst>(instruction) || cut_.hoisted.contains(&instruction) ||
            cut_.needless.contains(&instruction))
          continue;
        llvm::Instruction *clone = instruction.clone();
        clone->insertInto(copy, copy->end());
        map[&instruction] = clone;
      }
    }
    if (region.end)
      map[region.end] = last;
    builder_.CreateBr(copies.front());
    for (llvm::BasicBlock *copy : copies) {
      for (llvm::PHINode &phi : copy->phis())
        for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
          if (!region.blocks.contains(phi.getIncomingBlock(i)))
            phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
      for (llvm::Instruction &instruction : *copy)
        llvm::RemapInstruction(&instruction, map, flags);
      if (auto *end = llvm::dyn_cast<llvm::ReturnInst>(copy->getTerminator())) {
        end->eraseFromParent();
        llvm::BranchInst::Create(last, copy);
      }
    }
  }

  llvm::AllocaInst *votesOf(llvm::BasicBlock &cut) {
    llvm::AllocaInst *&votes = votes_[&cut];
    if (!votes)
      votes = newVariable(builder_.getInt32Ty());
    return votes;
  }

  void countVote(llvm::Instruction &vote, llvm::AllocaInst *votes, llvm::ValueToValueMapTy &map) {
    llvm::Value *mine = map.lookup(&vote);
    if (!mine) {
      llvm::Instruction *load = builder_.Insert(vote.clone());
      llvm::RemapInstruction(load, map, flags);
      mine = load;
    }
    builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(builder_.getInt32Ty(), votes), mine), votes);
  }

  void buildCut(llvm::BasicBlock &cut) {
    builder_.SetInsertPoint(places_[&cut]);
    llvm::ValueToValueMapTy map;
    for (auto &[from, to] : front_)
      map[from] = to;
    for (auto &[from, to] : ofBlock_)
      map[from] = to;
    for (llvm::BasicBlock *next : llvm::successors(&cut))
      map[next] = places_[next];
    llvm::CallInst *barrier = barrierOf(cut);
    llvm::Value *vote = barrier ? barrier->getArgOperand(PredicateOperand) : nullptr;
    for (llvm::Instruction &instruction : cut) {
      if (&instruction == barrier) {
        map[&instruction] = buildBarrier(*barrier);
        continue;
      }
      if (&instruction == vote)
        continue;
      llvm::Instruction *copy = builder_.Insert(instruction.clone());
      llvm::RemapInstruction(copy, map, flags);
      map[&instruction] = copy;
    }
  }

  /// What the threads come to know at the barrier. That is where a loop that has no end is found.
  llvm::Value *buildBarrier(llvm::CallInst &barrier) {
    llvm::Value *left =
        builder_.CreateSub(builder_.CreateLoad(builder_.getInt64Ty(), steps_), builder_.getInt64(1));
    builder_.CreateStore(left, steps_);
    llvm::BasicBlock *spent = newBlock("spent"), *rest = newBlock("rest");
    builder_.CreateCondBr(builder_.CreateICmpEQ(left, builder_.getInt64(0)), spent, rest);
    builder_.SetInsertPoint(spent);
    builder_.CreateStore(left, state_.contextMember(builder_, offsetof(ThreadContext, stepsLeft)));
    state_.callRuntime(builder_, "warpwright.steps", builder_.getVoidTy(),
                       {given(), barrier.getArgOperand(PlaceOperand)});
    builder_.CreateBr(rest);
    builder_.SetInsertPoint(rest);
    if (state_.isWatched())
      state_.callRuntime(builder_, "warpwright.block_barrier", builder_.getVoidTy(), {given()});
    auto kind = static_cast<BarrierKind>(
        llvm::cast<llvm::ConstantInt>(barrier.getArgOperand(KindOperand))->getZExtValue());
    if (kind == BarrierKind::Plain)
      return builder_.getInt32(0);
    llvm::Value *all = builder_.CreateTrunc(count_, builder_.getInt32Ty());
    llvm::Value *predicate = barrier.getArgOperand(PredicateOperand);
    llvm::Value *votes = llvm::isa<llvm::Instruction>(predicate)
                             ? builder_.CreateLoad(builder_.getInt32Ty(), votesOf(*barrier.getParent()))
                             : builder_.CreateMul(predicate, all);
    if (kind == BarrierKind::Count)
      return votes;
    llvm::Value *holds =
        kind == BarrierKind::And ? builder_.CreateICmpEQ(votes, all) : builder_.CreateIsNotNull(votes);
    return builder_.CreateZExt(holds, builder_.getInt32Ty());
  }

  static inline const llvm::RemapFlags flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;

  struct Array {
    llvm::Value *begin = nullptr;
    uint64_t bytes = 0; ///< of one thread's
  };

  LoweringState &state_;
  llvm::Function &thread_;
  const CutFunction &cut_;
  const llvm::DataLayout &layout_;
  llvm::IRBuilder<> builder_;
  llvm::Function *function_ = nullptr;
  llvm::MapVector<llvm::Instruction *, llvm::Value *> front_; ///< what is computed once
  llvm::Value *count_ = nullptr;                              ///< threads of the block, 64 bits
  llvm::AllocaInst *steps_ = nullptr;
  llvm::DenseMap<llvm::BasicBlock *, llvm::BasicBlock *> places_; ///< by start of a region, and by cut
  llvm::MapVector<llvm::AllocaInst *, llvm::AllocaInst *> ofBlock_;
  llvm::DenseMap<llvm::AllocaInst *, Array> ofThread_;
  llvm::DenseMap<llvm::BasicBlock *, llvm::AllocaInst *> votes_;
  uint64_t frameBytes_ = 0;
};

} // namespace

uint64_t buildBlockEntry(LoweringState &state, llvm::Function &thread, const CutFunction &cut) {
  return Builder(state, thread, cut).run();
}

} // namespace warpwright::vdevice
